"""All that happened in one trial, and plain functions that look things up in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .event import Event, Failed, FinalOutput, Graded, ToolCall, ToolResult, UsageReport
from .grade import Failure, Grade
from .task import Trial
from .usage import Tally, Usage, add_usage
from .value import ABSENT, Absent, Json


@dataclass(frozen=True, slots=True)
class Exit:
    """How the agent's process ended."""

    code: int | None = None
    signal: str | None = None
    timed_out: bool = False
    stop_reason: str | None = None
    stderr: str = ""
    leaky: bool = False


@dataclass(frozen=True, slots=True)
class CassetteUse:
    """How much of a cassette a trial used."""

    path: str
    sha256: str
    entries: int
    used: int
    unused: int
    overridden: tuple[int, ...] = ()  # lines that matched only through an override
    warn_unused: bool = False  # the suite wants to hear of unused entries, but not to fail


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The events of one trial in order, with what is known about its beginning and end."""

    trial: Trial
    started_ms: int  # Unix time
    wall_ms: int  # up to the final output, not to the agent's exit
    events: tuple[Event, ...]
    exit: Exit = Exit()
    cassette: CassetteUse | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call with its answer, if it got one."""

    call: ToolCall
    ms: int
    result: ToolResult | None
    duration_ms: int | None


def calls_in(events: tuple[Event, ...]) -> Iterator[Call]:
    """Yield every tool call in the order of asking, paired with its answer by call id."""
    answers = {
        event.what.call_id: (event.what, event.ms)
        for event in events
        if isinstance(event.what, ToolResult)
    }
    for event in events:
        if isinstance(event.what, ToolCall):
            result, answered = answers.get(event.what.call_id, (None, None))
            duration = None if answered is None else answered - event.ms
            yield Call(event.what, event.ms, result, duration)


def output_in(events: tuple[Event, ...]) -> Json | Absent:
    """Find what the agent finally answered."""
    for event in events:
        if isinstance(event.what, FinalOutput):
            return event.what.output
    return ABSENT


def failures_in(events: tuple[Event, ...]) -> tuple[Failure, ...]:
    """List every failure in order."""
    return tuple(event.what.failure for event in events if isinstance(event.what, Failed))


def grades_in(events: tuple[Event, ...]) -> tuple[Grade, ...]:
    """List every grade in order."""
    return tuple(event.what.grade for event in events if isinstance(event.what, Graded))


def tally_of(trajectory: Trajectory) -> Tally:
    """Add up what a trial used."""
    usage = Usage()
    calls = errors = 0
    for event in trajectory.events:
        if isinstance(event.what, UsageReport):
            usage = add_usage(usage, event.what.usage)
        elif isinstance(event.what, ToolCall):
            calls += 1
        elif isinstance(event.what, ToolResult):
            errors += not event.what.ok
    return Tally(trajectory.wall_ms, calls, errors, usage)


def calls_by_name(events: tuple[Event, ...]) -> Mapping[str, int]:
    """Count the calls of each tool, by name in alphabetical order."""
    counter = Counter(event.what.name for event in events if isinstance(event.what, ToolCall))
    return dict(sorted(counter.items()))
