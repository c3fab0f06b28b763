"""Judge what a trial used by what it was allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ..ledger.grade import Failure, Grade, budget_failure, grade_of
from ..ledger.trajectory import Trajectory, failures_in, tally_of
from ..ledger.usage import Limits, breaches


@dataclass(frozen=True, slots=True)
class BudgetGrader:
    """Judge a trial by its limits."""

    name: ClassVar[str] = "budgets"
    limits: Limits

    def grade(self, trajectory: Trajectory) -> Grade:
        """Fail for every limit that was passed and that the trial's own record does not name."""
        return grade_of(self.name, _unrecorded(self.limits, trajectory))


def _unrecorded(limits: Limits, trajectory: Trajectory) -> Iterator[Failure]:
    recorded = {
        failure.details.get("budget")
        for failure in failures_in(trajectory.events)
        if failure.type == "budget_exceeded"
    }
    for breach in breaches(limits, tally_of(trajectory)):
        if breach.limit not in recorded:
            yield budget_failure(breach)
