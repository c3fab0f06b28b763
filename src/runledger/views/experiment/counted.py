"""The runs of an experiment that count, with what was said of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ...ledger.attempt import Attempt, Slot
from ...ledger.findings import BenchRecord, Findings, RunScore
from ...ledger.settled import settled_in
from ...ledger.verdict import CriterionVerdict


class Place(NamedTuple):
    """A cell of every table: a task in a condition."""

    task_id: str
    condition: str


@dataclass(frozen=True, slots=True)
class Counted:
    """A run that counts; it has no score while nobody judged it."""

    attempt: Attempt
    score: RunScore | None
    verdicts: Mapping[str, Sequence[CriterionVerdict]]  # by criterion

    @property
    def percent(self) -> float | None:
        """Give the score."""
        return None if self.score is None else self.score.score

    @property
    def complete(self) -> bool | None:
        """Say whether the task is complete, where that is known."""
        return None if self.score is None else self.score.complete


Runs: TypeAlias = Mapping[Place, Sequence[Counted]]


def counted_runs(record: BenchRecord, findings: Findings) -> Runs:
    """Gather the runs that count by task and condition, in the order of trials."""
    scores = {(one.slot, one.attempt): one for one in findings.scores}
    verdicts = _by_run(record.verdicts)
    found: dict[Place, list[Counted]] = {}
    for slot, attempt in sorted(settled_in(record).counting.items()):
        run = (slot, attempt.number)
        counted = Counted(attempt, scores.get(run), verdicts.get(run, {}))
        found.setdefault(Place(slot.task_id, slot.condition), []).append(counted)
    return found


def _by_run(
    verdicts: Iterable[CriterionVerdict],
) -> Mapping[tuple[Slot, int], Mapping[str, Sequence[CriterionVerdict]]]:
    found: dict[tuple[Slot, int], dict[str, list[CriterionVerdict]]] = {}
    for one in verdicts:
        run = found.setdefault((one.slot, one.attempt), {})
        run.setdefault(one.criterion, []).append(one)
    return found
