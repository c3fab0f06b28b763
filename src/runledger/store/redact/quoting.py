"""Strings in JSON texts, at any depth of JSON held in a string of JSON.

Each level of nesting doubles the backslashes before a quote: `"`, `\\"`, `\\\\\\"`. So the
number of backslashes tells at which depth a quote stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

# A letter is no part of a name when it ends an escape: \n, \u001b, %20, or colours of a terminal.
ESCAPE = rb"\\[nrtbf]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}|(?:\x1b|\\u001[bB]|\\x1[bB])\[[0-9;]*m"

# A quote, and the sign behind a name, of JSON that stands in HTML or in a URL.
CODED_QUOTE = rb"(?:&(?:quot|apos|#34|#39);|%(?:25)*2[27])"
CODED_SIGN = rb"(?::|=|%(?:25)*3[Aa])"

_ENDS = {quote: re.compile(rb"(?<!\\)\\*+" + quote + rb"|[\r\n]") for quote in (b'"', b"'", b"`")}
_STRUCTURE = re.compile(rb"(?<!\\)\\*+\"|[][{}]")
_IS_NAME = re.compile(rb"\s*+:")


class Quoted(NamedTuple):
    """A string in a text: where its content starts and ends, how deep, and where its quote ends."""

    start: int
    end: int
    depth: int
    after: int


def quoted_at(text: bytes, start: int, opening: bytes) -> Quoted:
    """Find the end of a string whose opening quote, with its backslashes, stands before `start`.

    A line break, or a quote of an outer string, ends it too: then it was cut off.
    """
    depth = depth_of(len(opening) - 1)
    for found in _ENDS[opening[-1:]].finditer(text, start):
        if found[0] in (b"\r", b"\n"):
            return Quoted(start, found.start(), depth, found.start())
        at = depth_of(len(found[0]) - 1)
        if at <= depth:
            return Quoted(start, found.end() - (1 << at), depth, found.end())
    return Quoted(start, len(text), depth, len(text))


def strings_below(
    text: bytes, start: int, depth: int, patience: Iterator[object]
) -> Iterator[Quoted]:
    """Yield the strings inside the object or list that starts here, but not its keys.

    The last one is empty and stands where the object or list ends, or was cut off. Each quote and
    bracket takes one from the patience; without any left, the rest of the text is one string.
    """
    at = start
    for string in _strings(text, start, depth, patience):
        at = string.after
        if string.start < string.end and not _IS_NAME.match(text, at):
            yield string
    yield Quoted(at, at, depth, at)


def _strings(text: bytes, start: int, depth: int, patience: Iterator[object]) -> Iterator[Quoted]:
    level, at = 0, start
    while found := _STRUCTURE.search(text, at):
        if next(patience, None) is None:
            yield Quoted(at, len(text), depth, len(text))
            return
        at = found.end()
        if not found[0].endswith(b'"'):
            level += 1 if found[0] in b"[{" else -1
            if not level:
                break
            continue
        if depth_of(len(found[0]) - 1) < depth:
            at = found.start()
            break
        string = quoted_at(text, at, found[0])
        at = string.after
        yield string
    yield Quoted(at, at, depth, at)


def unescaped(content: bytes, times: int) -> bytes:
    """Undo JSON's escapes so many times, or as often as they can be undone."""
    for _ in range(times):
        if b"\\" not in content:
            break
        try:
            text = json.loads(b'"%b"' % content, strict=False)
        except ValueError:
            break
        content = text.encode("utf-8", "surrogatepass")
    return content


def depth_of(backslashes: int) -> int:
    """Tell how deep a quote stands behind so many backslashes."""
    after = backslashes + 1
    return (after & -after).bit_length() - 1  # how often it can be halved
