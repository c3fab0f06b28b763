"""Recording what tools answer, and replaying it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from runledger.errors import AgentError, CassetteMiss
from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.grade import Failure
from runledger.ledger.value import Json
from runledger.process.deadline import Deadline
from runledger.store.cassette.load import load_cassette
from runledger.store.cassette.masking import Masking
from runledger.store.cassette.recording import Recorder
from runledger.store.redact.placeholder import comparable, holds_placeholder
from runledger.store.redact.redactor import Redactor
from runledger.store.replay.player import Player
from runledger.tools import ToolSource
from runledger.tools.conformance import check_tool_source
from runledger.tools.record import Record
from runledger.tools.replay import Replay
from tools.bench import Bench, ask

SECRET = re.compile(r"sk-\w+")
PLACEHOLDER = "[REDACTED:"

NOTES = """
import sys
notes = {}

def create(args):
    notes[str(len(notes) + 1)] = args["text"]
    return {"id": str(len(notes))}

def read(args):
    return notes[args["id"]]

def login(args):
    return {"token": "sk-abc123" if args["key"] == "sk-key1" else "sk-other"}

TOOLS = {"create": create, "read": read, "login": login, "count": lambda args: len(notes)}
"""


def mask(value: Json) -> Json:
    """Stand in for redaction: put a placeholder in place of each text that looks like a key."""
    if isinstance(value, str):
        return SECRET.sub(lambda key: f"{PLACEHOLDER}key:{_short(key[0])}]", value)
    if isinstance(value, dict):
        return {name: mask(item) for name, item in value.items()}
    return [mask(item) for item in value] if isinstance(value, list) else value


def _short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


MASKING = Masking(
    "salt", lambda said: [mask(one) for one in said], lambda value: PLACEHOLDER in str(value)
)


@pytest.fixture
def cassette(tmp_path: Path) -> Path:
    """Say where the cassette is to be."""
    return tmp_path / "cassettes" / "t1.jsonl"


def recording(source: ToolSource, cassette: Path) -> Record:
    """Wrap a source so that it is recorded."""
    return Record(source, Recorder(cassette, "cassettes/t1.jsonl", MASKING))


def play(source: ToolSource, calls: Sequence[tuple[str, dict[str, Json]]]) -> list[ToolResult]:
    """Make these calls, and end the trial well."""
    answers = [ask(source, tool, **args) for tool, args in calls]
    assert list(source.finish()) == []
    source.close()
    return answers


def replayed(cassette: Path) -> Replay:
    """Open what was recorded."""
    return Replay(Player(load_cassette(cassette), mask=mask))


def test_record_is_a_tool_source(bench: Bench, cassette: Path) -> None:
    """Record keeps every promise of the shelf."""
    bench.write("tools.py", NOTES)
    calls = [ToolCall("create", "c1", {"text": "x"}), ToolCall("read", "c2", {"id": "1"})]

    check_tool_source(lambda: recording(bench.live_file("tools.py"), cassette), calls)


def test_a_tool_with_state_replays_as_it_was(bench: Bench, cassette: Path) -> None:
    """Equal calls had different answers, and have them again."""
    calls: list[tuple[str, dict[str, Json]]] = [
        ("count", {}),
        ("create", {"text": "a"}),
        ("count", {}),
        ("create", {"text": "a"}),
        ("read", {"id": "2"}),
        ("count", {}),
    ]

    recorded = play(recording(bench.live(NOTES), cassette), calls)

    assert [answer.result for answer in recorded] == [0, {"id": "1"}, 1, {"id": "2"}, "a", 2]
    assert play(replayed(cassette), calls) == recorded


def test_calls_open_at_once_replay_in_any_order(bench: Bench, cassette: Path) -> None:
    """An agent may ask for pages in another order than when it was recorded."""
    pages: list[tuple[str, dict[str, Json]]] = [("page", {"n": n}) for n in (1, 2, 3)]
    source = bench.live("TOOLS = {'page': lambda args: 'page %d' % args['n']}")

    recorded = play(recording(source, cassette), pages)

    assert play(replayed(cassette), pages[::-1]) == recorded[::-1]


def test_errors_replay_as_errors(bench: Bench, cassette: Path) -> None:
    """Whether a tool raised, ended its process or gave what is not JSON."""
    source = bench.live(
        """
        import os
        def odd(args):
            if args["how"] == "exit":
                os._exit(3)
            return {1} if args["how"] == "set" else 1 / 0
        TOOLS = {"odd": odd}
        """
    )
    calls: list[tuple[str, dict[str, Json]]] = [
        ("odd", {"how": how}) for how in ("raise", "set", "exit", "raise")
    ]

    recorded = play(recording(source, cassette), calls)

    assert not any(answer.ok for answer in recorded)
    assert play(replayed(cassette), calls) == recorded


def test_secrets_stay_out_of_the_cassette_and_calls_with_them_still_match(
    bench: Bench, cassette: Path
) -> None:
    """A secret that a tool gave comes back as a placeholder, in either form."""
    source = recording(bench.live(NOTES), cassette)
    (login,) = play(source, [("login", {"key": "sk-key1"})])

    assert login.result == {"token": "sk-abc123"}
    assert "sk-" not in cassette.read_text()
    (again,) = play(replayed(cassette), [("login", {"key": "sk-key1"})])
    assert again.result == mask(login.result)


def test_the_real_redaction_records_and_replays(bench: Bench, cassette: Path) -> None:
    """A known secret, bare in prose and under a telling name, is never written and matches."""
    redactor = Redactor(["correct-horse-7"], salt="5a17")
    masking = Masking("5a17", lambda said: [redactor.value(one) for one in said], holds_placeholder)
    calls: list[tuple[str, dict[str, Json]]] = [
        ("create", {"text": "it is correct-horse-7."}),
        ("create", {"text": "x", "password": "correct-horse-7"}),
    ]
    source = Record(bench.live(NOTES), Recorder(cassette, "c.jsonl", masking))

    recorded = play(source, calls)

    assert "horse" not in cassette.read_text()
    replayed = Player(load_cassette(cassette), mask=lambda args: comparable(redactor.value(args)))
    again = Replay(replayed)
    assert play(again, calls) == recorded


def test_another_secret_does_not_match(bench: Bench, cassette: Path) -> None:
    """And the miss shows neither of them."""
    play(recording(bench.live(NOTES), cassette), [("login", {"key": "sk-key1"})])

    with pytest.raises(CassetteMiss) as miss:
        ask(replayed(cassette), "login", key="sk-key2")

    assert "sk-" not in f"{miss.value} {miss.value.details}"
    assert "[REDACTED:key:" in str(miss.value)


def test_an_agent_that_passes_a_placeholder_on_replays(bench: Bench, cassette: Path) -> None:
    """In replay the agent got the placeholder, and calls with it."""
    with_token: list[tuple[str, dict[str, Json]]] = [("create", {"text": "by sk-abc123"})]
    recorded = play(recording(bench.live(NOTES), cassette), with_token)
    masked = mask("by sk-abc123")

    assert play(replayed(cassette), [("create", {"text": masked})]) == recorded


def test_a_recording_that_is_not_finished_leaves_the_old_cassette(
    bench: Bench, cassette: Path
) -> None:
    """Whatever the trial died of, not a byte is changed and nothing lies beside it."""
    cassette.parent.mkdir()
    cassette.write_text('{"tool":"old","args":{},"ok":true,"result":1}\n')
    before = cassette.read_bytes()
    source = recording(bench.live("import time\nTOOLS = {'wait': time.sleep}"), cassette)

    with pytest.raises(AgentError):
        source.answer(ToolCall("wait", "c1", {}), Deadline.after(0))
    source.close()

    assert cassette.read_bytes() == before
    assert list(cassette.parent.iterdir()) == [cassette]


class Complaining:
    """A source that has something to report at the end."""

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Answer."""
        return ToolResult(call.call_id, True)

    def finish(self) -> Sequence[Failure]:
        """Report."""
        return [Failure("tool_error", "something was wrong")]

    def use(self) -> None:
        """Have no cassette."""

    def close(self) -> None:
        """Hold nothing."""


def test_a_source_that_reports_a_failure_is_not_kept(cassette: Path) -> None:
    """Its failures are passed on, and no cassette is written."""
    source = recording(Complaining(), cassette)
    ask(source, "a")

    assert [failure.message for failure in source.finish()] == ["something was wrong"]
    assert source.use() is None
    assert not cassette.exists()


def test_the_cassette_is_told_once_it_is_in_place(bench: Bench, cassette: Path) -> None:
    """All its entries count as used."""
    source = recording(bench.live(NOTES), cassette)
    ask(source, "count")
    assert source.use() is None
    source.finish()

    use = source.use()

    assert use is not None
    assert (use.path, use.entries, use.used, use.unused) == ("cassettes/t1.jsonl", 1, 1, 0)
    assert use.sha256 == load_cassette(cassette).sha256
