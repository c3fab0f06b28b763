"""Real agents as they are: recorded once, then replayed without a model, a server or a key."""

from __future__ import annotations

import json
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import suites
from bench import Json
from gate import Gate, results
from kit import Done
from scripted_model.script import CONTENT, TOKENS_IN, TOKENS_OUT
from scripted_model.server import ModelServer, Request

KEY = "a-key-of-the-caller-0123456789"
PROMPT = "Do as the script says.\nSCRIPT: "
CHANGED = "Do as the script orders.\nSCRIPT: "
PARALLEL = ("-j", "2")
# A machine of another make: nothing of it may be part of what is compared.
ELSEWHERE = {"CI": "true", "TZ": "Etc/GMT+12", "SHELL": "/bin/sh", "LANG": "C"}


@dataclass(frozen=True)
class Recorded:
    """A suite whose model is gone, and what that was asked while it was there."""

    gate: Gate
    done: Done
    requests: list[Request]


@pytest.fixture(scope="class")
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Record the cases of an agent, and stop the model that answered."""
    gate = Gate(tmp_path_factory.mktemp("unmodified") / "suite")
    request.cls.furnish(gate)
    with ModelServer() as model:
        key = {request.cls.key_env: KEY}
        done = gate.lead_to(model.url).run("--mode", "record", *PARALLEL, **key)
    return Recorded(gate, done, model.requests)


@pytest.fixture(scope="class")
def replayed(recorded: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Replay them from a copy elsewhere, with MCP servers that cannot be started."""
    place = tmp_path_factory.mktemp("elsewhere")
    (place / "tmp").mkdir()
    copy = recorded.gate.copy(place / "copy")
    document = copy.document
    for server in document["proxies"].get("mcp", {}).values():
        server["command"] = ["false"]
    return copy.write(**document).run(*PARALLEL, TMPDIR=str(place / "tmp"), **ELSEWHERE)


