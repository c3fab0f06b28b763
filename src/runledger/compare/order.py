"""Bounds of a quantile from order statistics, whatever the distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence


def quantile_bounds(
    values: Sequence[float], q: float, level: float = 0.95
) -> tuple[float, float] | None:
    """Give a lower and an upper bound, each holding at this level; None with too few values."""
    ordered, n = sorted(values), len(values)
    below = 0.0  # the chance that fewer than `rank` values lie below the quantile
    low = None
    for rank in range(1, n + 1):
        before, below = below, below + _binomial(rank - 1, n, q)
        if before <= 1 - level < below:
            low = rank - 1
        if below >= level:
            return None if not low else (ordered[low - 1], ordered[rank - 1])
    return None


def _binomial(k: int, n: int, q: float) -> float:
    """Give the chance of k successes in n, by logarithms: the factors may underflow."""
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(ways + k * math.log(q) + (n - k) * math.log1p(-q))
