"""Compare samples of trials: each further one with the first, over all tasks and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..ledger.comparison import Comparison, Metric, Sample, Verdict
from .holm import holm
from .metrics import MORE_IS_BETTER, ORDER, measure
from .pairing import Paired, pair, side_of, task_pair
from .worse import SURE, judge


def compare_samples(first: Sample, others: Sequence[Sample]) -> tuple[Comparison, ...]:
    """Lay every other sample beside the first; chances are adjusted for all tests made."""
    paired = [pair(first, other) for other in others]
    measured = [measure(one.pairs) for one in paired]
    # A tie could not have come out otherwise, given no task differs: it takes no part.
    tested = [
        metric.p
        for metrics in measured
        for metric in metrics
        if metric.verdict == "no_difference_shown"
    ]
    adjusted = iter(holm(tested))
    return tuple(
        _comparison(first, other, pairs, [_with_verdict(one, adjusted) for one in metrics], tested)
        for other, pairs, metrics in zip(others, paired, measured, strict=True)
    )


def _comparison(
    a: Sample, b: Sample, paired: Paired, metrics: Sequence[Metric], tested: Sequence[float]
) -> Comparison:
    known = {metric.id for metric in metrics}
    judged = judge(metrics, paired.pairs, len(tested))
    return Comparison(
        a=side_of(a),
        b=side_of(b),
        verdict=judged.verdict,
        reason=judged.reason,
        tasks=paired.sets,
        metrics=tuple(metrics),
        unknown=tuple(id for id in ORDER if id not in known),
        cases=tuple(map(task_pair, paired.pairs)),
    )


def _with_verdict(metric: Metric, adjusted: Iterator[float]) -> Metric:
    if metric.verdict == "tie":
        return replace(metric, p_adjusted=1.0)
    if metric.verdict == "no_verdict":
        return metric
    p = next(adjusted)
    return replace(metric, p_adjusted=p, verdict=_better(metric) if p <= SURE else metric.verdict)


def _better(metric: Metric) -> Verdict:
    """Say which side is better; less is, but for what an agent is asked to reach."""
    more_in_b = (metric.ratio or 0.0) > 1 if metric.difference is None else metric.difference > 0
    return "better_b" if more_in_b == (metric.id in MORE_IS_BETTER) else "better_a"
