"""The list of the report: one compact row per task, those that differ most first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ....ledger.attempt import Attempt, Slot
from ....ledger.experiment import baseline_of, others_of
from ....ledger.findings import BenchRecord, Findings
from ....ledger.prompts import prompts_of
from ....ledger.settled import settled_in
from ....ledger.task import Task
from ....ledger.value import Json
from ....store.lines import encode
from ...report.cut import cut_line

TEXT_CHARS = 200


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task, and what its conditions came to; None where nobody knows."""

    task: Task
    place: int  # in the experiment's file
    scores: Sequence[float | None]  # by condition, the baseline first
    differences: Sequence[float | None]  # of the others
    runs: Mapping[Slot, Attempt] = field(default_factory=dict)  # that count

    @property
    def unjudged(self) -> bool:
        """Say whether it was run, and a score is missing."""
        return bool(self.runs) and None in self.scores


def names_of(record: BenchRecord) -> list[str]:
    """List the conditions as the report does: the baseline, then the others."""
    asked = record.experiment
    return [baseline_of(asked).name, *(one.name for one in others_of(asked))]


def task_rows(record: BenchRecord, findings: Findings) -> list[TaskRow]:
    """Give the tasks in the order in which one would look at them."""
    names = names_of(record)
    counting = settled_in(record).counting
    runs: dict[str, dict[Slot, Attempt]] = {}
    for slot, attempt in counting.items():
        runs.setdefault(slot.task_id, {})[slot] = attempt
    scores, changes = _scores(findings), _changes(findings)
    rows = [
        TaskRow(
            task=task,
            place=place,
            scores=[scores.get((task.id, name)) for name in names],
            differences=[changes.get((task.id, name)) for name in names[1:]],
            runs=runs.get(task.id, {}),
        )
        for place, task in enumerate(record.experiment.tasks)
    ]
    return sorted(rows, key=_need)


def _need(row: TaskRow) -> tuple[bool, float, int]:
    """Put what is not judged first, then what differs most."""
    largest = max((abs(one) for one in row.differences if one is not None), default=0.0)
    return not row.unjudged, -round(largest, 6), row.place


def _scores(findings: Findings) -> Mapping[tuple[str, str], float]:
    """Average the trials of a task; where one of them is not judged, nobody knows."""
    found: dict[tuple[str, str], list[float | None]] = {}
    for one in findings.scores:
        found.setdefault((one.slot.task_id, one.slot.condition), []).append(one.score)
    known = {key: [one for one in given if one is not None] for key, given in found.items()}
    return {key: fmean(given) for key, given in known.items() if len(given) == len(found[key])}


def _changes(findings: Findings) -> Mapping[tuple[str, str], float]:
    return {(one.task_id, one.condition): one.difference for one in findings.tasks}


def rows_line(record: BenchRecord, rows: Iterable[TaskRow]) -> bytes:
    """Write the first line of the report's document: what the list is drawn from."""
    asked = record.experiment
    document: dict[str, Json] = {
        "conditions": [*names_of(record)],
        "trials": asked.trials,
        "round_to": asked.scoring.round_to,
        "complete_at": asked.scoring.complete_at,
        "rows": [_row(one) for one in rows],
    }
    return encode(document) + b"\n"


def _row(row: TaskRow) -> Json:
    """Write one row; the page reads it by position, so the order is a contract with it."""
    return [
        row.task.id,
        row.place,
        cut_line(asked_in(row.task), TEXT_CHARS),
        [_short(one) for one in row.scores],
        [_short(one) for one in row.differences],
        bool(row.runs),
        row.unjudged,
    ]


def _short(value: float | None) -> Json:
    return None if value is None else round(value, 4)


def asked_in(task: Task) -> str:
    """Give what a task asks as text: its prompts, or its input as JSON."""
    prompts = prompts_of(task.input)
    return "\n\n".join(prompts) if prompts else encode(task.input, indent=True).decode()
