"""Which trials a run consists of, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from ..errors import UnknownName, UsageError
from ..ledger.attempt import Block, PlannedRun, Slot
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


def plan_runs(
    task_ids: Sequence[str], conditions: Sequence[str], trials: int, seed: int
) -> tuple[PlannedRun, ...]:
    """Draw the order of an experiment: of its tasks, and of the conditions within each block.

    The conditions of a block follow each other; over the blocks each of them takes every place
    as often as any other, as far as the numbers allow.
    """
    draw = Random(seed)
    ids = draw.sample(task_ids, len(task_ids))
    blocks = [Block(id, number) for id in ids for number in range(1, trials + 1)]
    orders = _balanced(conditions, draw)
    places = (
        (Slot(block.task_id, name, block.trial), place)
        for block in blocks
        for place, name in enumerate(next(orders), start=1)
    )
    return tuple(PlannedRun(number, slot, place) for number, (slot, place) in enumerate(places, 1))


def order_again(block: Block, conditions: Sequence[str], round: int, seed: int) -> list[str]:
    """Draw the order in which a discarded block is run again."""
    draw = Random(f"{seed}:{block.task_id}:{block.trial}:{round}")
    return draw.sample(conditions, len(conditions))


def _balanced(conditions: Sequence[str], draw: Random) -> Iterator[Sequence[str]]:
    """Yield orders without end: of as many as there are conditions, each has each place once."""
    size = len(conditions)
    while True:
        first = draw.sample(conditions, size)
        square = [[*first[start:], *first[:start]] for start in range(size)]
        yield from draw.sample(square, size)


def _demand(what: str, names: Sequence[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise UnknownName(what, name, known)


def _wanted(task: Task, ids: Sequence[str], tags: Sequence[str]) -> bool:
    return (not ids or task.id in ids) and (not tags or not set(tags).isdisjoint(task.tags))
