"""Where two JSON values differ, path by path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TypeGuard

from .fingerprint import canonical_dumps, preview, show_name
from .parting import windows
from .path import Path, show_path
from .value import ABSENT, Absent, Json


@dataclass(frozen=True, slots=True)
class Difference:
    """One path at which two values are not the same."""

    path: str
    left: Json | Absent
    right: Json | Absent


def differences(left: Json, right: Json, path: Path = ()) -> Iterator[Difference]:
    """Walk two values together and yield every place where they differ."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for key in sorted({*left, *right}):
            yield from _pair(left.get(key, ABSENT), right.get(key, ABSENT), (*path, key))
    elif _is_list(left) and _is_list(right):
        pairs = zip_longest(left, right, fillvalue=ABSENT)
        for index, (ours, theirs) in enumerate(pairs):
            yield from _pair(ours, theirs, (*path, str(index)))
    elif type(left) is not type(right) or left != right:
        yield Difference(show_path(path), left, right)


def shortfalls(part: Json, whole: Json, path: Path = ()) -> Iterator[Difference]:
    """Yield every place where a value does not contain another: objects may have more keys."""
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        for key in sorted(part):
            yield from _shortfall(part[key], whole.get(key, ABSENT), (*path, key))
    elif _is_list(part) and _is_list(whole):
        if len(part) != len(whole):
            yield Difference(show_path(path), part, whole)
            return
        for index, (ours, theirs) in enumerate(zip(part, whole, strict=True)):
            yield from shortfalls(ours, theirs, (*path, str(index)))
    else:
        yield from differences(part, whole, path)


def show(value: Json | Absent, width: int = 60) -> str:
    """Show one side of a difference."""
    return repr(value) if isinstance(value, Absent) else preview(value, width)


def show_both(one: Difference, width: int = 60) -> tuple[str, str]:
    """Show both sides; of two texts, the words around the place where they differ."""
    left, right = one.left, one.right
    if isinstance(left, str) and isinstance(right, str):
        ours, theirs = windows(left, right, width)
        return canonical_dumps(ours), canonical_dumps(theirs)
    return show(left, width), show(right, width)


def describe(found: Iterable[Difference], limit: int = 5) -> str:
    """Tell the first differences between what was expected (left) and found (right), one a line."""
    some = list(islice(found, limit + 1))
    lines = [
        f"at {show_name(one.path)}: expected {ours}, found {theirs}"
        for one in some[:limit]
        for ours, theirs in [show_both(one)]
    ]
    return "\n".join([*lines, "and more"] if len(some) > limit else lines)


def _pair(left: Json | Absent, right: Json | Absent, path: Path) -> Iterator[Difference]:
    if isinstance(left, Absent) or isinstance(right, Absent):
        yield Difference(show_path(path), left, right)
    else:
        yield from differences(left, right, path)


def _shortfall(part: Json, whole: Json | Absent, path: Path) -> Iterator[Difference]:
    if isinstance(whole, Absent):
        yield Difference(show_path(path), part, ABSENT)
    else:
        yield from shortfalls(part, whole, path)


def _is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
