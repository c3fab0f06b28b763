"""The rules of the gate for several trials of each case: chance alone fails no run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from ..ledger.baseline import TrialFigures
from ..ledger.regression import Check
from .exact import Stratum, drop_chance, drops_chance
from .matched import NOT_SET, Matched, Pair, Ruling, difference, figures_of
from .order import quantile_bounds
from .paired import geometric_mean, ratio_interval, sign_flip, t_interval
from .rates import quantile, wilson
from .slowness import AVERAGE, P95, answered, judge_slowness

# Of the runs in which nothing changed, one in twenty may fail. An interval is wrong about its bad
# end in one of a hundred; each duration that is gated takes that share, the cases have the rest.
FALSE_ALARMS = 0.05
ONE_END = 0.01
LEVEL = 1 - 2 * ONE_END
ROUNDING = 1e-9  # of sums of chances, which may just meet their limit
MOST_TRIALS = 1000
MANY_TRIALS = 100  # beyond, all cases together are costly to imagine
NAMED = 5


def success(matched: Matched) -> Ruling:
    """Ask for the least mean of the cases' rates; a mean below it must be beyond chance."""
    asked, now = matched.thresholds.min_success_rate, _figures_now(matched)
    told = _success_figures(matched, now)
    if asked is None:
        return Ruling(replace(told, note=NOT_SET))
    if told.current is None:
        return Ruling(replace(told, note="no case was judged"), undecided=True)
    if told.current >= asked:
        return Ruling(replace(told, status="pass"))
    if _surely_below(asked, now) or _surely_worse(matched, told):
        return Ruling(replace(told, status="fail"))
    if asked < 1:
        short, doubt = asked - told.current, _highest_rate(now) - told.current
        return _undecided(told, f"this may be chance; {_trials_to_decide(matched, doubt, short)}")
    if told.delta is None or told.delta >= 0:
        return Ruling(replace(told, status="warn", note="below what is asked for, but no worse"))
    return _undecided(told, _doubt_about_all(matched))


def cases(matched: Matched) -> Ruling:
    """Allow no case to get worse beyond chance, nor to be left without a judged trial."""
    tried = [pair for pair in matched.pairs if pair.now.n]
    untried = [pair.id for pair in matched.pairs if not pair.now.n and pair.passes_now is False]
    unknown = [pair.id for pair in matched.pairs if pair.passes_now is None]
    fallen = tuple(sorted([*_worse(tried, matched), *untried]))
    risen = tuple(pair.id for pair in tried if _improved(pair))
    told = Check("newly_failing", "fail" if fallen else "pass", current=len(fallen), threshold=0)
    if fallen:
        return Ruling(told, fallen=fallen, risen=risen)
    if doubtful := [pair for pair in tried if _hardly_passes_now(pair)]:
        return replace(_undecided(told, _doubt(doubtful, _chance_for_cases(matched))), risen=risen)
    if unknown:
        return replace(_undecided(told, f"{len(unknown)} could not be judged now"), risen=risen)
    return Ruling(told, risen=risen)


def average(matched: Matched) -> Ruling:
    """Allow the typical duration of the cases to grow by so many percent, beyond chance."""
    pairs = answered(matched)
    before, now = [_median(pair.before) for pair in pairs], [_median(pair.now) for pair in pairs]
    interval = ratio_interval([b / a for a, b in zip(before, now, strict=True)], LEVEL)
    draft = Check(
        AVERAGE,
        "skipped",
        geometric_mean(before) if pairs else None,
        geometric_mean(now) if pairs else None,
        threshold=matched.thresholds.max_avg_wall_ms_delta_pct,
        ci=_percentages(interval),
    )
    ruling = judge_slowness(draft, matched)
    if ruling.check.status != "fail" or (interval and interval[0] > 1):
        return ruling
    if interval is None:
        return _undecided(ruling.check, "one case alone says nothing about the others")
    grown = math.log1p((ruling.check.delta or 0) / 100)
    trials = _trials_to_decide(matched, grown - math.log(interval[0]), grown)
    return _undecided(ruling.check, f"this may be chance; {trials}")


