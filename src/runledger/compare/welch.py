"""Two groups of unlike spread: Welch's test of their means, and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..ledger.comparison import Interval
from .paired import SPREADLESS, mean_of, standard_error
from .student import t_quantile, t_tail


class Apart(NamedTuple):
    """By how much two means differ; no interval and no chance where nothing tells the spread."""

    difference: float
    ci: Interval | None = None
    p: float | None = None


def welch(a: Sequence[float], b: Sequence[float], level: float = 0.95) -> Apart:
    """Compare the means of two groups that have at least one value each, A less B."""
    difference = mean_of(a) - mean_of(b)
    if min(len(a), len(b)) < 2:
        return Apart(difference)
    shares = [standard_error(group) ** 2 for group in (a, b)]
    error = sum(shares) ** 0.5
    if error <= SPREADLESS * max(abs(mean_of(a)), abs(mean_of(b))):
        return Apart(difference)
    freedom = _freedom(shares, (len(a), len(b)))
    half = t_quantile(level, freedom) * error
    ci = difference - half, difference + half
    return Apart(difference, ci, t_tail(difference / error, freedom))


def _freedom(shares: Sequence[float], sizes: Sequence[int]) -> float:
    """Give the degrees of freedom of Welch and Satterthwaite."""
    parts = [share / sum(shares) for share in shares]
    return 1 / sum(part * part / (n - 1) for part, n in zip(parts, sizes, strict=True))
