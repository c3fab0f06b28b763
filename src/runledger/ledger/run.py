"""A run as its record tells it: one row per trial, totals, and the verdict of its gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .baseline import Baseline
from .grade import Failure, Status
from .manifest import Manifest
from .regression import Regression
from .trajectory import CassetteUse, Exit
from .usage import Tally

RunStatus: TypeAlias = Literal["passed", "failed", "invalid", "interrupted"]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """How one trial ended."""

    case_id: str
    trial: int
    attempt: int
    status: Status
    tally: Tally
    answered: bool = True  # it gave a final output: only then does its duration count
    tool_calls_by_name: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    cassette: CassetteUse | None = None
    exit: Exit = Exit()
    unjudged: tuple[str, ...] = ()  # limits nobody could judge, for want of a report


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, and how it stands beside its baseline, where it has one."""

    wall_ms: int = 0
    interrupted: bool = False
    regression: Regression | None = None
    baseline: Baseline | None = None
    stopped: str | None = None  # why an experiment ended before its plan did


UNENDED = Ending(interrupted=True)
"""The ending of a run whose record breaks off."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What a run's files say about it, without the events of its trials."""

    manifest: Manifest
    rows: tuple[TrialRow, ...]  # one per finished trial, in the plan's order
    ending: Ending = UNENDED


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case over all its trials."""

    id: str
    status: Status
    trials: tuple[TrialRow, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """The figures of a run; None where nobody knows."""

    cases: int
    passed: int
    failed: int
    errors: int
    unfinished: int
    success_rate: float | None
    success_rate_ci: tuple[float, float] | None
    tool_calls: int
    tool_errors: int
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    wall_ms: int
    avg_wall_ms: float | None
    p95_wall_ms: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """A run, added up: what every view shows."""

    record: RunRecord
    status: RunStatus
    totals: Totals
    cases: tuple[CaseRow, ...]
