"""The bodies of requests to a model: read, and cut into parts that come again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import orjson

from ...ledger.path import Path
from ...ledger.strict_json import NotJson, loads
from ...ledger.value import Json
from ..cassette.shorthand import CONVERSATIONS


def read_body(body: bytes) -> Json:
    """Read a body strictly: nothing is None, and what is not JSON is a text."""
    if not body:
        return None
    try:
        return loads(body)
    except NotJson:
        return body.decode("utf-8", "backslashreplace")


def read_fast(body: bytes) -> Json:
    """Read a body at once where it is plain JSON; integers over 64 bits come out as floats."""
    try:
        found: Json = orjson.loads(body)
    except orjson.JSONDecodeError:
        return read_body(body)
    return found


def cut(body: Json) -> Iterator[tuple[Path, Json]]:
    """Cut a body into its top-level values, and its conversation into messages, always alike.

    Numbers and the like stay together, since they are many and small. Where to cut goes by types
    and never by contents, so that bodies that are compared equal are cut at the same places.
    """
    if not isinstance(body, Mapping):
        yield (), body
        return
    names = sorted(body)
    yield (), {name: body[name] for name in names if not _stands_alone(body[name])}
    talks = [name for name in CONVERSATIONS if isinstance(body.get(name), (list, tuple))]
    for name in names:
        if _stands_alone(body[name]) and name not in talks:
            yield (name,), body[name]
    for name in talks:
        yield (name,), []
        said = body[name]
        assert isinstance(said, (list, tuple))
        for index, message in enumerate(said):
            yield (name, str(index)), message


def _stands_alone(value: Json) -> bool:
    return isinstance(value, (str, Mapping, list, tuple))
