"""The CaptureResult of a trial, in the words and the camelCase of its published format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from .cut import beginning
from .event import (
    Event,
    FinalOutput,
    Log,
    Message,
    Plan,
    TaskError,
    TaskStart,
    Thought,
    ToolCall,
    UsageReport,
    failure_fields,
)
from .grade import Failure, Grade, Status, counts, score_fields
from .task import Trial
from .trajectory import (
    Call,
    Trajectory,
    calls_in,
    failures_in,
    grades_in,
    is_error,
    output_in,
    tally_of,
)
from .value import Absent, Json

STDERR_CHARS = 300
STEPS = (ToolCall, Message, Thought, Plan)
FROM_AGENT = (*STEPS, Log, UsageReport, FinalOutput, TaskError)


def capture_result(trajectory: Trajectory, status: Status, agent: str) -> dict[str, Json]:
    """Make one line of results.jsonl."""
    trial, task = trajectory.trial, trajectory.trial.task
    output = output_in(trajectory.events)
    failures = failures_in(trajectory.events)
    steps = list(steps_of(trajectory))
    results = [call.result for call in calls_in(trajectory.events)]
    line: dict[str, Json] = {"id": task.id, "input": task.input}
    line["output"] = "" if isinstance(output, Absent) else output
    if task.expected is not None:
        line["expected"] = task.expected
    line["trajectory"] = steps
    line["metadata"] = {**task.metadata, "agent": task.metadata.get("agent", agent)}
    line["timing"] = _timing(trajectory)
    line["toolErrors"] = any(map(is_error, results))
    line["toolErrorsDerived"] = any(one is not None and one.ok and one.exit_code for one in results)
    if errors := errors_of(failures):
        line["errors"] = errors
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


RUN_KEYS = frozenset({"trial", "attempt", "condition", "status", "failures"})
"""What a run's results.jsonl has beside the keys of a CaptureResult."""


def published(line: Mapping[str, Json]) -> dict[str, Json]:
    """Leave out what only a run's own file says."""
    return {key: value for key, value in line.items() if key not in RUN_KEYS}


GRADER_ERROR = "grader error: "
"""How an error begins that tells of a grader, and nothing of the agent."""


def errors_of(failures: Iterable[Failure]) -> list[Json]:
    """Tell what went wrong; whether the answer was good is for the score to say."""
    return [error_text(failure) for failure in failures if failure.type != "assertion_failed"]


def error_text(failure: Failure) -> str:
    """Write a failure with the last thing that the program wrote on standard error."""
    mark = GRADER_ERROR if failure.type == "grader_error" else ""
    said = failure.details.get("stderr")
    last = said.strip().rpartition("\n")[2] if isinstance(said, str) else ""
    tail = f" (stderr: {beginning(last, STDERR_CHARS)})" if last not in failure.message else ""
    return f"{mark}{failure.message}{tail}"


def steps_of(trajectory: Trajectory) -> Iterator[Mapping[str, Json]]:
    """Yield the steps of a trial, in order, as results.jsonl and graders see them."""
    calls = {call.call.call_id: call for call in calls_in(trajectory.events)}
    prefix = _prefix(trajectory.trial)
    for number, event in enumerate(_shown(trajectory.events), start=1):
        yield {**_step(event, calls), "timestamp": event.ms, "stepId": f"{prefix}-step-{number}"}


def _prefix(trial: Trial) -> str:
    return f"{trial.task.id}-t{trial.number}" if trial.repeated else trial.task.id


def _shown(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events that are steps; a call that is told several times is one."""
    seen: set[str] = set()
    for event in events:
        if isinstance(event.what, ToolCall):
            if event.what.call_id in seen:
                continue
            seen.add(event.what.call_id)
        if isinstance(event.what, STEPS):
            yield event


def _step(event: Event, calls: Mapping[str, Call]) -> Mapping[str, Json]:
    match event.what:
        case ToolCall(call_id=call_id):
            return _tool_step(calls[call_id])
        case Message(content, _) | Thought(content, _):
            return {"type": event.what.type, "content": content}
        case Plan(entries):
            return {"type": "plan", "entries": entries}
    raise AssertionError(event)


def _tool_step(call: Call) -> Mapping[str, Json]:
    step: dict[str, Json] = {"type": "tool_call", "name": call.call.name}
    if call.result is None:
        return step | {"status": call.call.status or "pending", "input": call.call.args}
    step["status"] = "completed" if call.result.ok else "failed"
    step["input"] = call.call.args
    step["output"] = call.result.result if call.result.ok else call.result.error
    return step | {"duration": call.duration_ms}


def _timing(trajectory: Trajectory) -> Mapping[str, Json]:
    start = trajectory.started_ms
    timing: dict[str, Json] = {"start": start, "end": start + trajectory.wall_ms}
    heard = _since_the_task(trajectory.events)
    first = next((one.ms for one in heard if isinstance(one.what, FROM_AGENT)), None)
    return timing if first is None else timing | {"firstResponse": first}


def _since_the_task(events: Sequence[Event]) -> Iterator[Event]:
    """Yield what came after the task was sent: words of greeting before it are no response."""
    sent = next((at for at, one in enumerate(events) if isinstance(one.what, TaskStart)), 0)
    yield from islice(events, sent, None)


def _score(trajectory: Trajectory, status: Status) -> Mapping[str, Json]:
    """Give the score of a trial that was to be judged, and what else its graders found out."""
    failures = failures_in(trajectory.events)
    if not trajectory.trial.task.assertions or not counts(status, failures):
        return {}
    if status == "error":  # the agent gave nothing to judge, and that is its own failure
        return {"score": {"pass": False, "score": 0.0, "reasoning": failures[0].message}}
    grades = [grade for grade in grades_in(trajectory.events) if grade.grader != "budgets"]
    return {} if not grades else {"score": _verdict(grades, status), **_outcome(grades)}


def _verdict(grades: Sequence[Grade], status: Status) -> Json:
    mean = sum(grade.score for grade in grades) / len(grades)
    reasons = [grade.reasoning for grade in grades if grade.reasoning]
    return score_fields(status == "passed", mean, "\n".join(reasons) if reasons else None)


def _outcome(grades: Iterable[Grade]) -> Mapping[str, Json]:
    merged: dict[str, Json] = {}
    for grade in grades:
        merged |= grade.outcome if isinstance(grade.outcome, dict) else {}
    return {"outcome": merged} if merged else {}


def _usage(trajectory: Trajectory) -> Mapping[str, Json]:
    usage = tally_of(trajectory).usage
    return {
        "tokensIn": usage.tokens_in,
        "tokensOut": usage.tokens_out,
        "costUsd": usage.cost_usd,
    }
