"""What each condition changes, metric by metric: its size, its interval, its chance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...ledger.experiment import METRICS, Experiment, GateMetric, others_of
from ...ledger.findings import Effect
from ..clusters import (
    FEW_CLUSTERS,
    Centre,
    centre_of,
    chance_of,
    cluster_sums,
    detectable_in,
    fewest,
    interval_of,
)
from ..holm import holm
from ..mcnemar import Fourfold, mcnemar, newcombe
from ..paired import FAR, sign_flip
from .sides import MORE_IS_BETTER, Outcomes, Sides, bound_of, cut, sides_of

MOST_FLIPPED = 1_000  # clusters; beyond, Student's test is as good
SHORTEST = 0.001  # seconds; a ratio to nothing says nothing
ALIKE = "the interval is that of the sign-flip test"
ALIKE_AND_FEW = "so few of them tell no interval"


@dataclass(frozen=True, slots=True)
class Measured:
    """An effect, and the mean of differences that it rests on."""

    effect: Effect
    centre: Centre
    table: Fourfold | None = None  # where the interval is Newcombe's


def measure(outcomes: Outcomes) -> tuple[Measured, ...]:
    """Measure every metric of every condition beside the baseline, where both know it."""
    experiment = outcomes.record.experiment
    found = (
        sides_of(outcomes, metric, condition.name)
        for condition in others_of(experiment)
        for metric in METRICS
    )
    return _adjusted([_measured(one, experiment) for one in found if one is not None])


def _measured(sides: Sides, experiment: Experiment) -> Measured:
    exact = sides.differences
    centre = centre_of([float(one) for one in exact], sides.clusters)
    centre = replace(centre, mean=_mean(exact))
    plain = _plain(sides, centre, experiment)
    if sides.metric == "duration_s":
        return Measured(_with_ratio(plain, sides, experiment.level), centre)
    if sides.metric == "completion" and sides.single and experiment.cluster is None:
        table = _table(sides)
        return Measured(_with_table(plain, table, experiment.level), centre, table)
    return Measured(_with_flips(plain, sides, centre), centre)


def _plain(sides: Sides, centre: Centre, experiment: Experiment) -> Effect:
    """Tell all of an effect but its chance, which not every metric has by the same test."""
    exact = sides.differences
    up, down = sum(one > 0 for one in exact), sum(one < 0 for one in exact)
    more = sides.metric in MORE_IS_BETTER
    return Effect(
        metric=sides.metric,
        condition=sides.condition,
        baseline=_mean(sides.baseline),
        mean=_mean(sides.other),
        difference=_mean(exact),
        ci=cut(interval_of(centre, experiment.level), bound_of(sides.metric, experiment)),
        p=1.0,
        test="sign_flip",
        n=len(exact),
        detectable=detectable_in(centre, experiment.level),
        wins=up if more else down,
        losses=down if more else up,
        ties=len(exact) - up - down,
        clusters=None if experiment.cluster is None else centre.clusters,
        note=_note(centre, up + down, experiment, sides.metric),
    )


def _with_flips(plain: Effect, sides: Sides, centre: Centre) -> Effect:
    sums = cluster_sums(sides.differences, sides.clusters)
    if sum(map(bool, sums)) > MOST_FLIPPED:
        return replace(plain, p=chance_of(centre), test="paired_t")
    return replace(plain, p=sign_flip(sums))


def _note(centre: Centre, differing: int, experiment: Experiment, metric: GateMetric) -> str | None:
    doubts = (
        _doubt(centre, differing, experiment)
        or _doubt_about_number(centre, differing, experiment, metric),
        _doubt_about_clusters(centre, experiment),
    )
    return "; ".join(filter(None, doubts)) or None


def _doubt(centre: Centre, differing: int, experiment: Experiment) -> str | None:
    if experiment.cluster and centre.clusters < 2:
        return "all tasks are of one cluster: there is no interval"
    if centre.n > 1 and not centre.varies:
        alike = "every task differs by the same" if differing else "no task differs"
        enough = centre.clusters >= fewest(experiment.level)
        return f"{alike}: {ALIKE if enough else ALIKE_AND_FEW}"
    return None


def _doubt_about_number(
    centre: Centre, differing: int, experiment: Experiment, metric: GateMetric
) -> str | None:
    """Say that there are too few for a test of signs; that of durations is none."""
    enough, what = fewest(experiment.level), "clusters" if experiment.cluster else "tasks"
    by_signs = metric != "duration_s"
    if centre.clusters < enough:
        few = f"fewer than {enough} {what}"
        return f"{few}: they can show no difference" if by_signs else f"{few} decide nothing"
    if 0 < differing < enough and by_signs and not experiment.cluster:
        return f"fewer than {enough} tasks differ: p cannot be below {1 - experiment.level:.2g}"
    return None


def _doubt_about_clusters(centre: Centre, experiment: Experiment) -> str | None:
    if experiment.cluster and 1 < centre.clusters < FEW_CLUSTERS:
        return f"fewer than {FEW_CLUSTERS} clusters: the interval is unreliable"
    return None


def _with_ratio(plain: Effect, sides: Sides, level: float) -> Effect:
    """Tell how many times as long it took: the geometric mean of ratios, Student's test on logs."""
    logs = [
        math.log(max(float(b), SHORTEST)) - math.log(max(float(a), SHORTEST))
        for a, b in zip(sides.baseline, sides.other, strict=True)
    ]
    centre = centre_of(logs, sides.clusters)
    ci = interval_of(centre, level)
    return replace(
        plain,
        p=chance_of(centre),
        test="t_on_logs",
        ratio=_power(centre.mean),
        ratio_ci=ci and (_power(ci[0]), _power(ci[1])),
    )


