"""Agents that know nothing of RunLedger are recorded once, and then replayed without a model."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from clock_kit import MCP_AGENT, MCP_SERVER
from kit import Done, runledger, survivors

EXAMPLE = Path(__file__).parents[2] / "examples" / "unmodified" / "plain"
KEY = "sk-ant-api03-Zm9vYmFyYmF6cXV4cXV1eGNvcmdlZ3JhdWx0Z2FycGx5"

LENIENT_AGENT = """
import json, subprocess, sys
server = json.load(open(sys.argv[1]))["mcpServers"]["clock"]
child = subprocess.Popen([server["command"], *server["args"]], stdin=-1, stdout=-1, text=True)
client = {"name": "a", "version": "1"}
asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": client}}
child.stdin.write(json.dumps(asked) + "\\n"); child.stdin.flush()
print("done with it" if child.stdout.readline() else "done without it")
"""

TWO_MODELS_AGENT = """
import json, os, sys, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "assistant"}]}).encode()
for name in sys.stdin.read().split():
    answer = json.load(urllib.request.urlopen(os.environ[name] + "/v1/messages", body))
    print(name, answer["content"][0]["input"]["path"])
"""


class Model:
    """A model on loopback that has the notes listed and read, and then answers."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.refuse: Callable[[int], int | None] = lambda number: None
        self.path = "a.txt"  # that it wants read
        model = self

        class Api(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.asked.append(body)
                model.keys.add(self.headers["x-api-key"])
                status = model.refuse(len(model.asked)) or 200
                content = json.dumps(model.answer(body)).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *words: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Say what comes next, by how much was said."""
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        content: list[dict[str, Any]] = [
            {"type": "tool_use", "id": "tu_1", "name": "list_files", "input": {}},
            {"type": "tool_use", "id": "tu_2", "name": "read_file", "input": {"path": self.path}},
            {"type": "text", "text": "It says hello."},
        ]
        usage = {"input_tokens": 100, "output_tokens": 20}
        return {"model": body["model"], "content": [content[turn]], "usage": usage}

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def model() -> Iterator[Model]:
    """Serve a model."""
    served = Model()
    yield served
    served.close()


class Plain:
    """A suite with the agent of the example, which asks a model of the test's."""

    def __init__(self, path: Path, model: Model | None = None) -> None:
        self.path = path
        self.suite = path / "suite"
        (self.suite / "repo").mkdir(parents=True)
        (self.suite / "cases").mkdir()
        shutil.copy(EXAMPLE / "agent.py", self.suite)
        (self.suite / "repo" / "a.txt").write_text("hello")
        upstream = model.url if model else "http://127.0.0.1:1"
        self.document: dict[str, Any] = {
            "suite_name": f"plain-{path.name}",
            "agent_command": ["{python}", "{suite}/agent.py"],
            "agent_protocol": "headless",
            "adapter": "text",
            "cases_path": "cases",
            "proxies": {"model": {"env": "ANTHROPIC_BASE_URL", "upstream": upstream}},
            "workspace": {"from": "repo"},
            "env": {"set": {"RL_TEST_MARK": f"mark-{path}"}},
        }
        self.case("hello")

    def case(self, id: str, input: str = "What does the file say?", **keys: Any) -> None:
        """Write a case."""
        whole = {"id": id, "input": input, "cassette": f"cassettes/{id}.jsonl", **keys}
        (self.suite / "cases" / f"{id}.yaml").write_text(json.dumps(whole))

    def run(self, *flags: str, place: str = "here", env: dict[str, str] | None = None) -> Done:
        """Run the suite from a directory of its own."""
        (self.suite / "suite.yaml").write_text(yaml.safe_dump(self.document))
        cwd = self.path / place
        shutil.rmtree(cwd, ignore_errors=True)
        cwd.mkdir()
        done = runledger(
            "run", self.suite, *flags, cwd=cwd, env={"ANTHROPIC_API_KEY": "", **(env or {})}
        )
        assert not list(survivors(f"mark-{self.path}"))
        return done

    def record(self, *flags: str, **env: str) -> Done:
        """Record the suite, with a key."""
        done = self.run("--mode", "record", *flags, env={"ANTHROPIC_API_KEY": KEY, **env})
        assert done.code == 0, done.out
        return done

    def cassette(self, id: str = "hello") -> list[dict[str, Any]]:
        """Read a cassette."""
        file = self.suite / "cassettes" / f"{id}.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def plain(tmp_path: Path, model: Model) -> Plain:
    """Give a suite that was recorded, whose model is gone."""
    suite = Plain(tmp_path, model)
    suite.record()
    model.close()
    model.__init__()  # type: ignore[misc]  # elsewhere: nobody asks it
    return suite


def test_a_recorded_agent_replays_without_a_model_or_a_key(plain: Plain, model: Model) -> None:
    """The agent is real, its model's answers are recorded, and so are its tokens."""
    done = plain.run(place="elsewhere", env={"CI": "true"})

    assert done.code == 0, done.out
    case = done.case("hello")
    assert (case["status"], case["tokens_out"], case["cassette"]["unused"]) == ("passed", 60, 0)
    assert case["cost_usd"] == pytest.approx((300 * 1 + 60 * 5) / 1e6)
    assert model.asked == []


def test_the_key_reaches_the_model_and_no_file(tmp_path: Path, model: Model) -> None:
    """It is passed on when a case is recorded; in no file of cassette or record does it stand."""
    suite = Plain(tmp_path, model)
    suite.record()

    assert model.keys == {KEY}
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_a_changed_word_is_a_miss_that_names_it(plain: Plain) -> None:
    """The recorded answer does not answer another question; nothing but the miss is to blame."""
    plain.case("hello", input="What does the directory say?")
    done = plain.run()

    assert done.code == 1
    assert done.failure_types("hello")[0] == "cassette_miss"
    assert "agent_exited_early" not in done.failure_types("hello")
    assert done.case("hello")["status"] == "failed"
    assert '"What does the file say?"' in done.message("hello")
    assert '"What does the directory say?"' in done.message("hello")
    assert "--mode record --case hello" in done.message("hello")


def test_a_changed_file_is_told_as_such(plain: Plain) -> None:
    """What a tool saw is another world, and not another agent."""
    (plain.suite / "repo" / "a.txt").write_text("goodbye")
    done = plain.run()

    assert done.failure_types("hello")[0] == "cassette_miss"
    assert "environment differs" in done.message("hello")
    assert "goodbye" in done.message("hello")


def test_a_new_version_of_the_agent_says_so(plain: Plain) -> None:
    """Of everything that differs then, the version comes first."""
    agent = plain.suite / "agent.py"
    agent.write_text(
        agent.read_text().replace("plain-agent/1.0", "plain-agent/2.0").replace("500", "501")
    )
    done = plain.run()

    assert "recorded with plain-agent 1.0" in done.message("hello")
    assert "plain-agent 2.0" in done.message("hello")


def test_cases_at_once_do_not_mix(tmp_path: Path, model: Model) -> None:
    """Each has a server and a place of its own, at the recording and in replay."""
    suite = Plain(tmp_path, model)
    for number in range(6):
        suite.case(f"c{number}", input=f"What does file {number} say?")
    suite.record("-j", "3")
    done = suite.run("-j", "3")

    assert done.code == 0, done.out
    assert {case["cassette"]["used"] for case in done.summary["cases"]} == {3}
    assert len(model.asked) == 21


def test_trials_of_one_case_take_turns(plain: Plain) -> None:
    """They work at one path, each with a fresh cassette."""
    done = plain.run("-k", "3", "-j", "3")

    assert done.code == 0, done.out
    assert done.case("hello")["trials"]["passed"] == 3


def test_a_budget_of_tokens_holds_in_replay(plain: Plain) -> None:
    """What was recorded says how much it was, though this agent tells nothing."""
    plain.document["budgets"] = {"max_tokens_out": 50}
    done = plain.run()

    assert done.failure_types("hello") == ["budget_exceeded"]


def test_a_silent_agent_is_stopped_at_its_budget(tmp_path: Path, model: Model) -> None:
    """It says nothing before it is done; its model's answers tell what it has spent so far."""
    suite = Plain(tmp_path, model)
    agent = suite.suite / "agent.py"
    agent.write_text(agent.read_text().replace("messages += [", "messages += []; [  # forever"))
    suite.document["budgets"] = {"max_tokens_out": 50}
    done = suite.run("--mode", "live", env={"ANTHROPIC_API_KEY": KEY})

    assert done.failure_types("hello") == ["budget_exceeded"]
    assert len(model.asked) < 10


def test_a_key_that_the_suite_sets_is_the_one(tmp_path: Path, model: Model) -> None:
    """Nobody's environment comes over what a suite says."""
    suite = Plain(tmp_path, model)
    suite.document["env"]["set"]["ANTHROPIC_API_KEY"] = "of the suite"
    suite.record()

    assert model.keys == {"of the suite"}


def test_what_cannot_be_compared_is_found_before_any_agent_starts(plain: Plain) -> None:
    """A request to a model is compared whole."""
    plain.document["cassettes"] = {"match": {"model": {"match": "subset"}}}
    done = plain.run()

    assert done.code == 2
    assert "cassettes.match.model.match: must be exact" in done.err


def test_a_refusal_that_the_agent_overcame_is_not_recorded(tmp_path: Path, model: Model) -> None:
    """An agent that asks again after a 529 is replayed without it."""
    suite = Plain(tmp_path, model)
    agent = suite.suite / "agent.py"
    retrying = "        answer = ask_model(messages)\n"
    patient = (
        "        try:\n            answer = ask_model(messages)\n"
        "        except urllib.error.HTTPError:\n            answer = ask_model(messages)\n"
    )
    agent.write_text(
        agent.read_text()
        .replace(retrying, patient)
        .replace("import sys", "import sys\nimport urllib.error")
    )
    model.refuse = lambda number: 529 if number == 2 else None
    suite.record()

    assert [line["resp"]["status"] for line in suite.cassette()[1:]] == [200] * 3
    suite.document["inject"] = [{"on": {"kind": "model", "nth": 2}, "do": {"status": 429}}]
    done = suite.run()
    assert done.code == 0, done.out
    assert any(event.get("message") == "fault injected" for event in done.events)
    suite.document["inject"][0]["on"]["nth"] = 9
    assert any("never injected" in event.get("message", "") for event in suite.run().events)


def test_an_agent_that_cannot_bear_a_rate_limit_fails(plain: Plain) -> None:
    """A fault on purpose is a case like any other."""
    plain.document["inject"] = [{"on": {"kind": "model", "nth": 2}, "do": {"status": 429}}]
    done = plain.run()

    assert done.code == 1
    assert "429" in json.dumps(done.case("hello"))


def test_live_asks_the_model_and_keeps_nothing(tmp_path: Path, model: Model) -> None:
    """The proxy passes on, and reads the tokens all the same."""
    suite = Plain(tmp_path, model)
    done = suite.run("--mode", "live", env={"ANTHROPIC_API_KEY": KEY})

    assert done.code == 0, done.out
    assert (len(model.asked), done.case("hello")["tokens_out"]) == (3, 60)
    assert not (suite.suite / "cassettes").exists()


def test_a_model_that_cannot_be_reached_makes_the_recording_invalid(tmp_path: Path) -> None:
    """That is nobody's regression: exit 3, with the address, and no cassette."""
    suite = Plain(tmp_path)
    done = suite.run("--mode", "record", env={"ANTHROPIC_API_KEY": KEY})

    assert done.code == 3
    assert "127.0.0.1:1" in done.message("hello")
    assert not (suite.suite / "cassettes").exists()


def test_a_case_moves_to_another_place(tmp_path: Path, model: Model) -> None:
    """Requests and answers that name the workspace fit another temporary directory."""
    then, now = tmp_path / "then", tmp_path / "now"
    then.mkdir()
    now.mkdir()
    suite = Plain(tmp_path, model)
    model.path = str(then / f"runledger-{suite.document['suite_name']}-hello" / "work" / "a.txt")
    suite.record(TMPDIR=str(then))
    done = suite.run(env={"TMPDIR": str(now)})

    assert done.code == 0, done.out
    assert suite.cassette()[0]["places"] == {"workspace": str(Path(model.path).parent)}


def test_two_models_keep_their_answers_apart(tmp_path: Path, model: Model) -> None:
    """They are asked the same; in replay in another order."""
    suite, other = Plain(tmp_path, model), Model()
    other.path = "b.txt"
    (suite.suite / "agent.py").write_text(TWO_MODELS_AGENT)
    said = [{"type": "contains", "text": text} for text in ("ONE_URL a.txt", "TWO_URL b.txt")]
    models = [("ONE_URL", model), ("TWO_URL", other)]
    suite.document["proxies"] = {
        "model": [{"env": name, "upstream": one.url} for name, one in models]
    }
    suite.case("hello", input="ONE_URL TWO_URL", assertions=said)
    suite.record()
    other.close()
    suite.case("hello", input="TWO_URL ONE_URL", assertions=said)
    done = suite.run()

    assert done.code == 0, done.out
    entries = [line["req"]["via"] for line in suite.cassette() if line["kind"] == "model"]
    assert entries == ["ONE_URL", "TWO_URL"]


def test_an_mcp_server_is_recorded_and_then_not_started(tmp_path: Path) -> None:
    """The agent is told of a relay; what the server said is replayed to it."""
    suite = Plain(tmp_path)
    (suite.suite / "agent.py").write_text(MCP_AGENT)
    (suite.suite / "server.py").write_text(MCP_SERVER)
    suite.case("hello", input="UTC", assertions=[{"type": "contains", "text": "noon in UTC"}])
    suite.document |= {
        "agent_command": ["{python}", "{suite}/agent.py", "{mcp_config}"],
        "proxies": {
            "mcp": {"clock": {"command": ["{python}", "{suite}/server.py", str(tmp_path)]}}
        },
    }
    suite.record()
    (tmp_path / "started").unlink()
    done = suite.run()

    assert done.code == 0, done.out
    assert not (tmp_path / "started").exists()
    assert [line["kind"] for line in suite.cassette()] == ["header", "mcp", "mcp"]
    suite.case("hello", input="CET")
    missed = suite.run()
    assert missed.failure_types("hello")[0] == "cassette_miss"
    assert "CET" in missed.message("hello")


def test_a_server_that_fails_leaves_the_old_cassette(tmp_path: Path) -> None:
    """An agent that goes on without it passes, and has nothing worth keeping."""
    suite = Plain(tmp_path)
    (suite.suite / "agent.py").write_text(LENIENT_AGENT)
    (suite.suite / "server.py").write_text(MCP_SERVER)
    suite.document |= {
        "agent_command": ["{python}", "{suite}/agent.py", "{mcp_config}"],
        "proxies": {
            "mcp": {"clock": {"command": ["{python}", "{suite}/server.py", str(tmp_path)]}}
        },
    }
    suite.record()
    good = suite.cassette()
    (suite.suite / "server.py").write_text(
        "import sys, time\nsys.stdin.readline()\nprint('x' * 9_000_000, flush=True)\n"
        "time.sleep(1000)\n"
    )
    done = suite.run("--mode", "record")

    assert done.failure_types("hello") == ["message_too_large"]
    assert [line["kind"] for line in good] == ["header", "mcp"]
    assert suite.cassette() == good
