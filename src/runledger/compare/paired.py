"""What pairs say about a change: intervals and exact tests over tasks tried on both sides."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from .student import t_quantile, t_tail

LEVEL = 0.95
FAR = 700.0  # the logarithm of about the largest number there is


def mean_of(values: Sequence[float]) -> float:
    """Give the mean, the same in whatever order the values come."""
    return math.fsum(values) / len(values)


def standard_error(values: Sequence[float]) -> float:
    """Give the standard error of the mean of at least two values."""
    middle, n = mean_of(values), len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (n - 1) / n)


def t_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float] | None:
    """Give Student's interval of a mean; of fewer than two values there is none."""
    if len(values) < 2:
        return None
    half = t_quantile(level, len(values) - 1) * standard_error(values)
    return mean_of(values) - half, mean_of(values) + half


def t_test(differences: Sequence[float]) -> float:
    """Give the chance that differences of at least two pairs lie as far from 0 without a change."""
    error = standard_error(differences)
    if error == 0:
        return 1.0 if mean_of(differences) == 0 else 0.0
    return t_tail(mean_of(differences) / error, len(differences) - 1)


def sign_flip(differences: Sequence[Fraction]) -> float:
    """Give the exact chance that the sum lies as far from 0 if each sign were a coin's toss."""
    scale = math.lcm(*(one.denominator for one in differences))
    steps = [abs(int(one * scale)) for one in differences if one]
    found = abs(int(sum(differences) * scale))
    ways = Counter({0: 1})
    for step in steps:
        tossed: Counter[int] = Counter()
        for total, number in ways.items():
            tossed[total + step] += number
            tossed[total - step] += number
        ways = tossed
    as_far = sum(number for total, number in ways.items() if abs(total) >= found)
    return as_far / (1 << len(steps))


def geometric_mean(values: Sequence[float]) -> float:
    """Give the geometric mean of positive values."""
    return math.exp(mean_of([math.log(value) for value in values]))


def ratio_interval(ratios: Sequence[float], level: float = LEVEL) -> tuple[float, float] | None:
    """Give the interval of the geometric mean of ratios: Student's, on their logarithms."""
    interval = t_interval([math.log(ratio) for ratio in ratios], level)
    return interval and (math.exp(max(interval[0], -FAR)), math.exp(min(interval[1], FAR)))
