"""Two samples laid side by side: the tasks they share, and those that cannot be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UsageError
from ..ledger.comparison import (
    Change,
    Figures,
    Sample,
    Side,
    TaskPair,
    TaskSets,
    TaskSide,
)
from ..ledger.fingerprint import show_name
from .paired import mean_of
from .rates import quantile

NAMED = 3


@dataclass(frozen=True, slots=True)
class Pair:
    """The trials of one task on both sides."""

    id: str
    a: tuple[Figures, ...]
    b: tuple[Figures, ...]


@dataclass(frozen=True, slots=True)
class Paired:
    """The tasks that two samples share, by id, and which they do not."""

    pairs: tuple[Pair, ...]
    sets: TaskSets


def pair(a: Sample, b: Sample) -> Paired:
    """Pair the tasks that have the same id and the same input on both sides."""
    shared = sorted(a.tasks.keys() & b.tasks.keys())
    if not shared:
        raise UsageError(_nothing_shared(a, b))
    ids_a, ids_b = ({key.id for key in side.tasks} for side in (a, b))
    unpaired = {key.id for key in a.tasks.keys() ^ b.tasks.keys()}
    sets = TaskSets(
        paired=len(shared),
        only_a=tuple(sorted(ids_a - ids_b)),
        only_b=tuple(sorted(ids_b - ids_a)),
        changed=tuple(sorted(unpaired & ids_a & ids_b)),
    )
    return Paired(tuple(Pair(key.id, a.tasks[key], b.tasks[key]) for key in shared), sets)


def side_of(sample: Sample) -> Side:
    """Count the trials of a sample."""
    trials = [figures for task in sample.tasks.values() for figures in task]
    graded = [figures.passed for figures in trials if figures.passed is not None]
    return Side(
        name=sample.name,
        tasks=len(sample.tasks),
        trials=len(trials),
        graded=len(graded),
        passed=sum(graded),
        ungraded=len(trials) - len(graded),
        unanswered=sum(not figures.answered for figures in trials),
    )


def task_pair(pair: Pair) -> TaskPair:
    """Add up both sides of a task, and say how it changed."""
    a, b = _task_side(pair.a), _task_side(pair.b)
    return TaskPair(pair.id, a, b, _change(a, b))


def durations(trials: Sequence[Figures]) -> Sequence[float]:
    """List how long the trials took that came to their end; a ratio to nothing says nothing."""
    known = (one.duration_ms for one in trials if one.answered and one.duration_ms is not None)
    return [max(float(ms), 1.0) for ms in known]


def _task_side(trials: Sequence[Figures]) -> TaskSide:
    graded = [one.passed for one in trials if one.passed is not None]
    scores = [one.score for one in trials if one.score is not None]
    took = durations(trials)
    return TaskSide(
        n=len(trials),
        graded=len(graded),
        passed=sum(graded),
        score=mean_of(scores) if scores else None,
        duration_ms=quantile(took, 0.5) if took else None,
    )


def _change(a: TaskSide, b: TaskSide) -> Change:
    """Say how a task changed from A to B: by its rate, or at the same rate by its score."""
    if not a.graded or not b.graded:
        return "unknown"
    gained = b.passed * a.graded - a.passed * b.graded
    if not gained and a.score is not None and b.score is not None:
        return _better_if(b.score - a.score)
    return _better_if(gained)


def _better_if(gained: float) -> Change:
    if not gained:
        return "same"
    return "better" if gained > 0 else "worse"


def _nothing_shared(a: Sample, b: Sample) -> str:
    """Say that no task is in both samples, and what is in them."""
    for side in (a, b):
        if not side.tasks:
            return f"{side.name} holds no results: there is nothing to compare"
    ids_a, ids_b = (list(dict.fromkeys(key.id for key in side.tasks)) for side in (a, b))
    told = f"{a.name} and {b.name} have no task in common: same id and same input"
    there = set(ids_b)
    changed = [id for id in ids_a if id in there]
    lines = [f"{a.name} has {_first(ids_a)}", f"{b.name} has {_first(ids_b)}"]
    if changed:
        lines.append(f"same id but another input: {_first(changed)}")
    return "\n".join([told, *lines, "compare what was made from the same prompts"])


def _first(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
    return ", ".join(show_name(id) for id in ids[:NAMED]) + more
