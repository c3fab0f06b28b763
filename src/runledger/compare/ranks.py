"""Two samples of durations by their ranks: Mann-Whitney's test, and Hodges and Lehmann's ratio."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from functools import cache

from .rates import quantile

EXACT_PAIRS = 2_500  # beyond it, the normal distribution is near enough
MOST_VALUES = 500  # of a side, so that a quarter of a million ratios are the most
Z_95 = 1.959963984540054


def mann_whitney(a: Sequence[float], b: Sequence[float]) -> float:
    """Give the chance of ranks so uneven on either side: exact for small samples without ties."""
    ordered = sorted(b)
    above = sum(bisect_left(ordered, one) + bisect_right(ordered, one) for one in a)  # in halves
    far = max(above, 2 * len(a) * len(b) - above) / 2
    if len({*a, *b}) == len(a) + len(b) and len(a) * len(b) <= EXACT_PAIRS:
        at_most = len(a) * len(b) - math.floor(far)  # as likely as `far` or more
        counts = _counts(*sorted((len(a), len(b))))
        return min(1.0, 2 * sum(counts[: at_most + 1]) / sum(counts))
    return _normal_chance(a, b, far)


def hodges_lehmann(a: Sequence[float], b: Sequence[float]) -> float:
    """Give the median ratio of values of B to values of A, all of them positive."""
    return math.exp(quantile(_log_ratios(a, b), 0.5))


def hodges_lehmann_interval(a: Sequence[float], b: Sequence[float]) -> tuple[float, float] | None:
    """Give the 95 % interval of the median ratio; None where too few values bound it."""
    left_out = _left_out(len(a), len(b))
    if left_out < 1:
        return None
    ratios = _log_ratios(a, b)
    place = max(1, left_out * len(ratios) // (len(a) * len(b)))  # the same share, if thinned
    return math.exp(ratios[place - 1]), math.exp(ratios[-place])


def _log_ratios(a: Sequence[float], b: Sequence[float]) -> Sequence[float]:
    logs_a, logs_b = (_thinned([math.log(one) for one in values]) for values in (a, b))
    return sorted(b - a for a in logs_a for b in logs_b)


def _thinned(values: Sequence[float]) -> Sequence[float]:
    """Keep evenly spread quantiles of very many values."""
    if len(values) <= MOST_VALUES:
        return values
    ordered, last = sorted(values), MOST_VALUES - 1
    return [ordered[round(step * (len(values) - 1) / last)] for step in range(MOST_VALUES)]


def _left_out(n: int, m: int) -> int:
    """Find the last of the sorted ratios that may lie outside, on each side, by the test."""
    if n * m > EXACT_PAIRS:
        return math.floor(n * m / 2 - Z_95 * math.sqrt(n * m * (n + m + 1) / 12))
    counts = _counts(*sorted((n, m)))
    total, tail = sum(counts), 0
    for place, ways in enumerate(counts):
        tail += ways
        if tail > 0.025 * total:
            return place
    return 0


@cache
def _counts(n: int, m: int) -> Sequence[int]:
    """Count the orders of n and m values by the pairs in which the first sample's is greater.

    They are the coefficients of a Gaussian binomial: a product of (1 - x^(m+i)) / (1 - x^i).
    """
    counts = [1] + [0] * (n * m)
    for i in range(1, n + 1):
        for place in range(n * m, m + i - 1, -1):
            counts[place] -= counts[place - m - i]
        for place in range(i, n * m + 1):
            counts[place] += counts[place - i]
    return counts


def _normal_chance(a: Sequence[float], b: Sequence[float], far: float) -> float:
    """Give the chance by the normal distribution, with ties and steps allowed for."""
    n, m = len(a), len(b)
    size = n + m
    tied = sum(times**3 - times for times in Counter([*a, *b]).values())
    variance = n * m / 12 * (size + 1 - tied / (size * (size - 1)))
    if variance <= 0:  # all values are equal
        return 1.0
    z = (far - n * m / 2 - 0.5) / math.sqrt(variance)
    return min(1.0, math.erfc(z / math.sqrt(2)))
