"""The mean of tasks that may come in clusters, and how far it can be trusted."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..ledger.comparison import Interval
from .paired import FOUR_OF_FIVE, SPREADLESS, mean_of
from .student import t_quantile, t_tail

FEW_CLUSTERS = 10  # below, the interval is too narrow more often than its level says


@dataclass(frozen=True, slots=True)
class Centre:
    """A mean over tasks with its standard error; tasks of one cluster are not independent."""

    mean: float
    error: float | None  # None: one cluster tells nothing of how clusters differ
    n: int  # of tasks
    clusters: int  # as many as tasks, where each stands for itself

    @property
    def varies(self) -> bool:
        """Say whether there is a spread to go by, beyond what rounding makes of equal values."""
        return self.error is not None and self.error > SPREADLESS * abs(self.mean)


def centre_of(values: Sequence[float], clusters: Sequence[Hashable]) -> Centre:
    """Give the mean with its cluster-robust standard error, CR1, by the cluster of each value.

    Where every value is a cluster of its own, it is the usual standard error.
    """
    middle, apart = mean_of(values), _gathered(values, clusters)
    count = len(apart)
    if count < 2:
        return Centre(middle, None, len(values), count)
    far = math.hypot(*(math.fsum(one - middle for one in group) for group in apart))
    error = math.sqrt(count / (count - 1)) * far / len(values)
    return Centre(middle, error, len(values), count)


def cluster_sums(values: Sequence[Fraction], clusters: Sequence[Hashable]) -> list[Fraction]:
    """Add up the values of each cluster: a coin's toss turns the sign of all of them at once."""
    sums: dict[Hashable, Fraction] = {}
    for cluster, value in zip(clusters, values, strict=True):
        sums[cluster] = sums.get(cluster, Fraction(0)) + value
    return [*sums.values()]


def fewest(level: float) -> int:
    """Give the number of tasks below which chance alone makes all fall one way too often.

    As few as that, no test of signs can be sure at this level: 6 at 95 %.
    """
    n = 1
    while 2.0 ** (1 - n) > 1 - level:
        n += 1
    return n


def interval_of(centre: Centre, level: float) -> Interval | None:
    """Give Student's interval of a mean, with as many degrees of freedom as clusters less one.

    Values without a spread have none. Then it is the sign-flip test turned around: any other mean
    than theirs would put all of them on one side, which enough of them rule out, and few do not.
    """
    if not centre.varies or centre.error is None:
        return (centre.mean, centre.mean) if centre.clusters >= fewest(level) else None
    half = t_quantile(level, centre.clusters - 1) * centre.error
    return centre.mean - half, centre.mean + half


def chance_of(centre: Centre) -> float:
    """Give the chance of a mean so far from 0, by Student's test; of equal values, by their signs.

    One cluster proves nothing: its chance is 1.
    """
    if not centre.mean or centre.clusters < 2:
        return 1.0
    if not centre.varies or centre.error is None:
        return 2.0 ** (1 - centre.clusters)
    return t_tail(centre.mean / centre.error, centre.clusters - 1)


def detectable_in(centre: Centre, level: float) -> float | None:
    """Give the mean that as many tasks, spread like these, show in four of five experiments."""
    if not centre.varies or centre.error is None:
        return None
    freedom = centre.clusters - 1
    return (t_quantile(level, freedom) + t_quantile(FOUR_OF_FIVE, freedom)) * centre.error


def _gathered(values: Sequence[float], clusters: Sequence[Hashable]) -> Sequence[Sequence[float]]:
    groups: dict[Hashable, list[float]] = {}
    for cluster, value in zip(clusters, values, strict=True):
        groups.setdefault(cluster, []).append(value)
    return [*groups.values()]
