"""Texts of any origin set in Markdown, so that nothing in them is Markdown, a mention or a link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..ledger.printable import escape_controls, one_line

PROSE_CHARS = 2000
_MARKDOWN = re.compile(r"[\\`*\[\]<>#~$&]|(?<![^\W_])_|_(?![^\W_])|(?<=:)//|(?<=www)\.")
_LIST = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)](?:\s|$)))")  # or a rule, or a line below a heading
_MENTION = re.compile(r"@(?=\w)")


def code(text: str, most: int) -> str:
    """Set a text inside a line; GitHub looks for mentions and formulas everywhere but in code."""
    line = one_line(text, most)
    ticks = _ticks(line, fewest=1)
    space = " " if line[:1] in "` " or line[-1:] in "` " else ""  # an empty text needs some, too
    return f"{ticks}{space}{line}{space}{ticks}"


def prose(text: str) -> str:
    """Set a sentence of ours that may name foreign things; what is in backticks stays code."""
    pieces = one_line(text.strip(), PROSE_CHARS).split("`")
    if len(pieces) % 2 == 0:  # the last backtick opens nothing, and so it is just a character
        pieces[-2:] = ["`".join(pieces[-2:])]
    line = "".join(
        code(piece, PROSE_CHARS) if number % 2 else _plain(piece)
        for number, piece in enumerate(pieces)
    )
    return _LIST.sub(r"\1\\", line)


def _plain(text: str) -> str:
    """Take from a text what Markdown or GitHub would see in it."""
    return _MENTION.sub("`@`", _MARKDOWN.sub(r"\\\g<0>", text))


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
    """Set a table of what is set already; the first row is its head."""
    # A bar would end a cell, even one in code.
    head, *others = ([cell.replace("|", "\\|") for cell in cells] for cells in rows)
    lines = [head, ["---"] * len(head), *others]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def _ticks(text: str, fewest: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(fewest, longest + 1)
