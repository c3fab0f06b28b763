"""Which cases pass less often than before, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..ledger.baseline import TrialFigures
from .exact import Stratum, drop_chance, drops_chance
from .matched import Matched, Pair, figures_of

# Of the runs in which nothing changed, one in twenty may fail. An interval is wrong about its bad
# end in one of a hundred; each duration that is gated takes that share, the cases have the rest.
FALSE_ALARMS = 0.05
ONE_END = 0.01
ROUNDING = 1e-9  # of sums of chances, which may just meet their limit


@dataclass(frozen=True, slots=True)
class Drops:
    """The cases that pass less often than before, and what is known about that."""

    fell: tuple[Pair, ...]  # those that fell most first
    too_low: tuple[Pair, ...]  # those of them that do not pass often enough
    beyond_chance: bool  # all of them taken together
    proven: tuple[str, ...]  # those with evidence of their own


@dataclass(frozen=True, slots=True)
class Newcomers:
    """The cases that the baseline does not have, if not all their judged trials passed."""

    never_passed: tuple[str, ...]
    failed_in_some: tuple[str, ...]


def drops_of(matched: Matched) -> Drops:
    """Find the cases that pass less often than before, and weigh them together and one by one."""
    pairs, chance, enough = tried(matched), chance_for_cases(matched), _enough(matched)
    fell = sorted((pair for pair in pairs if _change(pair) < 0), key=_change)
    too_low = [pair for pair in fell if rate(pair.now) < enough]
    strata = [_stratum(pair.before, pair.now, enough) for pair in pairs]
    beyond_chance = drops_chance(strata) <= chance
    proven = [
        pair.id
        for pair in too_low
        if beyond_chance and drop_chance(_stratum(pair.before, pair.now)) <= chance
    ]
    return Drops(tuple(fell), tuple(too_low), beyond_chance, tuple(proven))


def newcomers_of(matched: Matched) -> Newcomers:
    """Find the added cases that did not pass in all their judged trials."""
    before = {case.id for case in matched.baseline.cases}
    added = {case.id: figures_of(case) for case in matched.summary.cases if case.id not in before}
    never = (id for id, figures in added.items() if figures.n and not figures.passed)
    some = (id for id, figures in added.items() if 0 < figures.passed < figures.n)
    return Newcomers(tuple(sorted(never)), tuple(sorted(some)))


def tried(matched: Matched) -> Sequence[Pair]:
    """List the cases that were judged in at least one trial now."""
    return [pair for pair in matched.pairs if pair.now.n]


def improved(pair: Pair) -> bool:
    """Say whether a case passes more often than before, beyond chance."""
    return drop_chance(_stratum(pair.now, pair.before)) <= FALSE_ALARMS + ROUNDING


def hardly_passes_now(pair: Pair) -> bool:
    """Say whether a case looks broken, however few its trials."""
    return rate(pair.before) > Fraction(1, 2) and rate(pair.now) <= Fraction(1, 4)


def chance_for_cases(matched: Matched) -> float:
    """Give the share of false alarms that the cases may take."""
    limits = matched.thresholds
    timed = (limits.max_avg_wall_ms_delta_pct, limits.max_p95_wall_ms_delta_pct)
    return FALSE_ALARMS - ONE_END * sum(limit is not None for limit in timed) + ROUNDING


def rate(figures: TrialFigures) -> Fraction:
    """Give the share of passing trials."""
    return Fraction(figures.passed, figures.n)


def _change(pair: Pair) -> Fraction:
    return rate(pair.now) - rate(pair.before)


def _enough(matched: Matched) -> float:
    """Give the rate at which a single case still counts as passing."""
    least = matched.thresholds.min_success_rate
    return 1.0 if least is None else max(least, 0.5)


def _stratum(before: TrialFigures, now: TrialFigures, enough: float = 1.0) -> Stratum:
    return Stratum(before.passed, before.n, now.passed, now.n, enough)
