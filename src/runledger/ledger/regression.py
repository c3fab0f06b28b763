"""What a run came to beside its baseline: one check for each demand, and a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
CheckStatus: TypeAlias = Literal["pass", "warn", "fail", "skipped"]


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
