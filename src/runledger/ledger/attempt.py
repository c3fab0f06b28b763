"""One try at a trial of an experiment, and whether it counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from .usage import Usage
from .value import Json

State: TypeAlias = Literal["counts", "retried", "discarded"]
Cause: TypeAlias = Literal[
    "empty_output",  # and no attempts left
    "retry_pattern",  # such as a rate limit, and no attempts left
    "crashed",
    "not_started",
    "prefix_failed",
    "violated",  # expect or forbid
    "model_changed",  # or the agent's version
]


class Slot(NamedTuple):
    """A place in an experiment that one run has to fill: a task, a condition, a repetition."""

    task_id: str
    condition: str
    trial: int


class Block(NamedTuple):
    """The runs of one task that are compared with each other: one for each condition."""

    task_id: str
    trial: int


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run of the plan: which one, and the how-manyth of its block."""

    number: int
    slot: Slot
    place: int  # from 1


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether an attempt counts; if not, why."""

    state: State = "counts"
    cause: Cause | None = None
    message: str = ""


COUNTS = Standing()


@dataclass(frozen=True, slots=True)
class Counts:
    """What an agent did, counted by machine; None where its protocol shows none of it."""

    tool_calls: int | None = None
    files_read: int | None = None
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """What an agent says that it did."""

    tool_calls: int | None = None
    files_read: int | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try, as results.jsonl tells it."""

    slot: Slot
    number: int  # over all rounds, from 1
    round: int
    place: int  # in its block
    standing: Standing
    output: Json  # "" where there is none
    duration_s: float
    counts: Counts = Counts()
    reported: Reported = Reported()
    usage: Usage = Usage()
    model: str | None = None
    version: str | None = None  # of the agent
    timed_out: bool = False  # it counts all the same, as an answer that states nothing
    started_ms: int = 0  # Unix time
    errors: tuple[str, ...] = ()
    tools: frozenset[str] = frozenset()  # that it called
