"""The sheet of a person who judges: written blind, as Markdown with boxes.

What agents and authors wrote stands between fences longer than any in it, so that nothing there can
pass for a box.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

from ..ledger.criterion import Criterion
from ..ledger.experiment import WORDS
from ..ledger.fingerprint import canonical_dumps, fingerprint
from ..ledger.printable import escape_controls, one_line
from ..ledger.task import Task
from ..ledger.value import Json
from .answers import Answer

SHEET = "judging.md"

_INTRODUCTION = """\
# Judging sheet

Under each criterion put an x in one box, so: [x]. Change nothing else.

- met: the answer states it explicitly
- partial: the answer alludes to it, but is vague or incomplete
- missed: the answer does not mention it, or is wrong

Judge each answer by itself. Which answer is whose was drawn at random, anew for each task; […]
stands where a name would tell. Boxes may be left empty and filled in later.
"""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is on a sheet, in the order in which it stands there."""

    run_id: str
    answers: tuple[Answer, ...]  # those of one task side by side

    @property
    def mark(self) -> str:
        """Give the line that tells of which run and which answers a sheet is."""
        judged: list[Json] = [
            [one.task.input, _criteria(one.task), *one.attempt.slot, one.attempt.number, one.seen]
            for one in self.answers
        ]
        hashed = fingerprint([self.run_id, judged])
        return f"<!-- runledger judging sheet: run {self.run_id}, answers {hashed[:32]} -->"


@dataclass(frozen=True, slots=True)
class Block:
    """A text of somebody's, between fences."""

    text: str


@dataclass(frozen=True, slots=True)
class Boxes:
    """A criterion to judge."""

    answer: Answer
    criterion: Criterion


def sheet_of(run_id: str, answers: Sequence[Answer], seed: int) -> Sheet:
    """Lay out a sheet: the order of the tasks, and of the answers to each, drawn from the seed."""
    tasks = [[*group] for _, group in groupby(answers, key=lambda one: one.task.id)]
    Random(f"{seed}:sheet").shuffle(tasks)
    for group in tasks:
        Random(f"{seed}:sheet:{group[0].task.id}").shuffle(group)
    return Sheet(run_id, tuple(one for group in tasks for one in group))


def render_sheet(sheet: Sheet, clean: Callable[[str], str]) -> str:
    """Write a sheet; what others wrote is cleaned of secrets first."""
    lines = [sheet.mark]
    for part in parts_of(sheet):
        match part:
            case str(line):
                lines.append(line)
            case Block(text):
                lines += fenced(clean(text))
            case Boxes():
                lines += [*(f"- [ ] {word}" for word in WORDS), ""]
    return "\n".join(lines) + "\n"


def parts_of(sheet: Sheet) -> Iterator[str | Block | Boxes]:
    """Yield what stands on a sheet below its mark, line by line, but for texts and boxes."""
    yield from _INTRODUCTION.split("\n")
    groups = [[*group] for _, group in groupby(sheet.answers, key=lambda one: one.task.id)]
    for number, group in enumerate(groups, start=1):
        task = group[0].task
        yield from (f"## Task {number} of {len(groups)}: {one_line(task.id)}", "", "Asked:", "")
        yield Block(_asked(task))
        for label, answer in enumerate(group, start=1):
            yield from (f"### Answer {label} of {len(group)} to task {number}", "")
            yield Block(answer.seen)
            for place, criterion in enumerate(task.criteria, start=1):
                yield from (f"Criterion {place}: {one_line(criterion.text, 2000)}", "")
                yield Boxes(answer, criterion)


def _criteria(task: Task) -> list[Json]:
    return [[criterion.id, criterion.text] for criterion in task.criteria]


def _asked(task: Task) -> str:
    return task.input if isinstance(task.input, str) else canonical_dumps(task.input)


def fenced(text: str) -> list[str]:
    """Put a text between fences; an empty line follows."""
    shown = escape_controls(text)
    longest = max(map(len, re.findall("`+", shown)), default=0)
    ticks = "`" * max(3, longest + 1)
    return [f"{ticks}text", *shown.split("\n"), ticks, ""]
