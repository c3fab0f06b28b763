"""Tables for a terminal: columns as wide as what is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ledger.printable import columns, one_line
from ..look import Look, paint

GAP = "  "
NARROW = 12  # columns that a name may take in the head of a table
ELLIPSIS = "…"


def short(name: str, most: int = NARROW) -> str:
    """Cut a name of any origin to a number of columns."""
    line = one_line(name, 200)
    if columns(line) <= most:
        return line
    while columns(line) >= most:
        line = line[:-1]
    return line + ELLIPSIS


def grid(rows: Sequence[Sequence[str]], look: Look, margin: str = "  ") -> Iterator[str]:
    """Set cells in columns below their head; the first column begins at its edge."""
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        line = margin + GAP.join(_set(row, widths))
        yield paint(line.rstrip(), "faint", look) if number == 0 else line.rstrip()


def room_for(others: Sequence[Sequence[str]], look: Look, margin: str = "  ") -> int:
    """Say how many columns are left for the first one beside these."""
    used = sum(max(map(columns, column)) + len(GAP) for column in zip(*others, strict=True))
    return max(look.width - len(margin) - used, NARROW)


def _set(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for number, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - columns(cell))
        yield space + cell if number else cell + space
