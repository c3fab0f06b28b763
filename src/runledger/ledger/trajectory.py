"""All that happened in one trial, and plain functions that look things up in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

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
    left: tuple[int, ...] = ()  # lines of the unused entries, the first ones where they are many


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
    """A tool call as it was told last, with its answer, if it got one."""

    call: ToolCall
    ms: int  # when it was asked for first
    result: ToolResult | None
    duration_ms: int | None


def calls_in(events: tuple[Event, ...]) -> Iterator[Call]:
    """Yield every tool call in the order of asking, paired with its answer by call id.

    An agent may tell of one call several times: the first telling gives its place, the last one
    its words.
    """
    asked: dict[str, int] = {}
    told: dict[str, ToolCall] = {}
    answers: dict[str, ToolResult] = {}
    answered: dict[str, int] = {}
    for event in events:
        match event.what:
            case ToolCall(call_id=call_id):
                asked.setdefault(call_id, event.ms)
                told[call_id] = event.what
            case ToolResult(call_id=call_id):
                answered.setdefault(call_id, event.ms)
                answers[call_id] = event.what
    for call_id, call in told.items():
        result = answers.get(call_id)
        duration = None if result is None else answered[call_id] - asked[call_id]
        if result is not None and result.took_ms is not None:
            duration = result.took_ms
        yield Call(call, asked[call_id], result, duration)


def is_error(result: ToolResult | None) -> bool:
    """Say whether a tool failed: by its own words, or by the exit code in what it gave."""
    return result is not None and (not result.ok or bool(result.exit_code))


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


@dataclass(frozen=True, slots=True)
class Metered:
    """What an agent told that it used, and what was seen of it in its model's answers."""

    told: Usage = Usage()
    seen: Usage | None = None
    priced: bool = True  # of every answer that was seen, the price is known

    def with_report(self, report: UsageReport) -> Metered:
        """Add a report to those of its source."""
        if not report.was_seen:
            return replace(self, told=add_usage(self.told, report.usage))
        seen = add_usage(self.seen or Usage(), report.usage)
        return replace(self, seen=seen, priced=self.priced and report.usage.cost_usd is not None)

    @property
    def usage(self) -> Usage:
        """Give what was seen, where anybody could see it; of a price nobody knows, what was told.

        Both at once would count every token twice.
        """
        if self.seen is None:
            return self.told
        cost = self.seen.cost_usd if self.priced else self.told.cost_usd
        return replace(self.seen, cost_usd=cost)


def tally_of(trajectory: Trajectory) -> Tally:
    """Add up what a trial used."""
    metered = Metered()
    for event in trajectory.events:
        if isinstance(event.what, UsageReport):
            metered = metered.with_report(event.what)
    calls = list(calls_in(trajectory.events))
    errors = sum(is_error(call.result) for call in calls)
    return Tally(trajectory.wall_ms, len(calls), errors, metered.usage)


def calls_by_name(events: tuple[Event, ...]) -> Mapping[str, int]:
    """Count the calls of each tool, by name in alphabetical order."""
    counter = Counter(call.call.name for call in calls_in(events))
    return dict(sorted(counter.items()))
