"""Which trials a run consists of, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..errors import UnknownName, UsageError
from ..ledger.task import Task, Trial


def choose(tasks: Sequence[Task], ids: Sequence[str], tags: Sequence[str]) -> tuple[Task, ...]:
    """Keep the tasks with one of these ids and one of these tags; an empty list keeps all."""
    _demand("case", ids, {task.id for task in tasks})
    _demand("tag", tags, {tag for task in tasks for tag in task.tags})
    chosen = tuple(task for task in tasks if _wanted(task, ids, tags))
    if not chosen:
        raise UsageError("no case has both one of the chosen ids and one of the chosen tags")
    return chosen


def trials_of(
    tasks: Iterable[Task], repetitions: int, *, repeated: bool = False
) -> Iterator[Trial]:
    """Yield every repetition of every task, task by task."""
    for task in tasks:
        for number in range(1, repetitions + 1):
            yield Trial(task, number, repeated=repeated)


def _demand(what: str, names: Sequence[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(what, name, known)


def _wanted(task: Task, ids: Sequence[str], tags: Sequence[str]) -> bool:
    return (not ids or task.id in ids) and (not tags or not set(tags).isdisjoint(task.tags))