def p95(matched: Matched) -> Ruling:
    """Allow the 95th percentile of all durations to grow by so many percent, beyond chance."""
    pairs = answered(matched)
    before = [ms for pair in pairs for ms in pair.before.wall_ms]
    now = [ms for pair in pairs for ms in pair.now.wall_ms]
    draft = Check(
        P95,
        "skipped",
        quantile(before, 0.95) if pairs else None,
        quantile(now, 0.95) if pairs else None,
        threshold=matched.thresholds.max_p95_wall_ms_delta_pct,
        ci=_percentages(_p95_ratio(before, now)),
    )
    ruling = judge_slowness(draft, matched)
    if ruling.check.status != "fail" or (draft.ci and draft.ci[0] > 0):
        return ruling
    if draft.ci is None:
        note = "only a warning: fewer than 59 durations do not bound a 95th percentile"
        return Ruling(replace(ruling.check, status="warn", note=note))
    return _undecided(ruling.check, "this may be chance; more trials of each case would decide")


def _undecided(told: Check, note: str) -> Ruling:
    return Ruling(replace(told, status="warn", note=note), undecided=True)


def _figures_now(matched: Matched) -> Sequence[TrialFigures]:
    figures = (figures_of(case) for case in matched.summary.cases)
    return [one for one in figures if one.n]


def _success_figures(matched: Matched, now: Sequence[TrialFigures]) -> Check:
    tried = [pair for pair in matched.pairs if pair.now.n]
    before_rate, now_rate = _mean(_rate(one.before) for one in tried), _mean(map(_rate, now))
    changes = _changes(matched)
    return Check(
        "min_success_rate",
        "skipped",
        before_rate,
        now_rate,
        delta=difference(_mean(changes), 0.0),
        threshold=matched.thresholds.min_success_rate,
        ci=_as_rates(t_interval([float(one) for one in changes], LEVEL)),
    )


