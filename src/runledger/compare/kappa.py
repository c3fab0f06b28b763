"""How far two judges agree beyond chance: Cohen's kappa."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

from ..ledger.comparison import Interval

Said: TypeAlias = tuple[Hashable, Hashable]  # of one thing, by one judge and by the other


class Kappa(NamedTuple):
    """Cohen's kappa with its interval, each None where it cannot be told."""

    value: float | None
    ci: Interval | None


def kappa_of(said: Sequence[Said], level: float = 0.95) -> Kappa:
    """Give kappa, with the large-sample interval of Fleiss, Cohen and Everitt (1969).

    Judges who always say the same one word agree by chance alone, and have no kappa. Judges who
    never differ have no interval: its formula knows no doubt there, however few things they saw.
    """
    n = len(said)
    if not n:
        return Kappa(None, None)
    cells = {pair: count / n for pair, count in Counter(said).items()}
    rows, columns = (_shares([pair[side] for pair in said]) for side in (0, 1))
    agreed = math.fsum(share for (a, b), share in cells.items() if a == b)
    by_chance = math.fsum(share * columns.get(word, 0.0) for word, share in rows.items())
    if math.isclose(by_chance, 1.0, abs_tol=1e-12):
        return Kappa(None, None)
    value = (agreed - by_chance) / (1 - by_chance)
    spread = _variance_sum(cells, rows, columns, value) - (value - by_chance * (1 - value)) ** 2
    error = math.sqrt(max(0.0, spread) / n) / (1 - by_chance)
    if all(a == b for a, b in said) or error <= 1e-9:
        return Kappa(value, None)
    half = NormalDist().inv_cdf((1 + level) / 2) * error
    return Kappa(value, (max(-1.0, value - half), min(1.0, value + half)))


def _variance_sum(
    cells: dict[Said, float],
    rows: dict[Hashable, float],
    columns: dict[Hashable, float],
    value: float,
) -> float:
    """Add up what each cell of the table of both judges' words adds to the variance."""
    return math.fsum(
        share * (1 - (rows[a] + columns[b]) * (1 - value)) ** 2
        if a == b
        else share * ((columns.get(a, 0.0) + rows.get(b, 0.0)) * (1 - value)) ** 2
        for (a, b), share in cells.items()
    )


def _shares(words: Sequence[Hashable]) -> dict[Hashable, float]:
    return {word: count / len(words) for word, count in Counter(words).items()}
