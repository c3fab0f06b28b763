"""Read the sheet of a person who judged.

All lines must be as they were written, but for an x in a box and white space at their ends: whoever
changed an answer, by accident or not, has judged another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

from ..errors import Finding, UsageError
from ..ledger.criterion import Criterion
from ..ledger.experiment import WORDS, Word
from ..ledger.printable import escape_controls, one_line
from ..store.redact.placeholder import PLAIN
from .answers import Answer
from .sheet import Block, Boxes, Sheet, fenced, parts_of

MOST_TOLD = 5  # lines of one text that are not as they were written
NEAR = 20  # characters that are shown before the first that differs

_MARK = re.compile(
    r"<!-- runledger judging sheet: run (?P<run>\S+), answers (?P<hash>[0-9a-f]+) -->"
)
_BOX = re.compile(r"[-*] ?\[\s*(?P<tick>[xX]?)\s*\] ?(?P<word>[a-z]+)")
_FENCE = re.compile(r"(?P<ticks>`{3,})text")


@dataclass(frozen=True, slots=True)
class Ticked:
    """A criterion of an answer on a sheet that was read, and the box that was ticked, if any."""

    answer: Answer
    criterion: Criterion
    word: Word | None


def read_sheet(
    sheet: Sheet, text: str, name: str, clean: Callable[[str], str]
) -> tuple[list[Ticked], list[Finding]]:
    """Read a sheet that was filled in: what is ticked, and what is not as it was written."""
    lines = [line.rstrip() for line in text.removeprefix("\ufeff").split("\n")]
    _check_mark(sheet, lines[0], name)
    reading = _Reading(name, lines, clean)
    for part in parts_of(sheet):
        if not reading.take(part):
            return reading.ticked, reading.findings
    reading.finish()
    return reading.ticked, reading.findings


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
    """A sheet as it is read, part by part; empty lines between the parts count for nothing."""

    def __init__(self, name: str, lines: list[str], clean: Callable[[str], str]) -> None:
        self.ticked: list[Ticked] = []
        self.findings: list[Finding] = []
        self._name = name
        self._lines = lines
        self._clean = clean
        self._at = 1  # behind the mark

    def take(self, part: str | Block | Boxes) -> bool:
        """Read a part; say whether the sheet is still as it was written."""
        match part:
            case str(line):
                return not line or self._take_line(line)
            case Block(text):
                return self._take_block(text)
            case Boxes():
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

    def _take_block(self, text: str) -> bool:
        first, *written = (line.rstrip() for line in fenced(self._clean(text))[:-2])
        line = self._next()
        found = _FENCE.fullmatch(line or "")
        if found is None or line not in (first, fenced(text)[0]):
            return self._damaged(first, line)
        began = self._at
        try:
            end = self._lines.index(found["ticks"], began)
        except ValueError:
            return self._damaged(found["ticks"], None)
        self._at = end + 1
        inside = self._lines[began:end]
        if inside != written and not _is_redacted(inside, text):
            self._blame(inside, written, began)
        return True

    def _blame(self, inside: list[str], written: list[str], began: int) -> None:
        """Find fault with the lines of a text that are not as they were written.

        Where lines were added or taken out, all that follow differ: only the first one is told.
        """
        differ = [
            (number, *pair)
            for number, pair in enumerate(zip_longest(written, inside), start=began + 1)
            if pair[0] != pair[1]
        ]
        most = MOST_TOLD if len(inside) == len(written) else 1
        for number, expected, line in differ[:most]:
            self._find(_changed(expected, line), number)

    def _take_boxes(self, boxes: Boxes) -> bool:
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
        self._find(_changed(expected, line, "the end of the file"))
        return False

    def _find(self, message: str, line: int | None = None) -> None:
        self.findings.append(Finding(self._name, message, line or self._at))


def _is_redacted(inside: list[str], text: str) -> bool:
    """Say whether a text was written with a secret taken out that is none, or unknown, by now."""
    whole = "\n".join(line.rstrip() for line in escape_controls(text).split("\n"))
    first, *others = "\n".join(inside).split(PLAIN)
    if not others:
        return whole == first
    *middle, last = others
    at = len(first)
    for piece in middle:
        found = whole.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return whole.startswith(first) and whole.endswith(last) and at + len(last) <= len(whole)


def _changed(expected: str | None, line: str | None, nothing: str = "the end of the text") -> str:
    """Say how a line differs from what was written, from where they part."""
    one, other = expected or "", line or ""
    shared = min(len(one), len(other))
    at = next((at for at in range(shared) if one[at] != other[at]), shared)
    parts = (nothing if text is None else _shown(text, at) for text in (expected, line))
    return (
        "this line is not as it was written: expected {}, found {}; restore it, or delete the "
        "sheet and write it anew"
    ).format(*parts)


def _shown(line: str, at: int = 0) -> str:
    start = max(0, at - NEAR)
    return f'"{"…" if start else ""}{one_line(line[start:], 80)}"'
