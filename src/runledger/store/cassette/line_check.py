"""Check the fields of a line that somebody may have written by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from ...errors import did_you_mean
from .shorthand import Wrong

Kind = TypeVar("Kind")

_KINDS = {
    str: "a text",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def check_keys(
    fields: Mapping[str, Any],
    known: Collection[str],
    needed: Collection[str] = (),
    hint: str = "",
    within: str = "",
) -> None:
    """Refuse a key that is not known, with the nearest that is, and the lack of a needed one."""
    where = f"{within}: " if within else ""
    for key in fields:
        if key not in known:
            near = f"{did_you_mean(key, known)} (known: {', '.join(known)})"
            raise Wrong(f"{where}unknown key {key[:60]!r}{near}")
    for key in needed:
        if key not in fields:
            why = f" ({hint})" if hint else ""
            raise Wrong(f"{where}the key {key!r} is missing{why}")


def checked(fields: Mapping[str, Any], key: str, kind: type[Kind], within: str = "") -> Kind:
    """Give the value of a key, or say that it is of the wrong kind."""
    value = fields[key]
    if type(value) is not kind:
        where = f"{within}: " if within else ""
        raise Wrong(f"{where}{key[:60]!r} must be {_KINDS[kind]}, not {kind_of(value)}")
    return value


def kind_of(value: object) -> str:
    """Name the kind of a JSON value."""
    return _KINDS[type(value)]
