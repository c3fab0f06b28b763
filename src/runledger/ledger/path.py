"""Places in a JSON value: dotted paths, what is found there, and the value without it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from .value import ABSENT, Absent, Json

Path: TypeAlias = tuple[str, ...]
"""The keys and indices from the root down; whether `0` is a key or an index, the value decides."""

ANY = "*"

_PLAIN = re.compile(r"[^\W\d][\w-]*|\d+")
_SEGMENT = re.compile(
    r"""\.?(?: \[(?P<index>\d+|\*)\]
             | \[(?P<quoted>"(?:[^"\\]|\\.)*")\]
             | \['(?P<single>[^']*)'\]
             | (?P<name>\[?[^.\[]*) )""",
    re.VERBOSE | re.DOTALL,
)


@lru_cache(maxsize=1024)
def parse_path(text: str) -> Path:
    """Read `a.b.0`, `$.a.b[0]` or `$["a.b"]`; every text is some path, `$` and nothing the root."""
    rest = text[1:] if text[:2] in ("$", "$.", "$[") else text
    return tuple(_segment(match) for match in _SEGMENT.finditer(rest) if match[0])


def show_path(path: Iterable[str | int]) -> str:
    """Write a path so that it reads back as the same path."""
    parts = (str(segment) for segment in path)
    return "$" + "".join(f".{one}" if _is_plain(one) else f"[{json.dumps(one)}]" for one in parts)


def find(value: Json, path: str | Path) -> Json | Absent:
    """Look up the value at a path; an asterisk is a key like any other here."""
    found: Json | Absent = value
    for segment in _parsed(path):
        found = _child(found, segment)
    return found


def without(value: Json, paths: Iterable[str | Path]) -> Json:
    """Copy a value without what is at these paths; `*` stands for every key and every index.

    Paths that lead nowhere are fine, and the root itself cannot be taken away.
    """
    return _without(value, [_parsed(path) for path in paths])


def _without(value: Json, paths: Sequence[Path]) -> Json:
    wanted = [path for path in paths if path]
    if not wanted:
        return value
    if isinstance(value, Mapping):
        return dict(_kept(value.items(), wanted))
    if isinstance(value, (list, tuple)):
        numbered = ((str(index), item) for index, item in enumerate(value))
        return [item for _, item in _kept(numbered, wanted)]
    return value


def _kept(items: Iterable[tuple[str, Json]], paths: Sequence[Path]) -> Iterator[tuple[str, Json]]:
    for segment, item in items:
        below = [path[1:] for path in paths if path[0] in (segment, ANY)]
        if () not in below:
            yield segment, _without(item, below)


def _parsed(path: str | Path) -> Path:
    return parse_path(path) if isinstance(path, str) else path


def _segment(match: re.Match[str]) -> str:
    if match["quoted"] is None:
        return next(text for text in match.group("index", "single", "name") if text is not None)
    try:
        return str(json.loads(match["quoted"], strict=False))
    except ValueError:
        return match["quoted"][1:-1]


def _is_plain(segment: str) -> bool:
    return segment.isascii() and _PLAIN.fullmatch(segment) is not None


def _child(value: Json | Absent, segment: str) -> Json | Absent:
    if isinstance(value, Mapping):
        return value.get(segment, ABSENT)
    if isinstance(value, Sequence) and not isinstance(value, str):
        index = int(segment) if _is_index(segment) else len(value)
        return value[index] if index < len(value) else ABSENT
    return ABSENT


def _is_index(segment: str) -> bool:
    return segment.isascii() and segment.isdecimal() and len(segment) < 19
