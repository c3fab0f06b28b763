"""Events of a stream: what each says, and how it is written again with other words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...ledger.strict_json import NotJson, dump_line, loads
from ...ledger.value import Json

DATA = "data:"


@dataclass(frozen=True, slots=True)
class Frame:
    """An event: its JSON value where it has one, and all its other lines as text."""

    raw: bytes
    value: Json  # an object or a list, else None
    rest: str


def read_frame(raw: bytes) -> Frame:
    """Take an event apart; one whose data is no JSON is all text."""
    text = raw.decode("utf-8", "surrogateescape")
    lines = text.splitlines()
    words = [line[len(DATA) :].removeprefix(" ") for line in lines if line.startswith(DATA)]
    try:
        value = loads("\n".join(words)) if words else None
    except NotJson:
        value = None
    if not isinstance(value, (Mapping, list)):
        return Frame(raw, None, text)
    return Frame(raw, value, "\n".join(line for line in lines if not line.startswith(DATA)))


def written_frame(frame: Frame, value: Json, rest: str) -> bytes:
    """Write an event with another value or other lines; where neither changed, byte for byte."""
    if value == frame.value and rest == frame.rest:
        return frame.raw
    if frame.value is None:
        return rest.encode("utf-8", "surrogateescape")
    before = "".join(f"{line}\n" for line in rest.splitlines() if line)
    content = before.encode("utf-8", "surrogateescape") + DATA.encode() + b" " + dump_line(value)
    return content + b"\n"
