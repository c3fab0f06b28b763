"""The CaptureResult of a trial, in the words and the camelCase of its published format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .event import (
    Event,
    FinalOutput,
    Log,
    Message,
    Plan,
    TaskError,
    Thought,
    ToolCall,
    UsageReport,
    failure_fields,
)
from .grade import Status
from .trajectory import (
    Call,
    Trajectory,
    calls_in,
    failures_in,
    grades_in,
    output_in,
    tally_of,
)
from .value import Absent, Json

STEPS = (ToolCall, Message, Thought, Plan)
FROM_AGENT = (*STEPS, Log, UsageReport, FinalOutput, TaskError)


def capture_result(trajectory: Trajectory, status: Status, agent: str) -> dict[str, Json]:
    """Make one line of results.jsonl."""
    trial, task = trajectory.trial, trajectory.trial.task
    output = output_in(trajectory.events)
    failures = failures_in(trajectory.events)
    steps = list(steps_of(trajectory))
    tool_errors = any(step.get("status") == "failed" for step in steps)
    line: dict[str, Json] = {"id": task.id, "input": task.input}
    line["output"] = "" if isinstance(output, Absent) else output
    if task.expected is not None:
        line["expected"] = task.expected
    line["trajectory"] = steps
    line["metadata"] = {"agent": agent, **task.metadata}
    line["timing"] = _timing(trajectory)
    line["toolErrors"] = tool_errors
    line["toolErrorsDerived"] = False
    if failures:
        line["errors"] = [failure.message for failure in failures]
    line |= _score(trajectory, status)
    line["usage"] = _usage(trajectory)
    line["exitInfo"] = {
        "exitCode": trajectory.exit.code,
        "signal": trajectory.exit.signal,
        "timedOut": trajectory.exit.timed_out,
        "stopReason": trajectory.exit.stop_reason,
    }
    line |= {"trial": trial.number, "attempt": trial.attempt}
    if trial.condition is not None:
        line["condition"] = trial.condition
    line |= {"status": status, "failures": [failure_fields(failure) for failure in failures]}
    return line


def steps_of(trajectory: Trajectory) -> Iterator[Mapping[str, Json]]:
    """Yield the steps of a trial, in order, as results.jsonl and graders see them."""
    calls = {id(call.call): call for call in calls_in(trajectory.events)}
    shown = (event for event in trajectory.events if isinstance(event.what, STEPS))
    for number, event in enumerate(shown, start=1):
        step = _step(event, calls)
        yield {**step, "timestamp": event.ms, "stepId": f"{trajectory.trial.task.id}-step-{number}"}


def _step(event: Event, calls: Mapping[int, Call]) -> Mapping[str, Json]:
    match event.what:
        case ToolCall():
            return _tool_step(calls[id(event.what)])
        case Message(content) | Thought(content):
            return {"type": event.what.type, "content": content}
        case Plan(entries):
            return {"type": "plan", "entries": entries}
    raise AssertionError(event)


def _tool_step(call: Call) -> Mapping[str, Json]:
    step: dict[str, Json] = {"type": "tool_call", "name": call.call.name}
    if call.result is None:
        return step | {"status": "pending", "input": call.call.args}
    step["status"] = "completed" if call.result.ok else "failed"
    step["input"] = call.call.args
    step["output"] = call.result.result if call.result.ok else call.result.error
    return step | {"duration": call.duration_ms}


def _timing(trajectory: Trajectory) -> Mapping[str, Json]:
    start = trajectory.started_ms
    timing: dict[str, Json] = {"start": start, "end": start + trajectory.wall_ms}
    first = next((one.ms for one in trajectory.events if isinstance(one.what, FROM_AGENT)), None)
    return timing if first is None else timing | {"firstResponse": first}


def _score(trajectory: Trajectory, status: Status) -> Mapping[str, Json]:
    grades = grades_in(trajectory.events)
    if not grades or status == "error":
        return {}
    score: dict[str, Json] = {
        "pass": status == "passed",
        "score": sum(grade.score for grade in grades) / len(grades),
    }
    reasons = [grade.reasoning for grade in grades if grade.reasoning]
    fields: dict[str, Json] = {
        "score": score | {"reasoning": "\n".join(reasons)} if reasons else score
    }
    outcome: dict[str, Json] = {}
    for grade in grades:
        outcome |= grade.outcome if isinstance(grade.outcome, dict) else {}
    return fields | {"outcome": outcome} if outcome else fields


def _usage(trajectory: Trajectory) -> Mapping[str, Json]:
    usage = tally_of(trajectory).usage
    return {
        "tokensIn": usage.tokens_in,
        "tokensOut": usage.tokens_out,
        "costUsd": usage.cost_usd,
    }
