"""The events of a trial as the steps of a timeline, each call beside its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...ledger.event import (
    Event,
    Failed,
    FinalOutput,
    Graded,
    Happening,
    Log,
    Message,
    Plan,
    TaskError,
    TaskStart,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
)
from ...ledger.grade import Grade
from ...ledger.trajectory import is_error
from ...ledger.value import Json
from .cut import cut_json, cut_text
from .failures import failure_fields, step_concerned

FIRST_STEPS, LAST_STEPS = 300, 100
MOST_FAILURES = 100


@dataclass(slots=True)
class Timeline:
    """What the page shows of a trial's events, growing as they are gone through."""

    steps: list[dict[str, Json]] = field(default_factory=list)
    failures: list[Json] = field(default_factory=list)
    grades: list[Json] = field(default_factory=list)
    concerned: dict[int, list[Json]] = field(default_factory=dict)  # step: its failures
    calls: dict[str, dict[str, Json]] = field(default_factory=dict)


def timeline_of(events: Sequence[Event], most: int) -> dict[str, Json]:
    """Write the steps, failures and grades of a trial, values cut to a number of characters."""
    line = Timeline()
    for event in events:
        _add(line, event, most)
    for index, failures in line.concerned.items():
        line.steps[index]["failures"] = failures
    return {"steps": _kept(line), "failures": line.failures, "grades": line.grades}


def _add(line: Timeline, event: Event, most: int) -> None:
    match event.what:
        case ToolResult():
            _close_call(line, event.what, event.ms, most)
        case Failed(failure):
            _add_failure(line, failure_fields(failure, most), step_concerned(failure, line.steps))
        case Graded(grade):
            line.grades.append(_grade(grade, most))
        case ToolCall(call_id=call_id) if call_id in line.calls:
            line.calls[call_id] |= _step(event.what, most)
        case what:
            step = {"ms": event.ms, **_step(what, most)}
            line.steps.append(step)
            if isinstance(what, ToolCall):
                line.calls[what.call_id] = step


def _add_failure(line: Timeline, fields: Json, step: int | None) -> None:
    if len(line.failures) == MOST_FAILURES:
        return
    if step is not None:
        line.concerned.setdefault(step, []).append(len(line.failures))
    line.failures.append(fields)


def _close_call(line: Timeline, result: ToolResult, ms: int, most: int) -> None:
    step = line.calls.get(result.call_id)
    if step is None:
        return
    asked = step["ms"]
    assert isinstance(asked, int)
    took = ms - asked if result.took_ms is None else result.took_ms
    step |= {"took": step.get("took", took), "ok": not is_error(result)}
    step["result"] = cut_json(result.result if result.ok else result.error, most)


def _step(what: Happening, most: int) -> dict[str, Json]:
    match what:
        case TaskStart(input):
            return {"kind": "input", "value": cut_json(input, most)}
        case ToolCall(name, call_id, args, extra, _):
            step: dict[str, Json] = {"kind": "call", "name": name[:most], "id": call_id[:most]}
            return step | {"args": cut_json(args, most)} | _extra(extra, most)
        case Message(content, _) | Thought(content, _):
            return {"kind": what.type, "text": cut_text(content, most)}
        case Plan(entries):
            return {"kind": "plan", "entries": [_plan_entry(one, most) for one in entries[:100]]}
        case Log(level, message, value, extra):
            step = {"kind": "log", "level": level[:100], "text": cut_text(message, most)}
            return step | _value(value, most) | _extra(extra, most)
        case UsageReport():
            return _usage_step(what, most)
        case FinalOutput(output, extra):
            return {"kind": "output", "value": cut_json(output, most)} | _extra(extra, most)
        case TaskError(message, value, extra):
            step = {"kind": "gave_up", "text": cut_text(message, most)}
            return step | _value(value, most) | _extra(extra, most)
    raise AssertionError(what)


def _usage_step(report: UsageReport, most: int) -> dict[str, Json]:
    usage = report.usage
    step: dict[str, Json] = {"kind": "usage", "in": usage.tokens_in, "out": usage.tokens_out}
    step |= {"cost": usage.cost_usd, "model": usage.model and usage.model[:200]}
    if not report.was_seen:
        return step | _extra(report.extra, most)
    return step | {"seen": True}


def _value(value: Json, most: int) -> dict[str, Json]:
    return {} if value is None else {"value": cut_json(value, most)}


def _extra(extra: Mapping[str, Json], most: int) -> dict[str, Json]:
    return {"extra": cut_json(extra, most)} if extra else {}


def _plan_entry(entry: Json, most: int) -> Json:
    """Write an entry of a plan: its text and status when it has them, else as it is."""
    if isinstance(entry, Mapping) and isinstance(text := entry.get("content"), str):
        return {"text": cut_text(text, most), "status": str(entry.get("status", ""))[:100]}
    return {"text": cut_json(entry, most), "status": ""}


def _grade(grade: Grade, most: int) -> Json:
    fields: dict[str, Json] = {"grader": grade.grader, "pass": grade.passed, "score": grade.score}
    if grade.reasoning:
        fields["reasoning"] = cut_text(grade.reasoning, most)
    return fields if grade.outcome is None else fields | {"outcome": cut_json(grade.outcome, most)}


def _kept(line: Timeline) -> list[Json]:
    """Leave the middle of a very long trace out, but for the steps that failures concern."""
    kept: list[Json] = []
    left_out = 0
    for index, step in enumerate(line.steps):
        if FIRST_STEPS <= index < len(line.steps) - LAST_STEPS and index not in line.concerned:
            left_out += 1
            continue
        if left_out:
            kept.append({"kind": "gap", "steps": left_out})
            left_out = 0
        kept.append(step)
    return kept
