"""The answers of an experiment that are judged, and what judges see of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..ledger.attempt import Attempt, Slot
from ..ledger.criterion import Criterion
from ..ledger.findings import BenchRecord
from ..ledger.settled import settled_in
from ..ledger.task import Task
from ..ledger.value import Json
from ..ledger.verdict import CriterionVerdict
from .blind import Blindfold
from .criteria import answer_in


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent said in a run that counts, and what a judge may see of it."""

    task: Task
    attempt: Attempt
    said: Json
    seen: str


def answers_in(record: BenchRecord, others: Iterable[Attempt] = ()) -> list[Answer]:
    """List the answers to judge, by task, trial and condition.

    A run that timed out and said nothing states nothing: there is nothing to judge. `others` are
    attempts of the same run beside those of the record: what they used is hidden as well.
    """
    experiment = record.experiment
    conditions = [condition.name for condition in experiment.conditions]
    counting = settled_in(record).counting
    blindfold = Blindfold(experiment, tools_used((*record.attempts, *others)))
    slots = (
        (task, Slot(task.id, name, trial))
        for task in experiment.tasks
        for trial in range(1, experiment.trials + 1)
        for name in conditions
    )
    return [
        Answer(task, one, answer_in(one.output), blindfold.seen(task, one.output))
        for task, slot in slots
        if (one := counting.get(slot)) is not None and not _is_silent(one)
    ]


def tools_used(attempts: Iterable[Attempt]) -> Mapping[str, frozenset[str]]:
    """Gather the tools that were called, by condition."""
    used: dict[str, frozenset[str]] = {}
    for one in attempts:
        name = one.slot.condition
        used[name] = used.get(name, frozenset()) | one.tools
    return used


def verdict_on(answer: Answer, criterion: Criterion, judge: str, key: str) -> CriterionVerdict:
    """Begin a verdict on one criterion of an answer, which says nothing yet."""
    return CriterionVerdict(
        answer.attempt.slot, answer.attempt.number, criterion.id, judge, None, key=key
    )


def _is_silent(attempt: Attempt) -> bool:
    return attempt.timed_out and attempt.output in ("", None)
