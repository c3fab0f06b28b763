"""How many further tasks, or clusters of them, would put an interval on one side of a limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from .clusters import Centre, fewest
from .mcnemar import Fourfold, newcombe
from .paired import SPREADLESS
from .student import t_quantile

MOST_FURTHER = 100_000


class Further(NamedTuple):
    """A number, or why there is none; the note may also say what stands in the way."""

    number: int | None
    note: str | None = None


def further_units(centre: Centre, limit: float, level: float, what: str = "tasks") -> Further:
    """Tell how many more tasks, spread like these around the same mean, would decide.

    Where they come in clusters it counts clusters: more tasks of the same tell nothing of others.
    """
    now, enough = centre.clusters, fewest(level)
    few = _too_few(now, enough, what)
    least = max(now + 1, enough)
    if not centre.varies:
        return Further(least - now, few)
    distance = abs(centre.mean - limit)
    if distance <= SPREADLESS * max(abs(limit), centre.error or 0.0):
        return Further(None, on_the_limit(what))
    found = _search(lambda n: _half_width(centre, n, level) <= distance, least, now + MOST_FURTHER)
    return Further(None, too_many(what)) if found is None else Further(found - now, few)


def further_in_table(table: Fourfold, limit: float, level: float) -> Further:
    """Tell how many more tasks, passed in the same shares, would decide by Newcombe's interval.

    It never shrinks to a point, not even where no task differs. The limit is a share, too.
    """
    now, enough = table.n, fewest(level)
    if math.isclose((table.only_b - table.only_a) / now, limit, abs_tol=SPREADLESS):
        return Further(None, on_the_limit("tasks"))

    def decide(n: int) -> bool:
        low, high = newcombe(table, level, n / now)
        return not low <= limit <= high

    found = _search(decide, max(now + 1, enough), now + MOST_FURTHER)
    if found is None:
        return Further(None, too_many("tasks"))
    return Further(found - now, _too_few(now, enough, "tasks"))


def on_the_limit(what: str) -> str:
    """Say that the interval holds the limit in its midst, however narrow it gets."""
    return f"the estimate lies on the limit: no number of {what} like these would decide"


def too_many(what: str) -> str:
    """Say that nobody would run as many as it takes."""
    return f"more than {MOST_FURTHER:,} further {what} like these would be needed to decide"


def _too_few(now: int, enough: int, what: str) -> str | None:
    return f"fewer than {enough} {what} decide nothing" if now < enough else None


def _search(decide: Callable[[int], bool], least: int, most: int) -> int | None:
    """Find the least number that decides; None if the most does not.

    Student's quantile falls with the number, too: a square law alone asks for too few.
    """
    if not decide(most):
        return None
    while least < most:
        middle = (least + most) // 2
        if decide(middle):
            most = middle
        else:
            least = middle + 1
    return least


def _half_width(centre: Centre, n: int, level: float) -> float:
    error = (centre.error or 0.0) * math.sqrt(centre.clusters / n)
    return t_quantile(level, n - 1) * error
