"""What a run came to beside its baseline: one check for each demand, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
CheckStatus: TypeAlias = Literal["pass", "warn", "fail", "skipped"]
Unit: TypeAlias = Literal["share", "points", "ms", "percent", "count"]

SUCCESS, NEWLY_FAILING, MISSING = "min_success_rate", "newly_failing", "missing_cases"
AVERAGE, P95 = "max_avg_wall_ms_delta_pct", "max_p95_wall_ms_delta_pct"
SUITE = "suite_sha256"

WIDEST: Mapping[Unit, tuple[float, float]] = {"points": (-1.0, 1.0), "percent": (-90.0, 900.0)}
"""Intervals that tell nothing: from none to all, and from a tenth to ten times as much."""


@dataclass(frozen=True, slots=True)
class Check:
    """One demand on a run: what was, what is, and how much change is allowed."""

    id: str
    status: CheckStatus
    baseline: float | None = None
    current: float | None = None
    delta: float | None = None
    threshold: float | None = None
    ci: tuple[float, float] | None = None  # of delta, at 98 %: one end is off in 1 % of runs
    note: str | None = None


@dataclass(frozen=True, slots=True)
class CaseChanges:
    """The cases in which a run and its baseline differ, by id."""

    newly_failing: tuple[str, ...] = ()
    newly_passing: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Regression:
    """The verdict on a run beside its baseline, with all that led to it."""

    verdict: Verdict
    checks: tuple[Check, ...]
    cases: CaseChanges = CaseChanges()


@dataclass(frozen=True, slots=True)
class Units:
    """What the figures of a check are measured in."""

    figure: Unit  # of baseline and current
    change: Unit  # of delta and its interval; points are hundredths of a share
    threshold: Unit


_COUNT = Units("count", "count", "count")
_DURATION = Units("ms", "percent", "percent")
_UNITS: Mapping[str, Units] = {
    SUCCESS: Units("share", "points", "share"),
    AVERAGE: _DURATION,
    P95: _DURATION,
}


def units_of(check: Check) -> Units:
    """Say what the figures of a check are measured in; they are counts unless known otherwise."""
    return _UNITS.get(check.id, _COUNT)


def bounds_nothing(check: Check) -> bool:
    """Say whether the interval of a check is so wide that its ends are no knowledge."""
    widest = WIDEST.get(units_of(check).change)
    if check.ci is None or widest is None:
        return False
    return check.ci[0] <= widest[0] and check.ci[1] >= widest[1]
