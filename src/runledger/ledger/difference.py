"""Where two JSON values differ, path by path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeGuard

from .fingerprint import Json, preview, show_name


class Absent:
    """Stand for a value that one side does not have."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Difference:
    """One path at which two values are not the same."""

    path: str
    left: Json | Absent
    right: Json | Absent


def differences(left: Json, right: Json, path: str = "$") -> Iterator[Difference]:
    """Walk two values together and yield every place where they differ."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        for key in sorted({*left, *right}):
            yield from _pair(left.get(key, ABSENT), right.get(key, ABSENT), f"{path}.{key}")
    elif _is_list(left) and _is_list(right):
        for index in range(max(len(left), len(right))):
            ours = left[index] if index < len(left) else ABSENT
            theirs = right[index] if index < len(right) else ABSENT
            yield from _pair(ours, theirs, f"{path}.{index}")
    elif type(left) is not type(right) or left != right:
        yield Difference(path, left, right)


def shortfalls(part: Json, whole: Json, path: str = "$") -> Iterator[Difference]:
    """Yield every place where a value does not contain another: objects may have more keys."""
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        for key in sorted(part):
            if key in whole:
                yield from shortfalls(part[key], whole[key], f"{path}.{key}")
            else:
                yield Difference(f"{path}.{key}", part[key], ABSENT)
    elif _is_list(part) and _is_list(whole) and len(part) == len(whole):
        for index, (ours, theirs) in enumerate(zip(part, whole, strict=True)):
            yield from shortfalls(ours, theirs, f"{path}.{index}")
    elif _is_list(part) and _is_list(whole):
        yield Difference(path, part, whole)
    else:
        yield from differences(part, whole, path)


def show(value: Json | Absent, width: int = 60) -> str:
    """Show one side of a difference."""
    return repr(value) if isinstance(value, Absent) else preview(value, width)


def describe(found: Iterable[Difference], limit: int = 5) -> str:
    """Tell the first differences between what was expected (left) and found (right), one a line."""
    some = list(islice(found, limit + 1))
    lines = [
        f"at {show_name(one.path)}: expected {show(one.left)}, found {show(one.right)}"
        for one in some[:limit]
    ]
    return "\n".join([*lines, "and more"] if len(some) > limit else lines)


def _pair(left: Json | Absent, right: Json | Absent, path: str) -> Iterator[Difference]:
    if isinstance(left, Absent) or isinstance(right, Absent):
        yield Difference(path, left, right)
    else:
        yield from differences(left, right, path)


def _is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
