"""The events of a run come back from its log trial by trial, as the nouns that they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit import ECHO, entry, runledger, write_suite
from runledger.ledger.event import (
    Event,
    Failed,
    FinalOutput,
    Graded,
    Happening,
    Log,
    Message,
    Plan,
    Raw,
    TaskError,
    TaskStart,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
    fields_of,
)
from runledger.ledger.grade import Failure, Grade
from runledger.ledger.usage import Usage
from runledger.store.lines import LineLog
from runledger.store.traces import Trace, TraceLog

KINDS: list[Happening] = [
    TaskStart({"q": 1.0}),
    ToolCall("search", "c1", {"q": [1, None]}, {"why": "it asks"}),
    ToolResult("c1", True, {"hits": []}),
    ToolResult("c2", False, None, "busy"),
    Message("hello"),
    Thought("hm"),
    Plan([{"content": "x", "status": "pending"}]),
    Log("info", "so it is", {"a": 1}, {"more": True}),
    UsageReport(Usage(1, None, 0.5, "m"), {"cached": 3}),
    FinalOutput({"big": 10**30}),
    TaskError("no", None),
    Failed(Failure("timeout", "slow", {"limit": 3})),
    Graded(Grade("g", False, 0.25, reasoning="because", outcome={"x": 1})),
]


def line(case_id: str, what: Happening, second: int = 0, **more: int) -> dict[str, Any]:
    """Write an event as the run's log has it."""
    place = {"case_id": case_id, "trial": 1, "attempt": 1, **more}
    moment = f"2026-02-15T10:15:{second:02}.000Z"
    return {"seq": 1, "ts": moment, **place, "type": what.type, **fields_of(what)}


def log(tmp_path: Path, *lines: dict[str, Any]) -> TraceLog:
    """Write a log and open it."""
    path = tmp_path / "run.jsonl"
    file = LineLog(path)
    for one in lines:
        file.append(one)
    file.close()
    return TraceLog(path)


@pytest.mark.parametrize("what", KINDS, ids=lambda what: what.type)
def test_every_kind_of_event_comes_back_as_it_was(tmp_path: Path, what: Happening) -> None:
    """What was written down and what is read are equal."""
    traces = log(tmp_path, line("a", what))

    assert [*traces.of("a")] == [Trace(1, 1, (Event(0, what),))]


def test_trials_that_ran_side_by_side_are_told_apart(tmp_path: Path) -> None:
    """Each trial has its own events, timed from its own first one."""
    traces = log(
        tmp_path,
        line("a", Message("1"), second=1),
        line("b", Message("2"), second=2),
        line("a", Message("3"), second=3, trial=2),
        line("b", Message("4"), second=5),
        line("a", Message("5"), second=6),
    )

    first, second = traces.of("a")

    assert first.events == (Event(0, Message("1")), Event(5000, Message("5")))
    assert (second.trial, second.events) == (2, (Event(0, Message("3")),))
    assert next(iter(traces.of("b"))).events[1] == Event(3000, Message("4"))


def test_time_counts_from_the_moment_the_task_was_sent(tmp_path: Path) -> None:
    """What an agent needs to get ready is not its answer's time."""
    traces = log(
        tmp_path,
        line("a", Raw("to_agent", {"method": "initialize"}), second=1),
        line("a", TaskStart("hi"), second=4),
        line("a", Message("hello", took_ms=1000), second=6),
    )

    (only,) = traces.of("a")

    assert only.events == (Event(0, TaskStart("hi")), Event(1000, Message("hello")))


def test_of_several_attempts_the_last_one_counts(tmp_path: Path) -> None:
    """What was interrupted and run again is read once."""
    traces = log(tmp_path, line("a", Message("first")), line("a", Message("second"), attempt=2))

    (only,) = traces.of("a")

    assert (only.attempt, only.events) == (2, (Event(0, Message("second")),))


def test_standard_error_comes_with_the_ending(tmp_path: Path) -> None:
    """The views of a passing case may show it too."""
    place = {"seq": 2, "ts": "2026-02-15T10:15:00.000Z", "case_id": "a", "trial": 1, "attempt": 1}
    ending = {**place, "type": "case_end", "exit": {"stderr": "bye\n"}}

    (only,) = log(tmp_path, line("a", Message("x")), ending).of("a")

    assert only.stderr == "bye\n"


def test_a_line_that_is_not_whole_is_not_read(tmp_path: Path) -> None:
    """A run that was killed while writing has a trace up to there."""
    log(tmp_path, line("a", Message("whole")))
    with (tmp_path / "run.jsonl").open("ab") as file:
        file.write(b'{"seq":2,"ts":"2026-02-15T10:15:00.000Z","case_id":"a","tri')

    (only,) = TraceLog(tmp_path / "run.jsonl").of("a")

    assert len(only.events) == 1


def test_ids_with_quotes_and_kinds_of_later_versions_do_no_harm(tmp_path: Path) -> None:
    """The short way to place a line is left where it does not fit."""
    strange = 'say "hi" \\ é'
    later = {**line(strange, Message("x")), "type": "raw", "direction": "in"}
    traces = log(tmp_path, {"type": "run_start"}, later, line(strange, Message("y")))

    (only,) = traces.of(strange)

    assert only.events == (Event(0, Message("y")),)


def test_a_case_without_a_line_has_no_trace(tmp_path: Path) -> None:
    """It was never begun."""
    assert [*log(tmp_path).of("a")] == []


def test_the_log_of_a_real_run_is_read(tmp_path: Path) -> None:
    """Agents, tools and graders write what this module reads."""
    never = {"type": "must_not_call", "tools": ["search"]}
    suite = write_suite(tmp_path / "suite", ECHO, assertions=[never])
    suite.case("c", [entry("search", result=7, q="c")])
    run = runledger("run", "suite", cwd=tmp_path).run

    (only,) = TraceLog(run / "run.jsonl").of("c")

    kinds = [event.what.type for event in only.events]
    assert kinds[:4] == ["task_start", "tool_call", "tool_result", "final_output"]
    assert kinds[-1] == "failure"
