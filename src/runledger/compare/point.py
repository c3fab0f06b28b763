"""The plain rules of the gate: every figure is taken as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..ledger.regression import AVERAGE, NEWLY_FAILING, P95, SUCCESS, Check
from .matched import NOT_SET, Matched, Pair, Ruling, difference
from .rates import quantile
from .slowness import answered, judge_slowness


def success(matched: Matched) -> Ruling:
    """Ask for the least share of passing cases; the baseline's share is told beside it."""
    asked, now = matched.thresholds.min_success_rate, matched.summary.totals.success_rate
    before = _rate_before(matched)
    told = Check(SUCCESS, "skipped", before, now, difference(now, before), asked)
    if asked is None:
        return Ruling(replace(told, note=NOT_SET))
    if now is None:
        return Ruling(replace(told, note="no case was judged"), undecided=True)
    return Ruling(replace(told, status="pass" if now >= asked else "fail"))


def cases(matched: Matched) -> Ruling:
    """Allow no case to fail that passed before."""
    fallen = _ids(matched, lambda pair: pair.passed_before and pair.passes_now is False)
    risen = _ids(matched, lambda pair: not pair.passed_before and pair.passes_now is True)
    unknown = _ids(matched, lambda pair: pair.passed_before and pair.passes_now is None)
    told = Check(NEWLY_FAILING, "fail" if fallen else "pass", current=len(fallen), threshold=0)
    if unknown and not fallen:
        note = f"{len(unknown)} that passed before could not be judged now"
        return Ruling(replace(told, status="warn", note=note), undecided=True, risen=risen)
    return Ruling(told, fallen=fallen, risen=risen)


def average(matched: Matched) -> Ruling:
    """Allow the average duration to grow by so many percent."""
    figure = matched.baseline.aggregates.avg_wall_ms
    before, now = _durations(matched, figure, lambda walls: sum(walls) / len(walls))
    allowed = matched.thresholds.max_avg_wall_ms_delta_pct
    return judge_slowness(Check(AVERAGE, "skipped", before, now, threshold=allowed), matched)


def p95(matched: Matched) -> Ruling:
    """Allow the 95th percentile of the durations to grow by so many percent."""
    figure = matched.baseline.aggregates.p95_wall_ms
    before, now = _durations(matched, figure, lambda walls: quantile(walls, 0.95))
    allowed = matched.thresholds.max_p95_wall_ms_delta_pct
    return judge_slowness(Check(P95, "skipped", before, now, threshold=allowed), matched)


def _rate_before(matched: Matched) -> float | None:
    if len(matched.pairs) == len(matched.baseline.cases):
        return matched.baseline.aggregates.success_rate
    passed = sum(pair.passed_before for pair in matched.pairs)
    return passed / len(matched.pairs) if matched.pairs else None


def _durations(
    matched: Matched, figure: float | None, of: Callable[[Sequence[int]], float]
) -> tuple[float | None, float | None]:
    """Time the same cases on both sides; when they are all, the baseline's own figure holds."""
    pairs = answered(matched)
    if not pairs:
        return None, None
    whole = len(pairs) == sum(case.wall_ms is not None for case in matched.baseline.cases)
    before = figure if whole else of([ms for pair in pairs for ms in pair.before.wall_ms])
    return before, of([ms for pair in pairs for ms in pair.now.wall_ms])


def _ids(matched: Matched, wanted: Callable[[Pair], bool]) -> tuple[str, ...]:
    return tuple(pair.id for pair in matched.pairs if wanted(pair))
