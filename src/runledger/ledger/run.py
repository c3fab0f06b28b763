"""A run as its record tells it: one row per trial, totals, and the verdict of its gate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .grade import Failure, Status
from .trajectory import CassetteUse, Exit
from .usage import Tally
from .value import Json

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
class RunRecord:
    """What run.jsonl and manifest.json say about a run, without the events of its trials."""

    run_id: str
    suite_name: str
    mode: str
    started: str  # ISO 8601
    case_ids: tuple[str, ...]  # the planned cases, in the suite's order
    rows: tuple[TrialRow, ...]  # one per finished trial, in the plan's order
    trials: int = 1  # planned trials per case
    wall_ms: int = 0
    interrupted: bool = False
    regression: Mapping[str, Json] | None = None
    min_success_rate: float | None = None


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
