"""Texts of any origin set in Markdown, so that nothing in them is Markdown, a mention or a link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..ledger.printable import escape_controls, one_line


def code(text: str, most: int) -> str:
    """Set a text inside a line; GitHub looks for mentions and formulas everywhere but in code."""
    line = one_line(text, most)
    ticks = _ticks(line, fewest=1)
    space = " " if line[:1] in "` " or line[-1:] in "` " else ""  # an empty text needs some, too
    return f"{ticks}{space}{line}{space}{ticks}"


def codes(texts: Sequence[str], named: int, most: int) -> str:
    """Set several texts inside a line, the first ones when there are many."""
    shown = ", ".join(code(text, most) for text in texts[:named])
    return shown if len(texts) <= named else f"{shown} and {len(texts) - named:,} more"


def fenced(text: str) -> str:
    """Set a text as a block that nothing in it can end."""
    shown = escape_controls(text)
    ticks = _ticks(shown, fewest=3)
    return f"{ticks}text\n{shown}\n{ticks}\n"


def table(rows: Sequence[Iterable[str]]) -> str:
    """Set words of ours as a table; the first row is its head."""
    head, *others = ([*cells] for cells in rows)
    lines = [head, ["---"] * len(head), *others]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def _ticks(text: str, fewest: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(fewest, longest + 1)
