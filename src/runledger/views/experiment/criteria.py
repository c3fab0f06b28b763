"""What the judges said, criterion by criterion, as the last part of results.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ledger.criterion import Criterion
from ...ledger.findings import BenchRecord
from ...ledger.task import Task
from ...ledger.verdict import CriterionVerdict
from ..markup import code, prose, table
from .counted import Counted, Place, Runs
from .words import UNKNOWN

NAME_CHARS = 100
TEXT_CHARS = 300
MOST_ROWS = 2000  # beyond it, nobody reads on: summary.json has them all
_HEAD = ("criterion", "condition", "verdict", "quote")


def criteria_sections(record: BenchRecord, runs: Runs) -> Iterator[str]:
    """Set a table of the verdicts on each task, as many tasks as fit."""
    room = MOST_ROWS
    tasks = record.experiment.tasks
    for number, task in enumerate(tasks):
        rows = [*_rows(record, runs, task)]
        if not rows:
            continue
        room -= len(rows)
        if room < 0:
            yield f"_{len(tasks) - number:,} more tasks: their verdicts are in summary.json._\n"
            return
        yield f"### {code(task.id, NAME_CHARS)}\n"
        yield table([_HEAD, *rows])


def _rows(record: BenchRecord, runs: Runs, task: Task) -> Iterator[Sequence[str]]:
    names = [one.name for one in record.experiment.conditions]
    for criterion in task.criteria:
        named = _named(criterion)
        for name in names:
            for run in runs.get(Place(task.id, name), ()):
                if run.verdicts:
                    yield named, _where(run), *_said(run.verdicts.get(criterion.id, ()))
                    named = ""  # a criterion is named once


def _named(criterion: Criterion) -> str:
    text = criterion.text
    shown = text if len(text) <= TEXT_CHARS else text[: TEXT_CHARS - 1] + "…"
    return f"{code(criterion.id, NAME_CHARS)} {prose(shown)}"


def _where(run: Counted) -> str:
    slot = run.attempt.slot
    trial = f" t{slot.trial}" if slot.trial > 1 else ""
    return code(slot.condition, NAME_CHARS) + trial


def _said(verdicts: Sequence[CriterionVerdict]) -> tuple[str, str]:
    """Tell the verdict, of each judge where they differ, and the first quote."""
    ranked = sorted(verdicts, key=lambda one: one.judge)
    words = [verdict_word(one) for one in ranked]
    if len(set(words)) > 1:
        told = (f"{code(one.judge, NAME_CHARS)} {verdict_word(one)}" for one in ranked)
        return ", ".join(told), _quote(ranked)
    return (words[0] if words else UNKNOWN), _quote(ranked)


def verdict_word(verdict: CriterionVerdict) -> str:
    """Give the word of a judge, or that it does not count."""
    return "void" if verdict.void is not None else verdict.verdict or UNKNOWN


def _quote(verdicts: Sequence[CriterionVerdict]) -> str:
    void = next((one.void for one in verdicts if one.void), None)
    quote = next((one.quote for one in verdicts if one.quote and one.void is None), None)
    shown = quote if quote is not None else void
    return code(shown, TEXT_CHARS) if shown else ""
