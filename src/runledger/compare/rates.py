"""Success rates with their intervals, quantiles, and the summary of a run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from ..ledger.grade import counts
from ..ledger.run import CaseRow, RunRecord, Summary, Totals
from .cases import calls_of, cases_of, errors_of, judged, usage_of
from .gate import run_status

_Z_95 = 1.959963984540054  # the usual level, without the 10 ms that `statistics` takes to import


def wilson(passed: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Give Wilson's interval of a success rate; without observations it is all of [0, 1]."""
    if n == 0:
        return 0.0, 1.0
    rate, z = passed / n, _z(level)
    scale = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / scale
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / scale
    low = 0.0 if passed == 0 else centre - half
    high = 1.0 if passed == n else centre + half
    return low, high


def quantile(values: Sequence[float], q: float) -> float:
    """Give the type 7 quantile: linear between the two nearest order statistics."""
    if not values:
        raise ValueError("there is no quantile of no values")
    ordered = sorted(values)
    place = (len(ordered) - 1) * q
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def summarize(record: RunRecord) -> Summary:
    """Add up a run: its cases, its totals and its status."""
    cases = cases_of(record)
    totals = _totals(record, cases)
    return Summary(record, run_status(record, cases, totals), totals, cases)


def _totals(record: RunRecord, cases: Sequence[CaseRow]) -> Totals:
    rows = [row for case in cases for row in case.trials]
    statuses = Counter(case.status for case in cases)
    rate, interval = _success(record, cases)
    average, p95 = _durations([row.tally.wall_ms for row in rows if row.answered])
    usage = usage_of(rows)
    return Totals(
        cases=len(cases),
        passed=statuses["passed"],
        failed=statuses["failed"],
        errors=statuses["error"],
        unfinished=statuses["unfinished"],
        success_rate=rate,
        success_rate_ci=interval,
        tool_calls=calls_of(rows),
        tool_errors=errors_of(rows),
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost_usd=usage.cost_usd,
        wall_ms=record.ending.wall_ms,
        avg_wall_ms=average,
        p95_wall_ms=p95,
    )


def _success(
    record: RunRecord, cases: Sequence[CaseRow]
) -> tuple[float | None, tuple[float, float] | None]:
    """Give the share of judged cases that passed; of several trials, the mean of their shares."""
    if record.manifest.trials > 1:
        return _mean_share(cases)
    judging = [case for case in cases if judged(case)]
    passed = sum(case.status == "passed" for case in judging)
    return (passed / len(judging), wilson(passed, len(judging))) if judging else (None, None)


def _mean_share(cases: Sequence[CaseRow]) -> tuple[float | None, tuple[float, float] | None]:
    from fractions import Fraction  # only several trials pay for it

    from .paired import t_interval

    counted = [[row for row in case.trials if counts(row.status, row.failures)] for case in cases]
    passed = [(sum(row.status == "passed" for row in rows), len(rows)) for rows in counted]
    shares = [Fraction(good, n) for good, n in passed if n]
    if not shares:
        return None, None
    interval = t_interval([float(share) for share in shares])
    cut = interval and (max(interval[0], 0.0), min(interval[1], 1.0))
    return float(sum(shares) / len(shares)), cut


def _durations(walls: Sequence[int]) -> tuple[float | None, float | None]:
    return (sum(walls) / len(walls), quantile(walls, 0.95)) if walls else (None, None)


def _z(level: float) -> float:
    if level == 0.95:
        return _Z_95
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)
