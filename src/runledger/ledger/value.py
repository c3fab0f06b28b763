"""JSON values, and the lack of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None


class Absent:
    """Stand for a value that is not there, which null is."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = Absent()


def children_of(value: Json) -> Sequence[Json]:
    """List what is directly in a value."""
    if isinstance(value, Mapping):
        return [*value.values()]
    return value if isinstance(value, (list, tuple)) else ()


def map_texts(value: Json, change: Callable[[str], str]) -> Json:
    """Change every text of a value; keys stay as they are."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: map_texts(item, change) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [map_texts(item, change) for item in value]
    return value


def texts_in(value: Json) -> Iterator[str]:
    """Yield every text of a value; keys are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from texts_in(item)
