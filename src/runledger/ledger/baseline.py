"""What a run is measured against: the figures of an earlier one, kept in a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrialFigures:
    """How the several trials of a case went."""

    n: int
    passed: int
    wall_ms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BaselineCase:
    """How a case went when the baseline was made."""

    id: str
    passed: bool
    wall_ms: int | None
    tool_calls: int
    tool_errors: int
    trials: TrialFigures | None = None  # where there were several


@dataclass(frozen=True, slots=True)
class Aggregates:
    """The figures of all cases together; None where no case was judged, or none answered."""

    success_rate: float | None
    avg_wall_ms: float | None
    p95_wall_ms: float | None
    tool_calls: int
    tool_errors: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """A run that was promoted: what later runs may not fall short of."""

    suite_name: str
    run_id: str
    suite_sha256: str
    aggregates: Aggregates
    cases: tuple[BaselineCase, ...]  # sorted by id
