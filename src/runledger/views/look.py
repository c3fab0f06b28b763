"""How text is set in a terminal: width, colour, counts and durations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..ledger.printable import columns, inert, one_line, printable, wrapped

NARROWEST = 60
COMMAND = "runledger "

# By hand, since importing rich takes longer than most replays.
_CODES = {"good": "32", "bad": "31", "odd": "33", "strong": "1", "faint": "2"}
COLOURS = re.compile(rf"(\x1b\[(?:0|{'|'.join(_CODES.values())})m)")
_STYLES = {"passed": "good", "unfinished": "odd", "interrupted": "odd"}


@dataclass(frozen=True, slots=True)
class Look:
    """How the text is set: its width, with colours or not, with every passing case or not."""

    width: int = 80
    colour: bool = False
    verbose: bool = False


PLAIN = Look()


def paint(text: str, style: str, look: Look) -> str:
    """Colour a text, when colours are asked for."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if look.colour else text


def paint_status(text: str, status: str, look: Look) -> str:
    """Colour a text as befits the status of a case or a run."""
    return paint(text, _STYLES.get(status, "bad"), look)


def set_text(margin: str, texts: Iterable[str], look: Look) -> Iterator[str]:
    """Set texts of any origin behind a margin, each line broken to the width."""
    width = max(look.width, NARROWEST) - len(margin)
    for text in texts:
        for line in printable(text).expandtabs(4).split("\n"):
            yield from (inert(margin + piece).rstrip() for piece in _broken(line, width))


def _broken(line: str, width: int) -> Iterator[str]:
    """Break a line, but leave a command whole: half of it, copied, would do something else."""
    before, command, arguments = line.partition(COMMAND)
    if not command or columns(line) <= width:
        yield from wrapped(line, width)
        return
    if before.strip():
        yield from wrapped(before, width)
    yield f"  {command}{arguments}" if before.strip() else line


def count(number: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def names(ids: Sequence[str], most: int) -> str:
    """Name things, the first ones when there are many."""
    shown = ", ".join(one_line(id) for id in ids[:most])
    return shown if len(ids) <= most else f"{shown} and {len(ids) - most:,} more"


def duration(ms: int | None) -> str:
    """Write a duration as a person would say it."""
    if ms is None:
        return "-"
    if ms < 1000:
        return f"{ms} ms"
    if ms < 59_950:
        return f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes}m {seconds:02}s"


def money(usd: float) -> str:
    """Write a cost so that a small one does not look like nothing."""
    if usd and abs(usd) < 0.0001:
        return "under $0.0001"
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}"
