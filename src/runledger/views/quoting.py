"""Texts of agents set in an evaluation record, plainly, so that none can pass for a part of it.

A judge reads the record as it is: an ordinary text stays byte for byte. Quoted is what looks like a
heading, a field or a reference of ours, what could hide the text after it or act in a browser, and
every line but the first, which stands four columns in, where Markdown has no heading, list, fence.
"""

from __future__ import annotations

import re

from ..ledger.characters import first_characters
from ..ledger.fingerprint import canonical_dumps
from ..ledger.printable import escape_controls
from ..ledger.value import Json

HEADING = "## Evaluation Record:"
FIELDS = (
    "Input",
    "Trajectory",
    "Output",
    "Metadata",
    "Tool Errors",
    "Duration",
    "Trial",
    "Score",
    "Reasoning",
)
MARGIN = "    "

# A backslash behind the first sign breaks each of them for grep, and for Markdown as well.
_OURS = re.compile(rf"#(?={HEADING[1:]})|\*(?=\*(?:{'|'.join(FIELDS)}):\*\*)|\[(?=->)")
# Of HTML, only what swallows or folds all that comes after it, and what runs, leads away or loads
# something by itself: a button may stay a <button>.
_HIDES = "details|dialog|iframe|noembed|noframes|plaintext|script|style|template|textarea|title|xmp"
_ACTS = "a|audio|base|embed|form|frame|frameset|image|img|input|link|math|meta|object|svg|video"
_TAG = re.compile(
    rf"<(?=[!?]|/?(?:{_HIDES}|{_ACTS})\b|[a-z][^<>]*[\s/\"']on\w+\s*=)", re.IGNORECASE
)
_IMAGE = re.compile(r"!(?=\[[^\]]*\][(\[])")


def text_of(value: Json) -> str:
    """Give a text as it is, several turns one below the other, anything else as canonical JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, str) for one in value):
        return "\n".join(map(str, value))
    return canonical_dumps(value)


def inline(text: str, most: int) -> str:
    """Set the first characters of a text inside a line; line ends are shown as escapes."""
    return _visible(guarded(first_characters(text, most)).replace("\n", "\\n"))


def indented(text: str) -> str:
    """Set a text after a label, every line but the first behind a margin."""
    first, *others = _visible(guarded(text)).rstrip("\n").split("\n")
    return "\n".join([first, *(MARGIN + line if line.strip() else "" for line in others)])


def guarded(text: str) -> str:
    """Break what a reader of records, or a terminal, would take for more than text."""
    return _OURS.sub(r"\g<0>\\", escape_controls(text))


def _visible(text: str) -> str:
    tagless = _TAG.sub("&lt;", text)  # a backslash could be escaped by one before it
    return _IMAGE.sub(r"!\\", tagless)
