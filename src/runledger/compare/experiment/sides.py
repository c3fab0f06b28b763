"""One metric under two conditions, task by task: what effects are worked out from."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ...ledger.attempt import Block
from ...ledger.comparison import Interval
from ...ledger.experiment import Experiment, GateMetric, baseline_of
from ...ledger.findings import BenchRecord
from ...ledger.fingerprint import canonical_dumps
from ...ledger.path import find
from ...ledger.settled import Settled, settled_in
from ...ledger.task import Task
from ...ledger.value import Absent, Json
from .scores import Scored, exactly, scored_runs

MOST = 1e100  # a figure beyond it is no measurement
MORE_IS_BETTER: frozenset[GateMetric] = frozenset({"score", "completion"})


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What an experiment's runs came to, before anything is compared."""

    record: BenchRecord
    settled: Settled
    runs: tuple[Scored, ...]  # those that count
    clusters: Mapping[str, str]  # of each task
    placed: Mapping[str, Mapping[Block, Scored]] = field(default_factory=dict)  # by condition


@dataclass(frozen=True, slots=True)
class Sides:
    """A metric over the tasks where the baseline and a condition both know it, trials put together.

    The four sequences go side by side.
    """

    metric: GateMetric
    condition: str
    tasks: Sequence[str]
    clusters: Sequence[str]
    baseline: Sequence[Fraction]
    other: Sequence[Fraction]
    single: bool  # every value is of one run

    @property
    def differences(self) -> Sequence[Fraction]:
        """Give the condition's value less the baseline's, for each task."""
        return [b - a for a, b in zip(self.baseline, self.other, strict=True)]


def outcomes_of(record: BenchRecord) -> Outcomes:
    """Settle which runs count, and score them."""
    settled = settled_in(record)
    runs = scored_runs(record, settled)
    placed: dict[str, dict[Block, Scored]] = {one.name: {} for one in record.experiment.conditions}
    for one in runs:
        slot = one.attempt.slot
        placed[slot.condition][Block(slot.task_id, slot.trial)] = one
    return Outcomes(record, settled, runs, clusters_of(record.experiment), placed)


def sides_of(outcomes: Outcomes, metric: GateMetric, condition: str) -> Sides | None:
    """Lay a condition beside the baseline by one metric; None if no task knows it on both sides."""
    before = values_by_task(outcomes, metric, baseline_of(outcomes.record.experiment).name)
    after = values_by_task(outcomes, metric, condition)
    shared = [id for id in before if id in after]
    if not shared:
        return None
    together = _median if metric == "duration_s" else _mean
    return Sides(
        metric=metric,
        condition=condition,
        tasks=shared,
        clusters=[outcomes.clusters[id] for id in shared],
        baseline=[together(before[id]) for id in shared],
        other=[together(after[id]) for id in shared],
        single=all(len(side[id]) == 1 for side in (before, after) for id in shared),
    )


def values_by_task(
    outcomes: Outcomes, metric: GateMetric, condition: str
) -> Mapping[str, Sequence[Fraction]]:
    """Gather a metric of a condition's runs by task, in the order of tasks; unknown is left out."""
    values: defaultdict[str, list[Fraction]] = defaultdict(list)
    for block, run in outcomes.placed[condition].items():
        value = value_of(metric, run)
        if value is not None:
            values[block.task_id].append(value)
    return values


def over_tasks(outcomes: Outcomes, metric: GateMetric, condition: str) -> list[Fraction]:
    """List a metric of a condition, one value for each task."""
    together = _median if metric == "duration_s" else _mean
    return [together(found) for found in values_by_task(outcomes, metric, condition).values()]


def value_of(metric: GateMetric, run: Scored) -> Fraction | None:
    """Give a metric of a run, exact; None where it is not known."""
    if metric == "score":
        return run.exact
    found = _VALUES[metric](run)
    return exactly(found) if found is not None and 0 <= found <= MOST else None  # NaN is neither


def unfinished_blocks(outcomes: Outcomes) -> int:
    """Count the planned blocks of which no whole go counts yet."""
    planned = {Block(one.slot.task_id, one.slot.trial) for one in outcomes.record.plan}
    counting = {Block(one.attempt.slot.task_id, one.attempt.slot.trial) for one in outcomes.runs}
    return len(planned - counting)


def bound_of(metric: GateMetric, experiment: Experiment) -> float:
    """Give what a difference cannot exceed."""
    if metric == "completion":
        return 100.0
    worth = experiment.scoring.points.values()
    return 100.0 * (max(worth) - min(worth)) if metric == "score" else math.inf


def cut(interval: Interval | None, bound: float) -> Interval | None:
    """Cut an interval to what a difference can be."""
    return interval and (max(interval[0], -bound), min(interval[1], bound))


def _completion(run: Scored) -> int | None:
    return None if run.run.complete is None else 100 * run.run.complete


def _tokens(run: Scored) -> int | None:
    usage = run.attempt.usage
    if usage.tokens_in is None or usage.tokens_out is None:
        return None
    return usage.tokens_in + usage.tokens_out


_VALUES: Mapping[GateMetric, Callable[[Scored], float | None]] = {
    "completion": _completion,
    "duration_s": lambda run: run.attempt.duration_s,
    "tool_calls": lambda run: run.attempt.counts.tool_calls,
    "files_read": lambda run: run.attempt.counts.files_read,
    "tokens": _tokens,
    "cost_usd": lambda run: run.attempt.usage.cost_usd,
}


def _mean(values: Sequence[Fraction]) -> Fraction:
    return values[0] if len(values) == 1 else sum(values, Fraction(0)) / len(values)


def _median(values: Sequence[Fraction]) -> Fraction:
    ordered, n = sorted(values), len(values)
    return (ordered[(n - 1) // 2] + ordered[n // 2]) / 2


def clusters_of(experiment: Experiment) -> Mapping[str, str]:
    """Name the cluster of each task; one that does not say is a cluster of its own."""
    return {task.id: _cluster(task, experiment.cluster) for task in experiment.tasks}


def _cluster(task: Task, path: str | None) -> str:
    found = None if path is None else find(_readable(task), path)
    if found is None or isinstance(found, Absent):
        return f"task {task.id}"
    return f"cluster {canonical_dumps(found)}"


def _readable(task: Task) -> Mapping[str, Json]:
    return {
        "id": task.id,
        "input": task.input,
        "expected": task.expected,
        "metadata": task.metadata,
        "tags": task.tags,
    }
