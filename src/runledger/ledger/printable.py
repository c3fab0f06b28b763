"""Text from elsewhere made fit to show: it can neither drive a terminal nor command a CI runner."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, east_asian_width

# Controls (C0 but for tab and newline, DEL, C1), line and paragraph separators, bidi overrides
# and isolates, halves of surrogate pairs, and the two characters that XML 1.0 forbids beside them.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# JSON escapes the other controls itself, but half a pair only where it writes nothing but ASCII.
_UNSAFE_IN_JSON = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
# GitHub skips the spaces before `::`, and obeys `##[` (Azure: `##vso[`) wherever it stands.
_COMMAND_AT_START = re.compile(r"^([^\S\n]*)::", re.MULTILINE)
_COMMAND_ANYWHERE = re.compile(r"##(?=[A-Za-z]*\[)")


def escape_controls(text: str) -> str:
    """Show every unsafe character as its escape; newlines and tabs stay."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def escape_json(text: str) -> str:
    """Write every unsafe character of a JSON text as JSON's own escape, which means the same."""
    safe = _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return _COMMAND_ANYWHERE.sub(r"#\\u0023", safe)


def inert(text: str) -> str:
    """Break whatever a CI runner would take for a command, visibly, with a backslash."""
    return _COMMAND_ANYWHERE.sub(r"#\\#", _COMMAND_AT_START.sub(r"\1\\::", text))


def printable(text: str) -> str:
    """Make a text of any origin safe to print, line for line."""
    return inert(escape_controls(text))


def one_line(text: str, most: int = 200) -> str:
    """Make a text of any origin safe to print inside a line, cut to a length."""
    line = printable(text[: most + 1]).replace("\n", "\\n").replace("\t", " ")
    return line if len(line) <= most else line[: most - 1] + "…"


def columns(text: str) -> int:
    """Count the columns that a text takes in a terminal."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def wrapped(line: str, width: int) -> Iterator[str]:
    """Break a line at spaces, or inside words too long; what follows is set two columns deeper."""
    leading = len(line) - len(line.lstrip(" "))
    margin = " " * min(leading + 2, width // 2)
    piece = ""
    for word in re.findall(r" *[^ ]+", line):
        if columns(piece + word) <= width:
            piece += word
            continue
        if piece:
            yield piece
        piece = margin + word.lstrip(" ") if piece else word
        while columns(piece) > width:
            head = _fitting(piece, width)
            yield head
            piece = margin + piece[len(head) :]
    yield piece


def _fitting(text: str, width: int) -> str:
    used = 0
    for index, char in enumerate(text):
        used += _columns_of(char)
        if used > width:
            return text[:index]
    return text


def _columns_of(char: str) -> int:
    if category(char) in ("Mn", "Me", "Cf"):  # accents and joiners sit on their neighbour
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
