"""Exact tests for counts: how likely a drop is when nothing has changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FINEST = 50
MOST_SCORES = 2500  # of all strata together: so a thousand cases take a second, not minutes


@dataclass(frozen=True, slots=True)
class Stratum:
    """One task's trials on both sides, and the rate from which on it is well again."""

    passed_before: int
    n_before: int
    passed_now: int
    n_now: int
    enough: float = 1.0


def drop_chance(stratum: Stratum) -> float:
    """Give the chance of so few passing trials now, by Fisher's exact test on one side."""
    return math.fsum(
        chance for passed_now, chance in _outcomes(stratum) if passed_now <= stratum.passed_now
    )


def drops_chance(strata: Sequence[Stratum]) -> float:
    """Give the chance of drops as grave as these, all tasks taken together.

    Without a change, the trials of a task could have been dealt to the two sides in any way. Every
    deal is scored by the sum of its tasks' squared drops, so that one broken task weighs more than
    many shaky ones, and tasks that got better do not hide those that got worse.
    """
    open_ones = [one for one in strata if 0 < one.passed_before + one.passed_now < _trials(one)]
    fineness = max(1, min(FINEST, MOST_SCORES // max(1, len(open_ones))))
    found = sum(_score(one, one.passed_now, fineness) for one in open_ones)
    if not found:
        return 1.0
    lesser = [1.0] + [0.0] * (found - 1)  # the chance of each sum that is less grave than ours
    for one in open_ones:
        lesser = _one_more(lesser, _chances(one, fineness))
    return max(0.0, 1 - math.fsum(lesser))


def _one_more(sums: Sequence[float], chances: Mapping[int, float]) -> list[float]:
    """Add one more task's score to sums, and forget those that grow too large."""
    after = [0.0] * len(sums)
    for score, chance in chances.items():
        for total in range(len(sums) - score):
            after[total + score] += sums[total] * chance
    return after


def _chances(stratum: Stratum, fineness: int) -> Mapping[int, float]:
    """Give the chance of each score that a task may have."""
    chances: dict[int, float] = {}
    for passed_now, chance in _outcomes(stratum):
        score = _score(stratum, passed_now, fineness)
        chances[score] = chances.get(score, 0.0) + chance
    return chances


def _outcomes(stratum: Stratum) -> Iterator[tuple[int, float]]:
    """Yield how many trials could have passed now, the passing ones dealt at random."""
    passed = stratum.passed_before + stratum.passed_now
    deals = math.comb(_trials(stratum), passed)
    for now in range(max(0, passed - stratum.n_before), min(passed, stratum.n_now) + 1):
        ways = math.comb(stratum.n_now, now) * math.comb(stratum.n_before, passed - now)
        yield now, ways / deals


def _score(stratum: Stratum, passed_now: int, fineness: int) -> int:
    passed = stratum.passed_before + stratum.passed_now
    now = passed_now / stratum.n_now
    drop = (passed - passed_now) / stratum.n_before - now
    return round(fineness * drop * drop) if drop > 0 and now < stratum.enough else 0


def _trials(stratum: Stratum) -> int:
    return stratum.n_before + stratum.n_now
