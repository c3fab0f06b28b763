"""What became of each condition's runs, and what they took."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from ...ledger.attempt import Attempt
from ...ledger.experiment import GateMetric, baseline_of, others_of
from ...ledger.findings import ConditionTally
from ..paired import geometric_mean
from .effects import SHORTEST
from .sides import Outcomes, over_tasks


def tallies_of(outcomes: Outcomes) -> Iterator[ConditionTally]:
    """Add up every condition, the baseline first."""
    experiment = outcomes.record.experiment
    for condition in (baseline_of(experiment), *others_of(experiment)):
        yield _tally(outcomes, condition.name)


def _tally(outcomes: Outcomes, condition: str) -> ConditionTally:
    own = [one for one in outcomes.record.attempts if one.slot.condition == condition]
    counted = [*outcomes.placed[condition].values()]
    discards = [one for one in outcomes.settled.discards if one.slot.condition == condition]
    return ConditionTally(
        condition=condition,
        planned=sum(one.slot.condition == condition for one in outcomes.record.plan),
        counted=len(counted),
        attempts=len(own),
        retried=sum(one.standing.state == "retried" for one in own),
        discarded=dict(sorted(Counter(one.cause for one in discards).items())),
        timed_out=sum(one.attempt.timed_out for one in counted),
        judged=sum(one.exact is not None for one in counted),
        score=_mean(outcomes, "score", condition),
        completion=_mean(outcomes, "completion", condition),
        duration_s=_typical_duration(outcomes, condition),
        tool_calls=_mean(outcomes, "tool_calls", condition),
        files_read=_mean(outcomes, "files_read", condition),
        turns=_turns(outcomes, condition),
        tokens=_mean(outcomes, "tokens", condition),
        cost_usd=_mean(outcomes, "cost_usd", condition),
        total_cost_usd=_total_cost(own),
        models=tuple(dict.fromkeys(one.model for one in own if one.model is not None)),
    )


def _mean(outcomes: Outcomes, metric: GateMetric, condition: str) -> float | None:
    return _mean_of(over_tasks(outcomes, metric, condition))


def _mean_of(values: Sequence[Fraction]) -> float | None:
    return float(sum(values, Fraction(0)) / len(values)) if values else None


def _typical_duration(outcomes: Outcomes, condition: str) -> float | None:
    medians = [max(float(one), SHORTEST) for one in over_tasks(outcomes, "duration_s", condition)]
    return geometric_mean(medians) if medians else None


def _turns(outcomes: Outcomes, condition: str) -> float | None:
    """Give the mean over tasks of how often the agent took its turn."""
    by_task: dict[str, list[int]] = {}
    for block, run in outcomes.placed[condition].items():
        if run.attempt.counts.turns is not None:
            by_task.setdefault(block.task_id, []).append(run.attempt.counts.turns)
    return _mean_of([Fraction(sum(found), len(found)) for found in by_task.values()])


def _total_cost(attempts: Iterable[Attempt]) -> float | None:
    """Add up what is known of the cost of all attempts, those too that do not count."""
    known = [one.usage.cost_usd for one in attempts if one.usage.cost_usd is not None]
    finite = [one for one in known if math.isfinite(one)]
    return math.fsum(finite) if finite else None
