"""A stream of events in bytes: cut into whole events, and read one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

from ...ledger.value import Json
from ...store.cassette.frames import data_in

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_REACH = 3  # bytes of an end that may have come with an earlier piece


class Splitter:
    """Cut bytes that come in any pieces into events, each with the blank line that ends it."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def take(self, piece: bytes) -> Iterator[bytes]:
        """Add a piece; yield the events that are whole with it."""
        searched = max(0, len(self._rest) - _REACH)
        self._rest += piece
        begin = 0
        for end in [found.end() for found in _END.finditer(self._rest, searched)]:
            yield bytes(self._rest[begin:end])
            begin = end
        del self._rest[:begin]

    def rest(self) -> bytes:
        """Give what came after the last whole event, at the end of all."""
        return bytes(self._rest)


def read_event(frame: bytes) -> Json:
    """Read what an event holds: JSON, or a text that is none."""
    return read_document(data_in(frame))


def read_document(text: bytes) -> Json:
    """Read JSON of a server's, or take it as text; nothing is kept of it but figures and names."""
    try:
        value: Json = orjson.loads(text)
    except ValueError:
        return text.decode(errors="replace")
    return value
