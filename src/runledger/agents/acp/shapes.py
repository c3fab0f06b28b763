"""Look into JSON of an unknown shape: what is not there, or is something else, is empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ledger.value import Json


def as_object(value: Json) -> Mapping[str, Json]:
    """Give an object as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Json) -> Sequence[Json]:
    """Give a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else ()


def text_at(found: Json, key: str) -> str:
    """Give the text of this key of an object, and an empty one where there is none."""
    value = as_object(found).get(key)
    return value if isinstance(value, str) else ""
