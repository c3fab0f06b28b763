"""The sheet of a person who judges: written blind, as Markdown with boxes, and read back.

What agents and authors wrote stands between fences longer than any in it, and what stands there is
never looked at when the sheet is read. All other lines must be as they were written, but for an x.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random

from ..errors import Finding, UsageError
from ..ledger.criterion import Criterion
from ..ledger.experiment import WORDS, Word
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
_MARK = re.compile(
    r"<!-- runledger judging sheet: run (?P<run>\S+), answers (?P<hash>[0-9a-f]+) -->"
)
_BOX = re.compile(r"[-*] ?\[\s*(?P<tick>[xX]?)\s*\] ?(?P<word>[a-z]+)")
_FENCE = re.compile(r"(?P<ticks>`{3,})text")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is on a sheet, in the order in which it stands there."""

    run_id: str
    answers: tuple[Answer, ...]  # those of one task side by side

    @property
    def mark(self) -> str:
        """Give the line that tells of which run and which answers a sheet is."""
        judged: list[Json] = [
            [one.task.input, _criteria(one.task), *one.attempt.slot, one.attempt.number, one.said]
            for one in self.answers
        ]
        hashed = fingerprint([self.run_id, judged])
        return f"<!-- runledger judging sheet: run {self.run_id}, answers {hashed[:32]} -->"


@dataclass(frozen=True, slots=True)
class Ticked:
    """A criterion of an answer on a sheet that was read, and the box that was ticked, if any."""

    answer: Answer
    criterion: Criterion
    word: Word | None


@dataclass(frozen=True, slots=True)
class _Block:
    """A text of somebody's, between fences."""

    text: str


@dataclass(frozen=True, slots=True)
class _Boxes:
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
    for part in _parts(sheet):
        match part:
            case str(line):
                lines.append(line)
            case _Block(text):
                lines += _fenced(clean(text))
            case _Boxes():
                lines += [*(f"- [ ] {word}" for word in WORDS), ""]
    return "\n".join(lines) + "\n"


def read_sheet(sheet: Sheet, text: str, name: str) -> tuple[list[Ticked], list[Finding]]:
    """Read a sheet that was filled in: what is ticked, and what cannot be understood."""
    lines = [line.rstrip() for line in text.removeprefix("\ufeff").split("\n")]
    _check_mark(sheet, lines[0], name)
    reading = _Reading(name, lines)
    for part in _parts(sheet):
        if not reading.take(part):
            return reading.ticked, reading.findings
    reading.finish()
    return reading.ticked, reading.findings


def _parts(sheet: Sheet) -> Iterator[str | _Block | _Boxes]:
    yield from _INTRODUCTION.split("\n")
    groups = [[*group] for _, group in groupby(sheet.answers, key=lambda one: one.task.id)]
    for number, group in enumerate(groups, start=1):
        task = group[0].task
        yield from (f"## Task {number} of {len(groups)}: {one_line(task.id)}", "", "Asked:", "")
        yield _Block(_asked(task))
        for label, answer in enumerate(group, start=1):
            yield from (f"### Answer {label} of {len(group)} to task {number}", "")
            yield _Block(answer.seen)
            for place, criterion in enumerate(task.criteria, start=1):
                yield from (f"Criterion {place}: {one_line(criterion.text, 2000)}", "")
                yield _Boxes(answer, criterion)


def _criteria(task: Task) -> list[Json]:
    return [[criterion.id, criterion.text] for criterion in task.criteria]


def _asked(task: Task) -> str:
    return task.input if isinstance(task.input, str) else canonical_dumps(task.input)


def _fenced(text: str) -> list[str]:
    shown = escape_controls(text)
    longest = max(map(len, re.findall("`+", shown)), default=0)
    ticks = "`" * max(3, longest + 1)
    return [f"{ticks}text", *shown.split("\n"), ticks, ""]


def _check_mark(sheet: Sheet, line: str, name: str) -> None:
    """Refuse a sheet of another run, or of other answers than there are now."""
    if line == sheet.mark:
        return
    found = _MARK.fullmatch(line)
    if found is None:
        why = "its first line does not say of which run it is"
    elif found["run"] != sheet.run_id:
        why = f"it is the sheet of run {found['run']}, and not of {sheet.run_id}"
    else:
        why = "it is out of date: the answers or criteria are others now"
    raise UsageError(f"{name}: {why}; move it away, and judge --manual writes a new one")


class _Reading:
    """A sheet as it is read, part by part; empty lines count for nothing."""

    def __init__(self, name: str, lines: list[str]) -> None:
        self.ticked: list[Ticked] = []
        self.findings: list[Finding] = []
        self._name = name
        self._lines = lines
        self._at = 1  # behind the mark

    def take(self, part: str | _Block | _Boxes) -> bool:
        """Read a part; say whether the sheet is still as it was written."""
        match part:
            case str(line):
                return not line or self._take_line(line)
            case _Block():
                return self._take_block()
            case _Boxes():
                return self._take_boxes(part)

    def finish(self) -> None:
        """Find fault with what stands behind the last part."""
        if (line := self._next()) is not None:
            self._find(f"expected nothing more, found {_shown(line)}")

    def _take_line(self, expected: str) -> bool:
        line = self._next()
        if line == expected.rstrip():
            return True
        return self._damaged(expected, line)

    def _take_block(self) -> bool:
        line = self._next()
        found = _FENCE.fullmatch(line or "")
        if found is None:
            return self._damaged("```text", line)
        began = self._at
        while self._at < len(self._lines):
            self._at += 1
            if self._lines[self._at - 1] == found["ticks"]:
                return True
        self._at = began
        return self._damaged(found["ticks"], None)

    def _take_boxes(self, boxes: _Boxes) -> bool:
        ticked = list[Word]()
        for word in WORDS:
            line = self._next()
            found = _BOX.fullmatch((line or "").strip())
            if found is None or found["word"] != word:
                return self._damaged(f"- [ ] {word}, with an x in it or without", line)
            ticked += [word] if found["tick"] else []
        if len(ticked) > 1:
            self._find(f"{' and '.join(ticked)} are ticked: leave the x in one box alone")
        only = ticked[0] if len(ticked) == 1 else None
        self.ticked.append(Ticked(boxes.answer, boxes.criterion, only))
        return True

    def _next(self) -> str | None:
        while self._at < len(self._lines):
            self._at += 1
            if self._lines[self._at - 1]:
                return self._lines[self._at - 1]
        return None

    def _damaged(self, expected: str, line: str | None) -> bool:
        found = "the end of the file" if line is None else _shown(line)
        self._find(
            f"expected {_shown(expected)}, found {found}; undo the change, "
            "or move the file away to have a new one written"
        )
        return False

    def _find(self, message: str) -> None:
        self.findings.append(Finding(self._name, message, self._at))


def _shown(line: str) -> str:
    return f'"{one_line(line, 80)}"'
