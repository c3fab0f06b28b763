"""JSON Schemas of the files that RunLedger writes, as data beside this module.

A reference to `#/$defs/NAME` means the schema in NAME.json, which is put into every schema that
refers to it, so that each of them stands alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_HERE = Path(__file__).parent
_REFERENCE = "#/$defs/"


def schema_names() -> list[str]:
    """List the names of the schemas, in alphabetical order."""
    return sorted((file.stem for file in _HERE.glob("*.json")), key=str.lower)


def read_schema(name: str) -> dict[str, Any]:
    """Give a schema with all that it refers to."""
    schema = _read(name)
    parts: dict[str, Any] = {}
    _gather(schema, parts)
    whole = {"$schema": DIALECT, **schema}
    return whole | {"$defs": dict(sorted(parts.items()))} if parts else whole


def _read(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((_HERE / f"{name}.json").read_text())
    return schema


def _gather(schema: dict[str, Any], parts: dict[str, Any]) -> None:
    for name in _references(schema):
        if name not in parts:
            parts[name] = _read(name)
            _gather(parts[name], parts)


def _references(value: Any) -> Iterator[str]:
    """Yield the names that a schema refers to."""
    if isinstance(value, Mapping):
        target = value.get("$ref")
        if isinstance(target, str):
            yield target.removeprefix(_REFERENCE)
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
