"""Whatever an adapter says, and whatever an agent prints, steps come of it or a named error."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from fuzz.effort import BRIEFLY
from fuzz.mutations import changed, edited, written
from fuzz.scratch import every, put, scratch
from runledger.agents import Said
from runledger.agents.headless.steps import Known
from runledger.agents.headless.turn import Turn
from runledger.errors import SuiteError
from runledger.ledger.adapter import Adapter
from runledger.ledger.event import Message, Raw, Thought, fields_of
from runledger.ledger.value import Json
from runledger.store.lines import decode, encode_line
from runledger.suite.adapter import BUILT_IN, load_adapter, read_adapter

RULES: Json = {
    "schema_version": 1,
    "name": "all",
    "program": "agent",
    "args": ["-p"],
    "prompt": {"via": "flag", "flag": "-x"},
    "env": {"pass": ["A"], "set": {"B": "c"}},
    "options": {"model": ["--model", "{value}"], "resume": ["--resume", "{session}"]},
    "events": [
        {"when": {"type": ["say", "tell"]}, "step": "message", "fields": {"text": ["a", "b.0"]}},
        {"when": {"d": True}, "step": "thought", "fields": {"text": "{a} and {b}", "delta": "d"}},
        {"when": {}, "step": "tool_call", "fields": {"id": "all.*.id", "name": "all.*.name"}},
        {
            "when": {"all.*.kind": "result"},
            "step": "tool_result",
            "fields": {"id": "all.*.id", "output": {"x": "all.*.out"}, "began": "t", "ended": "u"},
        },
        {"when": {"p": None}, "step": "plan", "fields": {"entries": "all"}},
        {"when": {}, "step": "usage", "fields": {"tokens_in": ["n", "m"], "cost_usd": "c"}},
        {"when": {}, "step": "session", "fields": {"id": "s", "tools": "all", "model": "m"}},
    ],
    "result": {
        "text": {"when": {"type": "end"}, "path": "text"},
        "error": [{"when": {"type": "end"}, "message": ["why", "all"], "pattern": "(?i)fail"}],
        "usage": {"when": {}, "fields": {"tokens_out": "n", "model": "m"}, "covers": "session"},
    },
}
SAID: list[Json] = [
    {"type": "say", "a": "hi", "b": ["x"], "n": 1, "m": 2.5, "c": 0.1, "s": "s1", "d": True},
    {"type": "tell", "all": [{"id": "1", "name": "bash", "kind": "result", "out": "exit code 3"}]},
    {"type": "end", "text": "done", "why": "it failed", "all": [], "t": 1, "u": 10, "p": None},
]
FILES = every("src/runledger/suite/adapters/*.json")
WRITTEN: list[Json] = [RULES, *map(json.loads, FILES)]
ADAPTERS = [read_adapter(written(RULES), "all.json"), *map(load_adapter, BUILT_IN)]
TRANSCRIPTS = every("tests/agents/transcripts/*/*.jsonl")
LINES = [*SAID, *(json.loads(line) for text in TRANSCRIPTS for line in text.splitlines())]
OUTPUTS = st.lists(changed(LINES).map(written), max_size=6).map(b"\n".join) | edited(TRANSCRIPTS)


def adapter_of(content: bytes) -> Adapter | None:
    """Read an adapter; one that is refused must be refused with its place."""
    try:
        return read_adapter(content, str(put(scratch("adapters") / "a.json", content)))
    except SuiteError as error:
        for finding in error.findings:
            assert finding.file.endswith("a.json")
            assert 0 < len(finding.message) < 5000
            assert finding.line is None or 1 <= finding.line <= content.count(b"\n") + 1
        str(error).encode("utf-8", "backslashreplace")
        return None


def said_by(adapter: Adapter, outputs: Sequence[bytes]) -> list[Said]:
    """Read what an agent printed, turn by turn, as its driver does."""
    known, said = Known(), []
    for output in outputs:
        known.begin_turn()
        turn = Turn(adapter, known)
        for line in output.split(b"\n"):
            said += turn.read(line)
        said += turn.finish()
        encode_line({"answer": turn.answer(), "error": turn.result.error, "stray": turn.stray})
    return said


def check_said(said: Sequence[Said]) -> None:
    """See that what an agent said can be written down as it is."""
    for one in said:
        line = encode_line(fields_of(one))
        assert encode_line(decode(line)) == line
        assert not isinstance(one, (Message, Thought)) or one.content
        assert not isinstance(one, Raw) or one.direction == "from_agent"


@BRIEFLY
@given(changed(WRITTEN).map(written) | edited(FILES), OUTPUTS)
def test_an_adapter_is_refused_or_reads_what_an_agent_prints(content: bytes, output: bytes) -> None:
    """Rules that pass the check hold for any line."""
    adapter = adapter_of(content)
    if adapter is not None:
        check_said(said_by(adapter, [output]))


@BRIEFLY
@given(st.sampled_from(ADAPTERS), st.lists(OUTPUTS, max_size=2))
def test_any_output_of_an_agent_can_be_written_down(
    adapter: Adapter, outputs: Sequence[bytes]
) -> None:
    """What an agent prints breaks no reader of it, over several turns, too."""
    check_said(said_by(adapter, outputs))
