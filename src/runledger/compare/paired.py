"""What pairs say about a change: intervals and exact tests over tasks tried on both sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from .student import t_quantile, t_tail

LEVEL = 0.95
FAR = 700.0  # the logarithm of about the largest number there is
MOST_STEPS = 5_000  # so that a thousand pairs take a fraction of a second
FOUR_OF_FIVE = 0.6  # the level of the interval that has a fifth on each side
SPREADLESS = 1e-12  # of the mean: what rounding alone makes of equal values


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


def t_chance(values: Sequence[float]) -> float:
    """Give the chance of a mean so far from 0, by Student's test, or 1 for fewer than two values.

    Equal values have no spread to go by: then it is the chance that all signs agree.
    """
    if len(values) < 2 or not mean_of(values):
        return 1.0
    error = standard_error(values)
    if error <= SPREADLESS * abs(mean_of(values)):
        return 2.0 ** (1 - len(values))
    return t_tail(mean_of(values) / error, len(values) - 1)


def detectable(values: Sequence[float]) -> float | None:
    """Give the mean that so many values, spread like these, show in four of five cases."""
    if len(values) < 2:
        return None
    freedom, error = len(values) - 1, standard_error(values)
    if error <= SPREADLESS * abs(mean_of(values)):
        return None
    return (t_quantile(LEVEL, freedom) + t_quantile(FOUR_OF_FIVE, freedom)) * error


def sign_flip(differences: Sequence[Fraction], most_steps: int = MOST_STEPS) -> float:
    """Give the chance that the sum lies as far from 0 if each sign were a coin's toss.

    It is exact where a grid of so many steps holds all differences; else they are rounded to one,
    since the finest grid of ragged numbers of trials grows with their least common multiple.
    """
    steps = _on_a_grid(differences, most_steps)
    sizes = [abs(step) for step in steps if step]
    total, found = sum(sizes), abs(sum(steps))
    if not found:
        return 1.0
    # A sum of `found` or more has turned at most this much over to the negative side.
    turned = [1.0] + [0.0] * ((total - found) // 2)  # the chance of each such amount
    for size in sizes:
        turned = [(kept + new) / 2 for kept, new in zip(turned, _moved(turned, size), strict=True)]
    return min(1.0, 2 * math.fsum(turned))  # far on the other side is as likely


def _on_a_grid(differences: Sequence[Fraction], most_steps: int) -> Sequence[int]:
    finest = math.lcm(*(one.denominator for one in differences))
    coarse = most_steps / max(sum(map(abs, differences)), Fraction(1, finest))
    scale = min(Fraction(finest), coarse)
    return [round(one * scale) for one in differences]


def _moved(chances: Sequence[float], size: int) -> Sequence[float]:
    return [*([0.0] * size), *chances][: len(chances)]


def geometric_mean(values: Sequence[float]) -> float:
    """Give the geometric mean of positive values."""
    return math.exp(mean_of([math.log(value) for value in values]))


def ratio_interval(ratios: Sequence[float], level: float = LEVEL) -> tuple[float, float] | None:
    """Give the interval of the geometric mean of ratios: Student's, on their logarithms."""
    interval = t_interval([math.log(ratio) for ratio in ratios], level)
    return interval and (math.exp(max(interval[0], -FAR)), math.exp(min(interval[1], FAR)))
