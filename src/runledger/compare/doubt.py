"""What the statistical gate says of a run: which cases fell, and how many trials would decide."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .drops import Drops, Newcomers, chance_for_cases, rate, tried
from .exact import Stratum, drop_chance, drops_chance
from .matched import Matched, Pair

MOST_TRIALS = 1000
MANY_TRIALS = 100  # beyond, all cases together are costly to imagine
NAMED = 5


def fell_together(drops: Drops) -> str:
    """Say that no case alone can be blamed, and which fell most."""
    return (
        "together the cases pass less often, beyond chance, though none of them surely by itself;"
        f" most fell: {_told(drops.too_low)}"
    )


def fell_a_little(drops: Drops) -> str | None:
    """Name the cases that pass less often without being called failing; None if there is none."""
    return f"pass less often now: {_told(drops.fell)}" if drops.fell else None


def never_passed(newcomers: Newcomers) -> str:
    """Name the new cases that no trial passed."""
    return f"new cases that never passed: {_names(newcomers.never_passed)}"


def failed_in_some(newcomers: Newcomers) -> str:
    """Name the new cases whose failing trials may be chance: there is nothing to compare with."""
    return f"new cases that failed in some trials: {_names(newcomers.failed_in_some)}"


def doubt_about(pairs: Sequence[Pair], matched: Matched) -> str:
    """Say which cases look broken, and how many trials would tell."""
    chance = chance_for_cases(matched)
    distinct = {(pair.before, pair.now): pair for pair in pairs}.values()
    decisive = how_many(max(_decisive_trials(pair, chance) for pair in distinct))
    return f"this may be chance: {_told(pairs)}; {decisive}, in the baseline too, would decide"


def doubt_about_all(matched: Matched) -> str:
    """Say how many trials of each case would tell the same drops from chance."""
    trials = matched.summary.record.manifest.trials
    while trials < MANY_TRIALS:
        trials += max(1, trials // 4)
        strata = [_scaled(pair, trials) for pair in tried(matched)]
        if drops_chance(strata) <= chance_for_cases(matched):
            return f"this may be chance; {how_many(trials)}, in the baseline too, would decide"
    return f"this may be chance; even {trials} trials of each case would not decide"


def trials_to_decide(matched: Matched, half_width: float, effect: float) -> str:
    """Say how many trials would make an interval narrower than the effect it is about."""
    trials = matched.summary.record.manifest.trials
    needed = math.ceil(trials * min(half_width / effect, MOST_TRIALS) ** 2)
    return f"this may be chance; {how_many(max(needed, trials + 1))} would decide"


def how_many(trials: int) -> str:
    """Write a number of trials that was foreseen, and so is rough."""
    if trials >= MOST_TRIALS:
        return f"{MOST_TRIALS:,} trials of each case or more"
    return f"about {trials:,} trials of each case"


def _decisive_trials(pair: Pair, chance: float) -> int:
    """Find the least number of trials on each side at which the same rates are no chance."""
    for n in range(2, MOST_TRIALS):
        if drop_chance(_scaled(pair, n)) <= chance:
            return n
    return MOST_TRIALS


def _scaled(pair: Pair, trials: int) -> Stratum:
    """Imagine the same rates in another number of trials."""
    before, now = (round(rate(side) * trials) for side in (pair.before, pair.now))
    return Stratum(before, trials, now, trials)


def _told(pairs: Sequence[Pair]) -> str:
    shown = ", ".join(
        f"{pair.id} (passed {pair.before.passed} of {pair.before.n} before,"
        f" {pair.now.passed} of {pair.now.n} now)"
        for pair in pairs[:NAMED]
    )
    return shown + _more(pairs)


def _names(ids: Sequence[str]) -> str:
    return ", ".join(ids[:NAMED]) + _more(ids)


def _more(things: Sequence[object]) -> str:
    return f" and {len(things) - NAMED} more" if len(things) > NAMED else ""
