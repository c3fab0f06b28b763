"""Pass or fail on both sides of a pair: how likely a change is by chance, and how large it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .rates import wilson


@dataclass(frozen=True, slots=True)
class Fourfold:
    """How many tasks passed on both sides, on one of them, and on none."""

    both: int
    only_a: int
    only_b: int
    neither: int


def mcnemar(only_a: int, only_b: int) -> float:
    """Give the exact chance of discordant pairs so uneven, if each were a coin's toss."""
    n, fewer = only_a + only_b, min(only_a, only_b)
    ways, tail = 1, 0
    for k in range(fewer + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << n))


def newcombe(table: Fourfold, level: float = 0.95) -> tuple[float, float]:
    """Give the interval of the difference of two paired rates, B less A: Newcombe's method 10."""
    n = table.both + table.only_a + table.only_b + table.neither
    passed_a, passed_b = table.both + table.only_a, table.both + table.only_b
    (low_a, high_a), (low_b, high_b) = wilson(passed_a, n, level), wilson(passed_b, n, level)
    rate_a, rate_b, phi = passed_a / n, passed_b / n, _correlation(table)
    difference = (table.only_b - table.only_a) / n
    return (
        max(-1.0, difference - _apart(rate_b - low_b, high_a - rate_a, phi)),
        min(1.0, difference + _apart(high_b - rate_b, rate_a - low_a, phi)),
    )


def _apart(one: float, other: float, phi: float) -> float:
    """Add two distances that go together; in exact sums, so that swapped sides are mirrored."""
    return math.sqrt(max(0.0, math.fsum((one * one, -2 * phi * (one * other), other * other))))


def _correlation(table: Fourfold) -> float:
    """Give phi, drawn towards 0 where it is positive, as the method asks."""
    passed_a, passed_b = table.both + table.only_a, table.both + table.only_b
    failed_a, failed_b = table.neither + table.only_b, table.neither + table.only_a
    margins = passed_a * failed_a * passed_b * failed_b
    if not margins:
        return 0.0
    together = table.both * table.neither - table.only_a * table.only_b
    if together > 0:
        return max(together - (passed_a + failed_a) / 2, 0.0) / math.sqrt(margins)
    return together / math.sqrt(margins)
