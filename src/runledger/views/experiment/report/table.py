"""Tables of the report: all look alike, so that one template draws them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import compress

from ....ledger.attempt import Slot
from ...report.overview import shown

MOST_ROWS = 200


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of a table."""

    text: str
    note: str = ""  # set small, below
    tone: str = ""
    mark: str = ""  # a sign before the text, for those who see no colours
    task: str = ""  # the task that it leads to
    trial: int = 1  # and which trial of it


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column, and how its cells are set."""

    label: str
    kind: str = ""  # number or id


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under heads, with a word on what they are."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    about: str = ""
    more: int = 0  # rows that were left out


def table(
    title: str, columns: Iterable[Column], rows: Iterable[Iterable[Cell]], about: str = ""
) -> Table:
    """Make a table of a fair length, without the columns in which nothing stands."""
    made = [tuple(row) for row in rows]
    told = [any(cell.text or cell.note for cell in cells) for cells in zip(*made, strict=True)]
    kept = tuple(tuple(compress(row, told)) for row in made[:MOST_ROWS])
    return Table(title, tuple(compress(columns, told)), kept, about, len(made) - len(kept))


def plain(text: str, note: str = "", tone: str = "") -> Cell:
    """Set words of ours."""
    return Cell(text, note, tone)


def said(text: str, most: int = 300) -> Cell:
    """Set a text of any origin."""
    return Cell(shown(text, most))


def link(slot: Slot) -> Cell:
    """Name the task of a run, and lead to the run's trial."""
    return Cell(shown(slot.task_id), task=as_written(slot.task_id), trial=slot.trial)


def as_written(task_id: str) -> str:
    """Give an id as the page's own document has it, in which halves of pairs are spelled out."""
    return task_id.encode("utf-8", "backslashreplace").decode()


def words(*labels: str) -> list[Column]:
    """Head columns of words."""
    return [Column(label) for label in labels]


def numbers(*labels: str) -> list[Column]:
    """Head columns of numbers."""
    return [Column(label, "number") for label in labels]
