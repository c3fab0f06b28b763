"""What can happen in a trial, one noun for each kind, and the moment it happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from .grade import Failure, Grade
from .usage import Usage
from .value import Json

Direction: TypeAlias = Literal["to_agent", "from_agent"]


@dataclass(frozen=True, slots=True)
class TaskStart:
    """The task was sent to the agent."""

    type: ClassVar[str] = "task_start"
    input: Json


@dataclass(frozen=True, slots=True)
class Raw:
    """A message of a foreign protocol, as it came; it is on disk only, not in the trajectory."""

    type: ClassVar[str] = "raw"
    direction: Direction
    data: Json
    piece: str | None = field(default=None, compare=False)  # of a text that is still being said


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The agent asked for a tool, or told more about a call of this id."""

    type: ClassVar[str] = "tool_call"
    name: str
    call_id: str
    args: Json
    extra: Mapping[str, Json] = field(default_factory=dict)
    status: str | None = None  # where the agent's own words for it are known


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool answered; for one call id, the last answer counts."""

    type: ClassVar[str] = "tool_result"
    call_id: str
    ok: bool
    result: Json = None
    error: Json = None
    exit_code: int | None = None  # of a command that the tool ran and reported as a success
    took_ms: int | None = None  # where the agent tells it itself


@dataclass(frozen=True, slots=True)
class Message:
    """The agent said something to its user."""

    type: ClassVar[str] = "message"
    content: str
    took_ms: int | None = field(default=None, compare=False)  # since its first piece


@dataclass(frozen=True, slots=True)
class Thought:
    """The agent thought aloud."""

    type: ClassVar[str] = "thought"
    content: str
    took_ms: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """The agent stated its whole plan anew."""

    type: ClassVar[str] = "plan"
    entries: Sequence[Json]


@dataclass(frozen=True, slots=True)
class Log:
    """The agent logged something through the protocol."""

    type: ClassVar[str] = "log"
    level: str
    message: str
    data: Json = None
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UsageReport:
    """The agent reported tokens or cost, or a proxy saw them; reports of one source add up."""

    type: ClassVar[str] = "usage"
    usage: Usage
    extra: Mapping[str, Json] = field(default_factory=dict)

    @property
    def was_seen(self) -> bool:
        """Say whether it was read from a model's answers, and not told by the agent."""
        return self.extra.get("source") == "model"


@dataclass(frozen=True, slots=True)
class FinalOutput:
    """The agent gave its answer."""

    type: ClassVar[str] = "final_output"
    output: Json
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskError:
    """The agent gave up, and said so."""

    type: ClassVar[str] = "task_error"
    message: str
    data: Json = None
    extra: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """Something went wrong, or fell short."""

    type: ClassVar[str] = "failure"
    failure: Failure


@dataclass(frozen=True, slots=True)
class Graded:
    """A grader judged the trial."""

    type: ClassVar[str] = "grade"
    grade: Grade


Said: TypeAlias = (
    Raw
    | ToolCall
    | ToolResult
    | Message
    | Thought
    | Plan
    | Log
    | UsageReport
    | FinalOutput
    | TaskError
)
"""What an agent tells us that it did."""

Happening: TypeAlias = TaskStart | Said | Failed | Graded


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, and when it began: milliseconds since the task was sent."""

    ms: int
    what: Happening


def event_at(ms: int, what: Happening) -> Event:
    """Make the event of something that was heard at a moment, and may have begun before it."""
    took = what.took_ms if isinstance(what, (Message, Thought)) else None
    return Event(max(0, ms - (took or 0)), what)


def fields_of(what: Happening) -> dict[str, Json]:
    """Write what happened as the fields of its line in the event log."""
    match what:
        case Failed(failure):
            return {"failure": failure_fields(failure)}
        case Graded(grade):
            return {"grade": _grade_fields(grade)}
        case UsageReport(usage):
            known = {name: getattr(usage, name) for name in usage.__slots__}
            return {**what.extra, **_present(known)}
    own = {name: getattr(what, name) for name in what.__slots__ if name not in ("extra", "piece")}
    said: Mapping[str, Json] = getattr(what, "extra", {})
    extra = {f"x_{key}" if key in own else key: said[key] for key in said}
    return {**extra, **{name: own[name] for name in own if not _left_out(name, own[name])}}


def failure_fields(failure: Failure) -> dict[str, Json]:
    """Write a failure as every file shows it."""
    return {"type": failure.type, "message": failure.message, "details": dict(failure.details)}


def _grade_fields(grade: Grade) -> dict[str, Json]:
    known: dict[str, Json] = {"grader": grade.grader, "pass": grade.passed, "score": grade.score}
    return {**known, **_present({"reasoning": grade.reasoning, "outcome": grade.outcome})}


def _left_out(name: str, value: Json) -> bool:
    return value is None and name in _OPTIONAL


_OPTIONAL = ("data", "error", "status", "exit_code", "took_ms")


def _present(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in fields.items() if value is not None}
