"""How many further tasks would put an interval on one side of a limit."""

from __future__ import annotations

import math
from typing import NamedTuple

from .clusters import Centre, fewest
from .paired import SPREADLESS
from .student import t_quantile

MOST_FURTHER = 100_000
ON_THE_LIMIT = "the estimate lies on the limit: no number of tasks like these would decide"
TOO_MANY = f"more than {MOST_FURTHER:,} further tasks like these would be needed to decide"


class Further(NamedTuple):
    """A number of tasks, or why there is none; the note may also say what stands in the way."""

    number: int | None
    note: str | None = None


def further_tasks(centre: Centre, limit: float, level: float) -> Further:
    """Tell how many more tasks, spread like these around the same mean, would decide."""
    enough, what = fewest(level), "tasks" if centre.clusters == centre.n else "clusters"
    few = f"fewer than {enough} {what} decide nothing" if centre.clusters < enough else None
    least = max(centre.n + 1, math.ceil(enough * centre.n / centre.clusters))
    if not centre.varies:
        return Further(least - centre.n, few)
    distance = abs(centre.mean - limit)
    if distance <= SPREADLESS * max(abs(limit), centre.error or 0.0):
        return Further(None, ON_THE_LIMIT)
    found = _search(centre, distance, level, least)
    return Further(None, TOO_MANY) if found is None else Further(found - centre.n, few)


def _search(centre: Centre, distance: float, level: float, least: int) -> int | None:
    """Find the least number of tasks whose interval reaches no farther than the limit.

    Student's quantile falls with their number, too: a square law alone asks for too few.
    """
    low, high = least, centre.n + MOST_FURTHER
    if _half_width(centre, high, level) > distance:
        return None
    while low < high:
        middle = (low + high) // 2
        if _half_width(centre, middle, level) <= distance:
            high = middle
        else:
            low = middle + 1
    return low


def _half_width(centre: Centre, n: int, level: float) -> float:
    clusters = max(2, centre.clusters * n // centre.n)
    return t_quantile(level, clusters - 1) * (centre.error or 0.0) * math.sqrt(centre.n / n)
