"""The names of fields of ours, which no secret may take away: records are read by them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..schemas import read_schema, schema_names


@lru_cache(maxsize=1)
def own_names() -> frozenset[str]:
    """Gather the names of the fields of all that we write, as its schemas tell them."""
    return frozenset(name for schema in schema_names() for name in _named_in(read_schema(schema)))


def _named_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", ())
    parts = schema.values() if isinstance(schema, dict) else schema
    for part in parts if isinstance(schema, (dict, list)) else ():
        yield from _named_in(part)
