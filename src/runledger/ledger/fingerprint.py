"""The canonical text of JSON values, and their fingerprints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256

import orjson

from .cut import beginning
from .value import Json


def canonicalize_json(value: Json) -> Json:
    """Sort the keys of every object; lists, numbers and texts stay as they are."""
    if isinstance(value, Mapping):
        return {key: canonicalize_json(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [canonicalize_json(item) for item in value]
    return value


def canonical_bytes(value: Json) -> bytes:
    """Write a value so that equal values are equal bytes: sorted keys, compact, 1 is not 1.0."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")


def canonical_dumps(value: Json) -> str:
    """Give the canonical text of a value, for people to read."""
    return canonical_bytes(value).decode("utf-8", "backslashreplace")


def fingerprint(value: Json) -> str:
    """Give the SHA-256 of a value's canonical bytes."""
    return sha256(canonical_bytes(value)).hexdigest()


def preview(value: Json, width: int = 120) -> str:
    """Show a value's canonical text, cut to a width."""
    try:
        return beginning(canonical_dumps(value), width)
    except RecursionError:
        return "a value nested too deep to show…"


def show_name(name: str, width: int = 80) -> str:
    """Show a name as it is when it fits on a line and prints, else quoted and cut."""
    return name if name.isprintable() and 0 < len(name) <= width else preview(name, width)


def hash_changes(
    before: Mapping[str, str], now: Mapping[str, str], altered: str = "edited"
) -> Iterator[str]:
    """Tell which of the things that were hashed are not what they were."""
    for name in {**now, **before}:
        if before.get(name) != now.get(name):
            how = "added" if name not in before else "removed" if name not in now else altered
            yield f"{name} was {how}"
