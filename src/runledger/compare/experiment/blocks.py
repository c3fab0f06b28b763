"""The runs of one task and repetition side by side: what trials and their order show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...ledger.comparison import Interval
from ...ledger.experiment import Experiment, GateMetric, baseline_of, others_of
from ...ledger.findings import OrderEffect, TaskEffect
from ..clusters import centre_of, interval_of
from ..paired import mean_of
from ..welch import welch
from .sides import Outcomes, bound_of, cut, sides_of, value_of

ORDERED: tuple[GateMetric, ...] = ("score", "duration_s")


@dataclass(frozen=True, slots=True)
class Change:
    """The difference of a condition from the baseline in one block."""

    task_id: str
    difference: float
    first: bool  # the condition ran before the baseline


def changes_in(outcomes: Outcomes, metric: GateMetric, condition: str) -> Iterator[Change]:
    """Yield the difference of every block that knows the metric under both conditions."""
    before = outcomes.placed[baseline_of(outcomes.record.experiment).name]
    for block, run in outcomes.placed[condition].items():
        partner = before[block]  # of whole blocks only
        a, b = value_of(metric, partner), value_of(metric, run)
        if a is not None and b is not None:
            first = run.attempt.place < partner.attempt.place
            yield Change(block.task_id, float(b - a), first)


def task_effects(outcomes: Outcomes) -> Iterator[TaskEffect]:
    """Tell the difference of scores in each task, condition after condition."""
    for condition in others_of(outcomes.record.experiment):
        trials: dict[str, list[float]] = {}
        for change in changes_in(outcomes, "score", condition.name):
            trials.setdefault(change.task_id, []).append(change.difference)
        sides = sides_of(outcomes, "score", condition.name)
        if sides is None:
            continue
        for id, a, b in zip(sides.tasks, sides.baseline, sides.other, strict=True):
            found = trials.get(id, [])
            ci = _within(found, outcomes.record.experiment)
            n = max(1, len(found))
            yield TaskEffect(id, condition.name, float(a), float(b), float(b - a), ci, n)


def _within(trials: Sequence[float], experiment: Experiment) -> Interval | None:
    """Give the interval of a task's difference, by how much its trials differ."""
    if len(trials) < 2:
        return None
    found = interval_of(centre_of(trials, range(len(trials))), experiment.level)
    return cut(found, bound_of("score", experiment))


def order_effects(outcomes: Outcomes) -> Iterator[OrderEffect]:
    """Tell whether it matters which of two ran first, of scores and of durations.

    Durations stay in seconds, as in the gates: what a warm cache saves is seconds, not a share.
    """
    for condition in others_of(outcomes.record.experiment):
        for metric in ORDERED:
            found = _order_effect(outcomes, metric, condition.name)
            if found is not None:
                yield found


def _order_effect(outcomes: Outcomes, metric: GateMetric, condition: str) -> OrderEffect | None:
    changes = [*changes_in(outcomes, metric, condition)]
    first = [one.difference for one in changes if one.first]
    second = [one.difference for one in changes if not one.first]
    if not first or not second:
        return None
    apart = welch(first, second, outcomes.record.experiment.level)
    return OrderEffect(
        condition=condition,
        metric=metric,
        first=mean_of(first),
        second=mean_of(second),
        n_first=len(first),
        n_second=len(second),
        effect=apart.difference,
        ci=apart.ci,
        p=apart.p,
    )