def _power(log: float) -> float:
    return math.exp(max(-FAR, min(FAR, log)))


def _table(sides: Sides) -> Fourfold:
    done = [(bool(a), bool(b)) for a, b in zip(sides.baseline, sides.other, strict=True)]
    return Fourfold(
        both=done.count((True, True)),
        only_a=done.count((True, False)),
        only_b=done.count((False, True)),
        neither=done.count((False, False)),
    )


def _with_table(plain: Effect, table: Fourfold, level: float) -> Effect:
    """Compare completions of one run each: McNemar's test, and Newcombe's interval."""
    low, high = newcombe(table, level)
    differing, enough = table.only_a + table.only_b, fewest(level)
    few = f"fewer than {enough} tasks differ: this test can show no difference"
    return replace(
        plain,
        ci=(100 * low, 100 * high),
        p=mcnemar(table.only_a, table.only_b),
        test="mcnemar",
        detectable=_detectable_share(plain, enough),
        note=few if 0 < differing < enough else None,
    )


def _detectable_share(plain: Effect, enough: int) -> float | None:
    """Give the change of the rate that shows: as many tasks as the test needs at the least."""
    if plain.n < enough:
        return None
    return min(100.0, max(plain.detectable or 0.0, 100.0 * enough / plain.n))


def _adjusted(found: Sequence[Measured]) -> tuple[Measured, ...]:
    """Adjust the chances over all metrics and conditions."""
    # A tie could not have come out otherwise, given no task differs: it takes no part.
    tested = [one.effect.p for one in found if one.effect.wins or one.effect.losses]
    adjusted = iter(holm(tested))
    return tuple(
        replace(one, effect=replace(one.effect, p_adjusted=_next(one.effect, adjusted)))
        for one in found
    )


def _next(effect: Effect, adjusted: Iterator[float]) -> float:
    return next(adjusted) if effect.wins or effect.losses else 1.0


def _mean(values: Sequence[Fraction]) -> float:
    """Give the float nearest to the mean, so that a difference just meets its limit."""
    return float(sum(values, Fraction(0)) / len(values))
