"""Failures, grades, and the status that follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .fingerprint import Json

Status: TypeAlias = Literal["passed", "failed", "error", "unfinished"]

NOT_VALID = frozenset({"spawn_failed", "grader_error", "internal_error"})
"""Failures of the outside world: they make a run invalid and say nothing about the agent."""

NOT_JUDGED = NOT_VALID | {
    "timeout",
    "agent_exited_early",
    "protocol_error",
    "message_too_large",
    "task_error",
    "cassette_invalid",
}
"""Failures after which the agent's work cannot be judged."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One reason why a trial did not pass."""

    type: str
    message: str
    details: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grade:
    """What one grader says about one trial."""

    grader: str
    passed: bool
    score: float
    failures: tuple[Failure, ...] = ()
    reasoning: str | None = None
    outcome: Json = None


def grade_of(grader: str, failures: Iterable[Failure]) -> Grade:
    """Make the grade of a grader that only knows right and wrong."""
    found = tuple(failures)
    return Grade(grader, passed=not found, score=0.0 if found else 1.0, failures=found)


def status_of(failures: Iterable[Failure]) -> Status:
    """Say how a trial with these failures ended; not being judged outweighs falling short."""
    types = {failure.type for failure in failures}
    if not types:
        return "passed"
    return "error" if types & NOT_JUDGED else "failed"


def counts(status: Status, failures: Iterable[Failure]) -> bool:
    """Say whether a trial belongs in the denominator of the success rate."""
    return status != "unfinished" and not any(one.type in NOT_VALID for one in failures)
