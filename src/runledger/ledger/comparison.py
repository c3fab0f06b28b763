"""Two sets of trials over the same tasks, and what their pairing shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from .regression import Verdict as Judgement

MetricId: TypeAlias = Literal[
    "pass_rate",
    "score",
    "duration_ms",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "tool_calls",
    "tool_errors",
]
Unit: TypeAlias = Literal["share", "score", "ms", "tokens", "usd", "calls"]
Verdict: TypeAlias = Literal["better_a", "better_b", "no_difference_shown", "tie", "no_verdict"]
Test: TypeAlias = Literal["mcnemar", "sign_flip", "paired_t", "t_on_logs", "mann_whitney"]
Change: TypeAlias = Literal["better", "worse", "same", "unknown"]
Interval: TypeAlias = tuple[float, float]


class TaskKey(NamedTuple):
    """What makes two tasks the same: their id, and the fingerprint of their input."""

    id: str
    input: str


@dataclass(frozen=True, slots=True)
class Figures:
    """What one trial came to; None where nobody knows."""

    passed: bool | None = None
    score: float | None = None
    answered: bool = True  # only then do the figures below speak of the whole task
    duration_ms: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """One side of a comparison: the trials of each task."""

    name: str
    tasks: Mapping[TaskKey, tuple[Figures, ...]]


@dataclass(frozen=True, slots=True)
class Side:
    """How many trials of a sample there are, and how many of them say something."""

    name: str
    tasks: int
    trials: int
    graded: int
    passed: int
    ungraded: int
    unanswered: int


@dataclass(frozen=True, slots=True)
class TaskSide:
    """What one side's trials of a task came to."""

    n: int
    graded: int
    passed: int
    score: float | None  # the mean
    duration_ms: float | None  # the median


@dataclass(frozen=True, slots=True)
class TaskPair:
    """A task that both sides tried; `change` is from A to B."""

    id: str
    a: TaskSide
    b: TaskSide
    change: Change


@dataclass(frozen=True, slots=True)
class TaskSets:
    """Which tasks are compared, and which are not, by id."""

    paired: int
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()  # the same id, another input


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure on both sides, over the tasks where both know it.

    A change is told as a difference, B less A, or as a ratio, B over A.
    """

    id: MetricId
    unit: Unit
    a: float
    b: float
    difference: float | None
    ratio: float | None
    ci: Interval | None  # of the change, at 95 %
    p: float
    test: Test
    n: int  # of tasks
    detectable: float | None  # the change that this many tasks show in four of five comparisons
    verdict: Verdict
    p_adjusted: float | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two samples laid side by side."""

    a: Side
    b: Side
    verdict: Judgement  # on B, by its pass rate or else its score
    reason: str
    tasks: TaskSets
    metrics: tuple[Metric, ...]
    unknown: tuple[MetricId, ...]  # not known on both sides of any task
    cases: tuple[TaskPair, ...]
