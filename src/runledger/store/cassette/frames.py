"""Events of a stream: what each says, and how it is written again with other words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ledger.strict_json import NotJson, dump_line, loads
from ...ledger.value import Json
from .entry import ModelAnswer

DATA = b"data:"


@dataclass(frozen=True, slots=True)
class Frame:
    """An event: its JSON value where it has one, and all its other lines as text."""

    raw: bytes
    value: Json  # an object or a list, else None
    rest: str


def data_in(raw: bytes) -> bytes:
    """Give what an event holds; of bytes, only the line breaks of the format break lines."""
    lines = (line for line in raw.splitlines() if line.startswith(DATA))
    return b"\n".join(line[len(DATA) :].removeprefix(b" ") for line in lines)


def read_frame(raw: bytes) -> Frame:
    """Take an event apart; one whose data is no JSON is all text."""
    value = _read(data_in(raw))
    if not isinstance(value, (Mapping, list)):
        return Frame(raw, None, _text(raw))
    others = [line for line in raw.splitlines() if not line.startswith(DATA)]
    return Frame(raw, value, _text(b"\n".join(others)))


def written_frame(frame: Frame, value: Json, rest: str) -> bytes:
    """Write an event with another value or other lines; where neither changed, byte for byte."""
    if value == frame.value and rest == frame.rest:
        return frame.raw
    content = rest.encode("utf-8", "surrogateescape")
    if frame.value is None:
        return content
    before = b"".join(line + b"\n" for line in content.splitlines() if line)
    return before + DATA + b" " + dump_line(value) + b"\n"


def values_in(answer: ModelAnswer) -> list[Json]:
    """List what an answer says: the values of a stream's events, or of a list in one piece."""
    if answer.is_stream:
        return [read_frame(frame).value for frame in answer.frames]
    value = _read(b"".join(answer.frames))
    return value if isinstance(value, list) else [value]


def _read(data: bytes) -> Json:
    try:
        return loads(_text(data)) if data else None
    except NotJson:
        return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
