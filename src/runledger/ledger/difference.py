"""Where two JSON values differ, path by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from .fingerprint import Json, preview


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


def show(value: Json | Absent, width: int = 60) -> str:
    """Show one side of a difference."""
    return repr(value) if isinstance(value, Absent) else preview(value, width)


def _pair(left: Json | Absent, right: Json | Absent, path: str) -> Iterator[Difference]:
    if isinstance(left, Absent) or isinstance(right, Absent):
        yield Difference(path, left, right)
    else:
        yield from differences(left, right, path)


def _is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