@pytest.fixture(scope="class")
def disturbed(recorded: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Replay cases of which something is not as it was recorded, each in its own way."""
    copy = recorded.gate.copy(tmp_path_factory.mktemp("disturbed") / "copy")
    for case in copy.path.glob("cases/*.yaml"):
        case.unlink()
    limit = {"on": {"kind": "model", "nth": 3}, "do": {"status": 429}}
    turns, decide = "cassettes/three_turns.jsonl", "cassettes/decide.jsonl"
    copy.file("cassettes/older.jsonl", _of_another_version(copy.cassettes()["decide"]))
    copy.file("repo/notes.txt", "go ahead now\n")
    copy.case("word", f"{CHANGED}three_turns", cassette=turns)
    copy.case("notes", f"{PROMPT}decide", cassette=decide)
    copy.case("older", f"{CHANGED}decide")
    copy.case("limited", f"{PROMPT}three_turns", cassette=turns, inject=[limit])
    return copy.run(*PARALLEL, CI="true")


def _of_another_version(cassette: str) -> str:
    head, _, rest = cassette.partition("\n")
    header = json.loads(head)
    header["agent"]["version"] = "0.0.1"
    return f"{json.dumps(header)}\n{rest}"


def _key(request: Request) -> str:
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    return request.headers.get("x-api-key", bearer)


class Unmodified:
    """What holds for every agent."""

    suite: ClassVar[Json]
    version: ClassVar[str]
    key_env: ClassVar[str] = "ANTHROPIC_API_KEY"

    @classmethod
    def furnish(cls, gate: Gate) -> None:
        """Write the suite: a template, and cases that name the scripts of the model."""
        gate.write(
            suite_name=f"gate-{uuid.uuid4().hex[:8]}",
            mode="replay",
            cases_path="cases",
            workspace={"from": "repo"},
            budgets={"max_wall_ms": 120_000, "max_tokens_out": 1000},
            **cls.suite,
        )
        gate.file("repo/notes.txt", "go ahead\n")
        for script in ("three_turns", "decide"):
            gate.case(script, PROMPT + script)

    def test_recording_needs_the_key_of_the_caller(self, recorded: Recorded) -> None:
        """Every case passes, and every request has the key."""
        assert recorded.done.code == 0, (recorded.done.out, recorded.done.err)
        assert {_key(request) for request in recorded.requests} == {KEY}

    def test_a_replay_misses_nothing_and_leaves_nothing(
        self, recorded: Recorded, replayed: Done
    ) -> None:
        """Without model, server and key, in another place, every answer is found and used."""
        assert replayed.code == 0, (replayed.out, replayed.err)
        use = {case["id"]: case["cassette"] for case in replayed.summary["cases"]}
        assert set(use) == set(recorded.gate.cassettes())
        for id, cassette in use.items():
            assert (cassette["used"], cassette["unused"]) == (cassette["entries"], 0), id

    def test_a_replay_is_the_same_session(self, recorded: Recorded, replayed: Done) -> None:
        """Calls, results, answers and usage are those of the recording."""
        assert results(replayed) == results(recorded.done)

    def test_tools_are_real_in_a_replay(self, replayed: Done) -> None:
        """The agent writes, reads and prints a file in three turns of its own tools."""
        line = results(replayed)["three_turns"]
        calls = [step for step in line["trajectory"] if step["type"] == "tool_call"]

        assert [call["name"].lower() for call in calls] == ["write", "read", "bash"]
        assert CONTENT.strip() in str(calls[2]["output"])
        assert line["output"] == "I wrote it, read it and printed it."

    def test_a_changed_word_is_a_miss(self, disturbed: Done) -> None:
        """A prompt of which one word is another fails its case, and the message names the word."""
        message = disturbed.message("word")

        assert disturbed.code == 1
        assert disturbed.failure_types("word") == ["cassette_miss"]
        assert 'recorded "Do as the script says.' in message
        assert 'called "Do as the script orders.' in message
        assert "--mode record --case word" in message

    def test_a_changed_file_is_another_environment(self, disturbed: Done) -> None:
        """A tool that saw something else is told as that, with what it saw."""
        message = disturbed.message("notes")

        assert disturbed.failure_types("notes") == ["cassette_miss"]
        assert "environment differs" in message.splitlines()[0]
        assert "go ahead now" in message

    def test_another_version_is_told_first(self, disturbed: Done) -> None:
        """A cassette of another version of the agent says so instead of many differences."""
        first = disturbed.message("older").splitlines()[0]

        assert disturbed.failure_types("older") == ["cassette_miss"]
        assert "0.0.1" in first
        assert self.version in first

    def test_an_agent_survives_a_rate_limit(self, disturbed: Done) -> None:
        """An agent that is refused once asks again, and finds the answer that was kept for it."""
        done = [event for event in disturbed.events if event.get("message") == "fault injected"]

        assert [event["data"]["do"] for event in done] == [{"status": 429}]
        assert disturbed.case("limited")["status"] == "passed", disturbed.out
        assert disturbed.case("limited")["cassette"]["unused"] == 0

    @pytest.mark.usefixtures("replayed", "disturbed")
    def test_nothing_survives(self, recorded: Recorded) -> None:
        """No process lives on after record, replay and misses, and no workspace stays."""
        name = recorded.gate.document["suite_name"]

        assert recorded.gate.left() == []
        assert [*Path(tempfile.gettempdir()).glob(f"runledger-{name}*")] == []

    def test_a_cassette_holds_neither_key_nor_machine(self, recorded: Recorded) -> None:
        """Of this machine it names the workspace and its HOME alone, which replay can find."""
        telling = (KEY, "127.0.0.1", str(recorded.gate.path.parent), str(Path.home()))
        for id, cassette in recorded.gate.cassettes().items():
            assert not [text for text in telling if text in cassette], id


class WithServer(Unmodified):
    """What holds for agents that are offered MCP servers."""

    @classmethod
    def furnish(cls, gate: Gate) -> None:
        """Add a case that uses a server, and one of several prompts."""
        super().furnish(gate)
        gate.case("mcp", f"{PROMPT}mcp")
        gate.case("talk", [f"{PROMPT}hello", f"{PROMPT}count"])

    def test_a_server_is_replayed(self, replayed: Done) -> None:
        """A tool of an MCP server answers, although the server cannot even be started."""
        line = results(replayed)["mcp"]
        (call,) = (step for step in line["trajectory"] if step["type"] == "tool_call")

        assert (call["name"], call["status"]) == ("mcp__echo__echo_text", "completed")
        assert "echo: hello" in str(call["output"])
        assert line["output"] == "The server answered."

    def test_several_prompts_are_one_session(self, replayed: Done) -> None:
        """The second prompt reaches an agent that remembers the first."""
        assert results(replayed)["talk"]["output"] == "You have asked 2 times."

    def test_usage_is_that_of_the_recording(self, replayed: Done) -> None:
        """Tokens and cost are known in replay, so that budgets on them hold."""
        usage = results(replayed)["three_turns"]["usage"]

        assert (usage["tokensIn"], usage["tokensOut"]) == (4 * TOKENS_IN, 4 * TOKENS_OUT)
        assert usage["costUsd"] > 0


class TestOpencode(Unmodified):
    """`opencode run`, which knows its model from its configuration alone."""

    suite = suites.OPENCODE
    version = "1.18.33"
    key_env = "MODEL_KEY"


class TestClaude(WithServer):
    """`claude -p`."""

    suite = suites.CLAUDE
    version = "2.1.197"

    @classmethod
    def furnish(cls, gate: Gate) -> None:
        """Add a long session, and one in which a stream breaks off."""
        super().furnish(gate)
        gate.case("twenty_turns", f"{PROMPT}twenty_turns")
        cut = {"on": {"kind": "model", "nth": 2}, "do": {"cut_after_frames": 2}}
        gate.case("cut", f"{PROMPT}write_file", inject=[cut])

    def test_a_long_session_is_small(self, recorded: Recorded) -> None:
        """Twenty turns, with requests of more than 110 KB, are less than 300 KB on disk."""
        sizes = [
            len(json.dumps(request.body))
            for request in recorded.requests
            if request.talk.script == "twenty_turns"
        ]
        cassette = recorded.gate.cassettes()["twenty_turns"]

        assert len(sizes) == 21
        assert min(sizes) > 110_000
        assert len(cassette.encode()) < 300_000

    def test_a_broken_stream_is_replayed(self, recorded: Recorded, replayed: Done) -> None:
        """What is cut off on purpose is asked for again, without a stream, in replay as well."""
        streams = [
            bool(request.body.get("stream"))
            for request in recorded.requests
            if request.talk.script == "write_file"
        ]

        assert streams == [True, True, False]
        assert results(replayed)["cut"]["output"] == "I wrote made.txt."


class TestClaudeAcp(WithServer):
    """claude behind its ACP adapter."""

    suite = suites.CLAUDE_ACP
    version = "2.1.185"
