"""The rules of the gate for several trials of each case: chance alone fails no run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from ..ledger.baseline import TrialFigures
from ..ledger.regression import AVERAGE, NEWLY_FAILING, P95, SUCCESS, Check
from . import doubt
from .drops import ONE_END, drops_of, hardly_passes_now, improved, newcomers_of, rate, tried
from .matched import NOT_SET, Matched, Ruling, difference, figures_of
from .order import quantile_bounds
from .paired import geometric_mean, ratio_interval, sign_flip, t_interval
from .rates import quantile, wilson
from .slowness import answered, judge_slowness

LEVEL = 1 - 2 * ONE_END
TOO_FEW_CASES = "no interval: it takes two cases that both sides have"
TOO_FEW_DURATIONS = "no interval: it takes 59 durations over 0 ms to bound a 95th percentile"


def success(matched: Matched) -> Ruling:
    """Ask for the least mean of the cases' rates; a mean below it must be beyond chance."""
    ruling = _told_without_interval(_judge_rate(matched), TOO_FEW_CASES)
    asked = matched.thresholds.min_success_rate
    # Below 1.0 a new case may fail as any other may: the mean over all of them decides.
    return ruling if asked is not None and asked < 1 else _with_newcomers(ruling, matched)


def cases(matched: Matched) -> Ruling:
    """Allow no case to get worse beyond chance, nor to be left without a judged trial."""
    drops = drops_of(matched)
    untried = [pair.id for pair in matched.pairs if not pair.now.n and pair.passes_now is False]
    fallen = tuple(sorted([*drops.proven, *untried]))
    risen = tuple(pair.id for pair in tried(matched) if improved(pair))
    told = Check(NEWLY_FAILING, "pass", current=len(fallen), threshold=0)
    if fallen or drops.beyond_chance:
        note = None if drops.proven or not drops.beyond_chance else doubt.fell_together(drops)
        return Ruling(replace(told, status="fail", note=note), fallen=fallen, risen=risen)
    if reason := _doubt_about_cases(matched):
        return replace(_undecided(told, reason), risen=risen)
    return Ruling(replace(told, note=doubt.fell_a_little(drops)), risen=risen)


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
        return _told_without_interval(ruling, TOO_FEW_CASES)
    if interval is None:
        return _undecided(ruling.check, TOO_FEW_CASES)
    grown = math.log1p((ruling.check.delta or 0) / 100)
    half_width = grown - math.log(interval[0])
    return _undecided(ruling.check, doubt.trials_to_decide(matched, half_width, grown))


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
        return _told_without_interval(ruling, TOO_FEW_DURATIONS)
    if draft.ci is None:
        note = f"only a warning: {TOO_FEW_DURATIONS}"
        return Ruling(replace(ruling.check, status="warn", note=note))
    return _undecided(ruling.check, "this may be chance; more trials of each case would decide")


def _judge_rate(matched: Matched) -> Ruling:
    asked, now = matched.thresholds.min_success_rate, _figures_now(matched)
    told = _success_figures(matched, now)
    if asked is None:
        return Ruling(replace(told, note=NOT_SET))
    if told.current is None:
        return Ruling(replace(told, note="no case was judged"), undecided=True)
    if told.current >= asked:
        return Ruling(replace(told, status="pass"))
    if _surely_below(asked, now):
        most = f"by its own 98% interval the rate is at most {_highest_rate(now) * 100:.1f}%"
        return Ruling(replace(told, status="fail", note=most))
    if _surely_worse(matched, told):
        return Ruling(replace(told, status="fail"))
    if asked < 1:
        short, half_width = asked - told.current, _highest_rate(now) - told.current
        return _undecided(told, doubt.trials_to_decide(matched, half_width, short))
    if told.delta is None or told.delta >= 0:
        return Ruling(replace(told, status="warn", note="below what is asked for, but no worse"))
    return _undecided(told, _doubt_about_the_rate(matched))


def _with_newcomers(ruling: Ruling, matched: Matched) -> Ruling:
    """Ask new cases to pass, where all are asked to: there is no drop to find in them."""
    newcomers = newcomers_of(matched)
    if newcomers.never_passed:
        return Ruling(_noted(replace(ruling.check, status="fail"), doubt.never_passed(newcomers)))
    if not newcomers.failed_in_some:
        return ruling
    noted = _noted(ruling.check, doubt.failed_in_some(newcomers))
    if noted.status == "fail":
        return replace(ruling, check=noted)
    return Ruling(replace(noted, status="warn"), undecided=True)


def _doubt_about_the_rate(matched: Matched) -> str:
    if drops_of(matched).beyond_chance:
        return "cases got worse; that the mean of all did may be chance"
    return doubt.doubt_about_all(matched)


def _doubt_about_cases(matched: Matched) -> str | None:
    """Say what keeps the cases from being called as good as before; None if nothing does."""
    if doubtful := [pair for pair in tried(matched) if hardly_passes_now(pair)]:
        return doubt.doubt_about(doubtful, matched)
    unknown = sum(pair.passes_now is None for pair in matched.pairs)
    return f"{unknown} could not be judged now" if unknown else None


def _undecided(told: Check, note: str) -> Ruling:
    return Ruling(replace(told, status="warn", note=note), undecided=True)


def _noted(told: Check, note: str) -> Check:
    before = told.note if told.note != NOT_SET else None
    return replace(told, note="; ".join(filter(None, (before, note))))


def _told_without_interval(ruling: Ruling, why: str) -> Ruling:
    """Say so where a change was judged that nothing bounds."""
    told = ruling.check
    if told.ci is not None or told.status == "skipped" or told.note:
        return ruling
    return replace(ruling, check=replace(told, note=why))


def _figures_now(matched: Matched) -> Sequence[TrialFigures]:
    figures = (figures_of(case) for case in matched.summary.cases)
    return [one for one in figures if one.n]


def _success_figures(matched: Matched, now: Sequence[TrialFigures]) -> Check:
    changes = _changes(matched)
    return Check(
        SUCCESS,
        "skipped",
        _mean(rate(pair.before) for pair in tried(matched)),
        _mean(map(rate, now)),
        delta=difference(_mean(changes), 0.0),
        threshold=matched.thresholds.min_success_rate,
        ci=_as_rates(t_interval([float(one) for one in changes], LEVEL)),
    )


def _as_rates(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    """Cut an interval to what a difference of two rates can be."""
    return interval and (max(interval[0], -1.0), min(interval[1], 1.0))


def _changes(matched: Matched) -> Sequence[Fraction]:
    """List by how much each case's rate changed."""
    return [rate(pair.now) - rate(pair.before) for pair in tried(matched)]


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


def _p95_ratio(before: Sequence[int], now: Sequence[int]) -> tuple[float, float] | None:
    """Bound how many times as long it takes now, from bounds of both sides."""
    past, present = quantile_bounds(before, 0.95), quantile_bounds(now, 0.95)
    if past is None or present is None or past[0] == 0:
        return None
    return present[0] / past[1], present[1] / past[0]


def _percentages(ratios: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if ratios is None else ((ratios[0] - 1) * 100, (ratios[1] - 1) * 100)


def _mean(rates: Iterable[Fraction]) -> float | None:
    """Give the float nearest to the mean, so that 4 of 5 meets 0.8 without a tolerance."""
    found = [*rates]
    return float(sum(found) / len(found)) if found else None


def _median(figures: TrialFigures) -> float:
    return max(quantile(figures.wall_ms, 0.5), 1.0)  # a ratio to nothing says nothing
