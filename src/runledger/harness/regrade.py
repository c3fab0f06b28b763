"""Grade captured answers again, without the agent: lines in, the same lines with new scores out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..graders import Judge
from ..ledger.captured import Captured
from ..ledger.event import failure_fields
from ..ledger.grade import Failure, Grade, bounded, is_fault, score_fields, status_of
from ..ledger.result import errors_of
from ..ledger.value import Json
from ..store.lines import encode
from ..store.redact.redactor import Redactor
from ..views.trial_line import trials_line
from .in_order import in_order
from .judging import (
    OF_GRADERS,
    errors_of_agent,
    judge_captured,
    own_redactor,
)

OF_A_SCORE = frozenset({"score", "outcome", "errors"})
OF_AN_ENTRY = OF_A_SCORE | {"pass", "reasoning"}
OF_TRIALS = frozenset({"passRate", "passAtK", "passExpK", "estimates"})

Line: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Regraded:
    """A line as it was graded again, and what its trials came to."""

    line: Mapping[str, Json]
    grades: Sequence[Grade]
    redacted: bool = False  # the grader saw placeholders in place of secrets


def regrade(
    lines: Iterable[tuple[Line, tuple[Captured, ...]]], judge: Judge, jobs: int
) -> Iterator[Regraded]:
    """Grade the trials of each line again; lines come in the order in which they were given."""
    redactor = own_redactor()
    return in_order(lines, lambda found: _regraded(*found, judge, redactor), jobs)


def _regraded(
    line: Line, trials: tuple[Captured, ...], judge: Judge, redactor: Redactor
) -> Regraded:
    grades = [judge_captured(trial, judge) for trial in trials]
    if "trials" in line:
        entries = [_entry(*pair, redactor) for pair in zip(trials, grades, strict=True)]
        kept = {key: value for key, value in line.items() if key not in OF_TRIALS}
        fresh = {**kept, **trials_line(line, entries, line.get("k", len(entries)))}
    else:
        fresh = _result(line, trials[0], grades[0], redactor)
    return Regraded(fresh, grades, b"[REDACTED" in encode(line))


def _result(line: Line, trial: Captured, grade: Grade, redactor: Redactor) -> dict[str, Json]:
    fresh = {key: value for key, value in line.items() if key not in OF_A_SCORE}
    if "failures" in line:
        fresh |= _standing(line["failures"], grade, redactor)
    score: dict[str, Json] = {} if is_fault(grade) else {"score": _score(grade)}
    return fresh | _told(trial, grade, score, redactor)


def _entry(trial: Captured, grade: Grade, redactor: Redactor) -> dict[str, Json]:
    fresh = {key: value for key, value in trial.line.items() if key not in OF_AN_ENTRY}
    score = {} if is_fault(grade) else _score(grade)
    return fresh | _told(trial, grade, score, redactor)


def _told(
    trial: Captured, grade: Grade, score: Mapping[str, Json], redactor: Redactor
) -> dict[str, Json]:
    """Give the score, with the errors and the outcome beside it where there are any."""
    errors: list[Json] = [*errors_of_agent(trial), *errors_of(map(bounded, grade.failures))]
    told: dict[str, Json] = {"errors": errors} if errors else {}
    told |= score
    if isinstance(grade.outcome, dict) and grade.outcome:
        told["outcome"] = grade.outcome
    return _clean(told, redactor)


def _score(grade: Grade) -> dict[str, Json]:
    return score_fields(grade.passed, grade.score, grade.reasoning)


def _standing(failures: Sequence[Line], grade: Grade, redactor: Redactor) -> dict[str, Json]:
    """Say anew how a run's trial ended: what no grader said stays."""
    kept = [failure for failure in failures if failure["type"] not in OF_GRADERS]
    nouns = [Failure(failure["type"], failure["message"]) for failure in kept]
    said = [_clean(failure_fields(bounded(one)), redactor) for one in grade.failures]
    return {"status": status_of([*nouns, *grade.failures]), "failures": [*kept, *said]}


def _clean(fields: Mapping[str, Json], redactor: Redactor) -> dict[str, Json]:
    clean = redactor.value(fields)
    assert isinstance(clean, dict)
    return clean
