"""What an experiment came to: effects, gates, and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .attempt import Attempt, Cause, PlannedRun, Slot
from .comparison import Interval
from .experiment import Experiment, ExperimentGate, GateMetric
from .verdict import CriterionVerdict

GateWord: TypeAlias = Literal["pass", "fail", "inconclusive"]
BenchStatus: TypeAlias = Literal["planned", "running", "interrupted", "invalid", "done"]
EffectTest: TypeAlias = Literal["mcnemar", "sign_flip", "paired_t", "t_on_logs"]


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of `bench run`: when, and by which process."""

    started: str  # ISO 8601
    pid: int | None = None


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """What the files of an experiment's run say."""

    run_id: str
    experiment: Experiment
    seed: int
    plan: tuple[PlannedRun, ...]  # round 1, in the order of running
    attempts: tuple[Attempt, ...] = ()  # in the order of their ends
    verdicts: tuple[CriterionVerdict, ...] = ()  # the last one of each judge on each criterion
    launches: tuple[Launch, ...] = ()
    firsts: tuple[int, ...] = ()  # by launch: how many attempts had ended when it began
    status: BenchStatus = "planned"
    sequential: bool = False  # it may have stopped early, by the e-value
    stopped: str | None = None  # why it ended before its plan: too many discards, decided, money
    wall_ms: int = 0


@dataclass(frozen=True, slots=True)
class RunScore:
    """The score of a run that counts."""

    slot: Slot
    attempt: int
    score: float | None  # in percent, not rounded; None where a criterion has no verdict
    complete: bool | None
    points: Mapping[str, float | None]  # by criterion, the mean over its judges


@dataclass(frozen=True, slots=True)
class Effect:
    """One metric of one condition beside the baseline, over the tasks where both know it.

    Score and completion are in percent, so that their differences are points.
    """

    metric: GateMetric
    condition: str
    baseline: float  # the mean over tasks
    mean: float
    difference: float  # condition less baseline
    ci: Interval | None
    p: float
    test: EffectTest
    n: int  # of tasks
    detectable: float | None  # the difference that this many tasks show in four of five experiments
    wins: int  # tasks in which the condition is better
    losses: int
    ties: int
    ratio: float | None = None  # of durations: the geometric mean over tasks
    ratio_ci: Interval | None = None
    clusters: int | None = None  # how many there are, where tasks come in clusters
    p_adjusted: float | None = None  # by Holm, over all metrics and conditions
    note: str | None = None


@dataclass(frozen=True, slots=True)
class TaskEffect:
    """The difference of scores in one task; an interval takes several trials."""

    task_id: str
    condition: str
    baseline: float
    mean: float
    difference: float
    ci: Interval | None = None
    n: int = 1  # of trials


@dataclass(frozen=True, slots=True)
class GateFinding:
    """What a gate says of a condition."""

    gate: ExperimentGate
    condition: str
    verdict: GateWord
    difference: float | None
    ci: Interval | None
    further_tasks: int | None = None  # that would decide, if they are like these
    note: str | None = None
    further_clusters: int | None = None  # that these tasks come in; of the same, none would decide


@dataclass(frozen=True, slots=True)
class OrderEffect:
    """Whether it matters which one ran first: the mean difference in either order."""

    condition: str
    metric: GateMetric
    first: float  # the mean difference where the condition ran before the baseline
    second: float
    n_first: int  # of blocks
    n_second: int
    effect: float  # first less second
    ci: Interval | None
    p: float | None  # Welch's test


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A criterion of a run on which two judges differ."""

    slot: Slot
    criterion: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges agree, beyond chance."""

    a: str
    b: str
    n: int
    agreed: int
    kappa: float | None  # None where chance alone would make them agree
    ci: Interval | None
    disagreements: tuple[Disagreement, ...] = ()


@dataclass(frozen=True, slots=True)
class SequentialFinding:
    """What looking early shows: the e-value of wins and losses, which holds at any time."""

    condition: str
    wins: int
    losses: int
    e_value: float
    threshold: float
    decided: bool


@dataclass(frozen=True, slots=True)
class ConditionTally:
    """What became of a condition's runs, and what they took; None where nobody knows."""

    condition: str
    planned: int
    counted: int
    attempts: int
    retried: int
    discarded: Mapping[Cause, int]
    timed_out: int
    judged: int
    score: float | None  # the mean over tasks
    completion: float | None
    duration_s: float | None  # the geometric mean of the tasks' medians
    tool_calls: float | None
    files_read: float | None
    turns: float | None
    tokens: float | None
    cost_usd: float | None  # of runs that count, the mean over tasks
    total_cost_usd: float | None  # of all attempts
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Discard:
    """An attempt that does not count, and why."""

    slot: Slot
    attempt: int
    cause: Cause
    message: str


@dataclass(frozen=True, slots=True)
class Findings:
    """All that an experiment shows."""

    verdict: GateWord | None  # None: there is no gate
    sentence: str  # the verdict in one sentence
    scores: tuple[RunScore, ...]
    tallies: tuple[ConditionTally, ...]  # the baseline first
    effects: tuple[Effect, ...]
    tasks: tuple[TaskEffect, ...]
    gates: tuple[GateFinding, ...]
    order: tuple[OrderEffect, ...]
    agreements: tuple[Agreement, ...]
    sequential: tuple[SequentialFinding, ...]
    discards: tuple[Discard, ...]
    unjudged: int  # runs that count and have a criterion without a verdict
    notes: tuple[str, ...] = ()