def _as_rates(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    """Cut an interval to what a difference of two rates can be."""
    return interval and (max(interval[0], -1.0), min(interval[1], 1.0))


def _changes(matched: Matched) -> Sequence[Fraction]:
    """List by how much each case's rate changed."""
    return [_rate(pair.now) - _rate(pair.before) for pair in matched.pairs if pair.now.n]


def _surely_worse(matched: Matched, told: Check) -> bool:
    """Say whether the rates fell: by their interval, and by a test that holds for few cases too."""
    return told.ci is not None and told.ci[1] < 0 and sign_flip(_changes(matched)) <= 1 - LEVEL


def _surely_below(asked: float, now: Sequence[TrialFigures]) -> bool:
    """Say whether these cases pass less often than is asked for.

    Of 1.0 any one failing trial would be proof, and that is no verdict: there only a change counts.
    """
    return asked < 1 and _highest_rate(now) < asked


def _highest_rate(now: Sequence[TrialFigures]) -> float:
    """Bound the rate of these very cases from above; that they differ only narrows it."""
    return wilson(sum(one.passed for one in now), sum(one.n for one in now), LEVEL)[1]


def _worse(tried: Sequence[Pair], matched: Matched) -> list[str]:
    """Name the cases that got worse, if chance does not explain all drops together."""
    chance, enough = _chance_for_cases(matched), _enough(matched)
    strata = {pair.id: _stratum(pair.before, pair.now, enough) for pair in tried}
    if drops_chance([*strata.values()]) > chance:
        return []
    fell = [pair.id for pair in tried if _rate(pair.before) > _rate(pair.now) < enough]
    return [id for id in fell if drop_chance(strata[id]) <= chance] or fell


def _enough(matched: Matched) -> float:
    """Give the rate at which a single case still counts as passing."""
    least = matched.thresholds.min_success_rate
    return 1.0 if least is None else max(least, 0.5)


def _chance_for_cases(matched: Matched) -> float:
    limits = matched.thresholds
    timed = (limits.max_avg_wall_ms_delta_pct, limits.max_p95_wall_ms_delta_pct)
    return FALSE_ALARMS - ONE_END * sum(limit is not None for limit in timed) + ROUNDING


def _improved(pair: Pair) -> bool:
    return drop_chance(_stratum(pair.now, pair.before)) <= FALSE_ALARMS + ROUNDING


def _hardly_passes_now(pair: Pair) -> bool:
    return _rate(pair.before) > Fraction(1, 2) and _rate(pair.now) <= Fraction(1, 4)


def _doubt(pairs: Sequence[Pair], chance: float) -> str:
    """Say which cases look broken, and how many trials would tell."""
    shown = ", ".join(
        f"{pair.id} (passed {pair.before.passed} of {pair.before.n} before,"
        f" {pair.now.passed} of {pair.now.n} now)"
        for pair in pairs[:NAMED]
    )
    more = f" and {len(pairs) - NAMED} more" if len(pairs) > NAMED else ""
    decisive = _how_many(max(_decisive_trials(pair, chance) for pair in pairs))
    return f"this may be chance: {shown}{more}; {decisive}, in the baseline too, would decide"


def _doubt_about_all(matched: Matched) -> str:
    """Say how many trials of each case would tell the same drops from chance."""
    tried = [pair for pair in matched.pairs if pair.now.n]
    if _worse(tried, matched):
        return "single cases got worse; that all did may be chance"
    trials = matched.summary.record.manifest.trials
    while trials < MANY_TRIALS:
        trials += max(1, trials // 4)
        strata = [_scaled(pair, trials) for pair in tried]
        if drops_chance(strata) <= _chance_for_cases(matched):
            break
    return f"this may be chance; {_how_many(trials)}, in the baseline too, would decide"


def _scaled(pair: Pair, trials: int) -> Stratum:
    """Imagine the same rates in another number of trials."""
    before, now = (round(_rate(side) * trials) for side in (pair.before, pair.now))
    return Stratum(before, trials, now, trials)


def _decisive_trials(pair: Pair, chance: float) -> int:
    """Find the least number of trials on each side at which the same rates are no chance."""
    for n in range(2, MOST_TRIALS):
        if drop_chance(_scaled(pair, n)) <= chance:
            return n
    return MOST_TRIALS


def _trials_to_decide(matched: Matched, half_width: float, effect: float) -> str:
    """Say how many trials would make an interval narrower than the effect it is about."""
    trials = matched.summary.record.manifest.trials
    needed = math.ceil(trials * min(half_width / effect, MOST_TRIALS) ** 2)
    return f"{_how_many(max(needed, trials + 1))} would decide"


def _how_many(trials: int) -> str:
    if trials >= MOST_TRIALS:
        return f"{MOST_TRIALS:,} trials of each case or more"
    return f"about {trials:,} trials of each case"


def _p95_ratio(before: Sequence[int], now: Sequence[int]) -> tuple[float, float] | None:
    """Bound how many times as long it takes now, from bounds of both sides."""
    past, present = quantile_bounds(before, 0.95), quantile_bounds(now, 0.95)
    if past is None or present is None or past[0] == 0:
        return None
    return present[0] / past[1], present[1] / past[0]


def _percentages(ratios: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if ratios is None else ((ratios[0] - 1) * 100, (ratios[1] - 1) * 100)


def _stratum(before: TrialFigures, now: TrialFigures, enough: float = 1.0) -> Stratum:
    return Stratum(before.passed, before.n, now.passed, now.n, enough)


def _rate(figures: TrialFigures) -> Fraction:
    return Fraction(figures.passed, figures.n)


def _mean(rates: Iterable[Fraction]) -> float | None:
    """Give the float nearest to the mean, so that 4 of 5 meets 0.8 without a tolerance."""
    found = [*rates]
    return float(sum(found) / len(found)) if found else None


def _median(figures: TrialFigures) -> float:
    return max(quantile(figures.wall_ms, 0.5), 1.0)  # a ratio to nothing says nothing
