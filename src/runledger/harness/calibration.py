"""Choose failing answers for a person to check the grader by, and ask a second one about them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..compare.sampling import sample_of
from ..graders import Judge
from ..ledger.calibration import Calibration, Review
from ..ledger.captured import Captured
from .in_order import in_order
from .judging import judge_captured


@dataclass(slots=True)
class _Count:
    """How many trials went by."""

    seen: int = 0
    failing: int = 0


def calibrate(
    trials: Iterable[Captured], size: int, judge: Judge | None = None, jobs: int = 1
) -> Calibration:
    """Sample the trials that failed or were not judged for an error."""
    count = _Count()
    sample = sample_of(_failing(trials, count), size)
    if judge is None:
        return Calibration(count.seen, count.failing, [Review(trial) for trial in sample])
    grades = in_order(sample, lambda trial: judge_captured(trial, judge), jobs)
    reviews = [Review(*pair) for pair in zip(sample, grades, strict=True)]
    return Calibration(count.seen, count.failing, reviews, judge.name)


def _failing(trials: Iterable[Captured], count: _Count) -> Iterator[Captured]:
    for trial in trials:
        count.seen += 1
        if trial.passed is False or (trial.passed is None and trial.errors):
            count.failing += 1
            yield trial
