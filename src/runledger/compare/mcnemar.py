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

    @property
    def n(self) -> int:
        """Give the number of tasks."""
        return self.both + self.only_a + self.only_b + self.neither


def mcnemar(only_a: int, only_b: int) -> float:
    """Give the exact chance of discordant pairs so uneven, if each were a coin's toss."""
    n, fewer = only_a + only_b, min(only_a, only_b)
    ways, tail = 1, 0
    for k in range(fewer + 1):
        tail += ways
        ways = ways * (n - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << n))


def newcombe(table: Fourfold, level: float = 0.95, times: float = 1.0) -> tuple[float, float]:
    """Give the interval of the difference of two paired rates, B less A: Newcombe's method 10.

    It may be that of a table so many `times` as large, in which all shares are the same.
    """
    n, passed_a, passed_b = table.n, table.both + table.only_a, table.both + table.only_b
    low_a, high_a = wilson(times * passed_a, times * n, level)
    low_b, high_b = wilson(times * passed_b, times * n, level)
    rate_a, rate_b, phi = passed_a / n, passed_b / n, _correlation(table, times)
    difference = (table.only_b - table.only_a) / n
    return (
        max(-1.0, difference - _apart(rate_b - low_b, high_a - rate_a, phi)),
        min(1.0, difference + _apart(high_b - rate_b, rate_a - low_a, phi)),
    )


def _apart(one: float, other: float, phi: float) -> float:
    """Add two distances that go together; in exact sums, so that swapped sides are mirrored."""
    return math.sqrt(max(0.0, math.fsum((one * one, -2 * phi * (one * other), other * other))))


def _correlation(table: Fourfold, times: float) -> float:
    """Give phi, drawn towards 0 where it is positive, as the method asks; less so if it grows."""
    passed_a, passed_b = table.both + table.only_a, table.both + table.only_b
    failed_a, failed_b = table.neither + table.only_b, table.neither + table.only_a
    margins = passed_a * failed_a * passed_b * failed_b
    if not margins:
        return 0.0
    together = table.both * table.neither - table.only_a * table.only_b
    if together > 0:
        return max(together - table.n / (2 * times), 0.0) / math.sqrt(margins)
    return together / math.sqrt(margins)
