"""The score of each run that counts, from the verdicts on its criteria."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from ...ledger.attempt import Attempt, Slot
from ...ledger.criterion import Criterion
from ...ledger.experiment import Experiment, Scoring, Word
from ...ledger.findings import BenchRecord, RunScore
from ...ledger.settled import Settled
from ...ledger.verdict import CHECK, MANUAL, CriterionVerdict

Question: TypeAlias = tuple[Slot, int, str]  # the criterion of an attempt
Given: TypeAlias = Mapping[Question, Sequence[CriterionVerdict]]


@dataclass(frozen=True, slots=True)
class Scored:
    """A run that counts, and its score in percent, exact, so that 4 of 5 meets 80."""

    attempt: Attempt
    exact: Fraction | None
    run: RunScore


def scored_runs(record: BenchRecord, settled: Settled) -> tuple[Scored, ...]:
    """Score every run that counts: task by task, trial by trial, in the order of conditions."""
    given = verdicts_given(record)
    criteria = {task.id: task.criteria for task in record.experiment.tasks}
    counting = (settled.counting.get(slot) for slot in _slots(record.experiment))
    return tuple(
        _scored(one, criteria[one.slot.task_id], given, record.experiment.scoring)
        for one in counting
        if one is not None
    )


def verdicts_given(record: BenchRecord) -> Given:
    """Gather the verdicts that hold, by what they are about."""
    given: dict[Question, list[CriterionVerdict]] = {}
    for one in record.verdicts:
        if one.void is None and one.verdict is not None:
            given.setdefault((one.slot, one.attempt, one.criterion), []).append(one)
    return given


def _slots(experiment: Experiment) -> Iterator[Slot]:
    for task in experiment.tasks:
        for trial in range(1, experiment.trials + 1):
            for condition in experiment.conditions:
                yield Slot(task.id, condition.name, trial)


def _scored(
    attempt: Attempt, criteria: Sequence[Criterion], given: Given, scoring: Scoring
) -> Scored:
    points = {
        one.id: _points(attempt, given.get((attempt.slot, attempt.number, one.id), ()), scoring)
        for one in criteria
    }
    known = [one for one in points.values() if one is not None]
    whole = bool(points) and len(known) == len(points)
    score = 100 * sum(known, Fraction(0)) / len(known) if whole else None
    run = RunScore(
        slot=attempt.slot,
        attempt=attempt.number,
        score=None if score is None else float(score),
        complete=None if score is None else score >= exactly(scoring.complete_at),
        points={id: None if one is None else float(one) for id, one in points.items()},
    )
    return Scored(attempt, score, run)


def _points(
    attempt: Attempt, verdicts: Sequence[CriterionVerdict], scoring: Scoring
) -> Fraction | None:
    """Give what a criterion is worth: a check settles it, else the judges do together."""
    if attempt.timed_out and attempt.output in ("", None):
        return _worth("missed", scoring)  # it states nothing, and nobody needs to look
    deciding = [one for one in verdicts if one.judge == CHECK] or verdicts
    if not _is_judged({one.judge for one in verdicts}, scoring):
        return None
    points = [_worth(one.verdict, scoring) for one in deciding if one.verdict is not None]
    return sum(points, Fraction(0)) / len(points)


def _is_judged(by: Set[str], scoring: Scoring) -> bool:
    """Say whether that is enough: a check, a person, or every program that was to judge."""
    if CHECK in by or MANUAL in by:
        return True
    return bool(by) and all(one.id in by for one in scoring.judges)


def _worth(word: Word, scoring: Scoring) -> Fraction:
    return exactly(scoring.points[word])


def exactly(value: float) -> Fraction:
    """Take a number as it is written, so that 0.1 is a tenth."""
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
