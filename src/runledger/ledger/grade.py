"""Failures, grades, and the status that follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal, TypeAlias

from .cut import beginning
from .fingerprint import canonical_bytes, preview
from .usage import Breach
from .value import Absent, Json

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

MESSAGE_CHARS = 8 * 1024
DETAIL_BYTES = 16 * 1024


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


def is_fault(grade: Grade) -> bool:
    """Say whether a grade tells of its grader only, and not of the answer."""
    return any(failure.type == "grader_error" for failure in grade.failures)


def score_fields(passed: bool, score: float, reasoning: str | None) -> dict[str, Json]:
    """Write a score as results files do."""
    told: dict[str, Json] = {"pass": passed, "score": score}
    return told if reasoning is None else told | {"reasoning": reasoning}


def bounded(failure: Failure) -> Failure:
    """Cut a failure to what a person reads: its details may quote whatever an agent said."""
    message = beginning(failure.message, MESSAGE_CHARS)
    small = {key: _small(value) for key, value in failure.details.items()}
    return Failure(failure.type, message, small)


def _small(value: Json) -> Json:
    return value if len(canonical_bytes(value)) <= DETAIL_BYTES else preview(value, 1000)


def grade_of(grader: str, failures: Iterable[Failure]) -> Grade:
    """Make the grade of a grader that only knows right and wrong."""
    found = tuple(failures)
    return Grade(grader, passed=not found, score=0.0 if found else 1.0, failures=found)


def assertion_failure(
    assertion: str, message: str, *, path: str, expected: Json | Absent, found: Json | Absent
) -> Failure:
    """Say that an assertion does not hold: what was expected, what was found, and where."""
    details = {"assertion": assertion, "path": path}
    return Failure(
        "assertion_failed",
        f"{assertion}: {message}",
        {**details, "expected": _cut(expected), "found": _cut(found)},
    )


def budget_failure(breach: Breach) -> Failure:
    """Say that a limit was passed."""
    used, allowed = _figure(breach.used), _figure(breach.allowed)
    return Failure(
        "budget_exceeded",
        f"{breach.limit}: {used} used, {allowed} allowed",
        {"budget": breach.limit, "allowed": breach.allowed, "used": breach.used},
    )


def first_few(failures: Iterable[Failure], limit: int = 20, look_at: int = 1000) -> list[Failure]:
    """Take the first failures; the last one taken says how many more there are."""
    source = iter(failures)
    some = list(islice(source, limit))
    rest = sum(1 for _ in islice(source, look_at - limit))
    if rest:
        more = f"{rest} or more" if rest == look_at - limit else f"{rest} more"
        some[-1] = replace(some[-1], message=f"{some[-1].message}\nand {more} like this")
    return some


def status_of(failures: Iterable[Failure]) -> Status:
    """Say how a trial with these failures ended; not being judged outweighs falling short."""
    types = {failure.type for failure in failures}
    if not types:
        return "passed"
    return "error" if types & NOT_JUDGED else "failed"


def counts(status: Status, failures: Iterable[Failure]) -> bool:
    """Say whether a trial belongs in the denominator of the success rate."""
    return status != "unfinished" and not any(one.type in NOT_VALID for one in failures)


def _cut(value: Json | Absent, width: int = 500) -> Json:
    """Keep a small value as it is and a big one as the beginning of its text."""
    if isinstance(value, Absent):
        return None
    short = preview(value, width)
    return short if short.endswith("…") else value  # no whole JSON text ends so


def _figure(number: float) -> str:
    return f"{number:.6g}" if isinstance(number, float) else str(number)
