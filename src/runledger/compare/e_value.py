"""Looking early without being fooled: an e-value of wins and losses, valid at any time."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

MOST_FURTHER = 100_000


def e_value(wins: int, losses: int) -> float:
    """Weigh wins and losses against tosses of a coin; whoever stops at 1/alpha errs that rarely.

    It is the chance of this very sequence if every share of wins were as likely as any other, over
    its chance if each win were a coin's toss.
    """
    n = wins + losses
    try:
        return (1 << n) / ((n + 1) * math.comb(n, wins))
    except OverflowError:
        return sys.float_info.max


def threshold_of(level: float, comparisons: int = 1) -> float:
    """Give the e-value that decides; with several comparisons each has its share of the error."""
    return float(comparisons / (1 - Fraction(str(level))))


def further_pairs(wins: int, losses: int, threshold: float) -> int | None:
    """Give how many more wins and losses in this proportion decide; None if too many would not."""
    found = wins + losses
    if wins == losses:
        return None
    for n in range(found + 1, found + MOST_FURTHER + 1):
        if _log_e(n * wins / found, n * losses / found) >= math.log(threshold):
            return n - found
    return None


def _log_e(wins: float, losses: float) -> float:
    n = wins + losses
    return n * math.log(2) + math.lgamma(wins + 1) + math.lgamma(losses + 1) - math.lgamma(n + 2)
