"""What a file of the user's says, and on which line it says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import fstat
from pathlib import Path
from typing import TypeAlias

from ..errors import Finding, SuiteError
from ..ledger.value import Json

Step: TypeAlias = str | int
Steps: TypeAlias = tuple[Step, ...]
LineTable: TypeAlias = Mapping[int, Mapping[Step, int]]  # by the id() of each list and object

MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Source:
    """A value as it was read, with the lines of its parts."""

    file: str  # as the user would write it
    value: Json
    line: int = 1
    lines: LineTable = field(default_factory=dict)


def line_of(source: Source, steps: Steps) -> int:
    """Find the line of a part, or of the nearest part around it that is there."""
    line, value = source.line, source.value
    for step in steps:
        line = source.lines.get(id(value), {}).get(step, line)
        value = _inside(value, step)
    return line


def point(source: Source, steps: Steps, message: str) -> Finding:
    """Make a finding about a part of a source."""
    return Finding(source.file, message, line_of(source, steps), ".".join(map(str, steps)))


def read_bytes(path: Path, file: str, limit: int | None = None) -> bytes:
    """Read a file, or of a file larger than the limit only enough to show that it is."""
    try:
        with path.open("rb") as stream:
            large = limit is not None and fstat(stream.fileno()).st_size > limit
            return stream.read(limit + 1) if large and limit is not None else stream.read()
    except OSError as error:
        raise refusal(file, f"cannot be read: {error.strerror}") from error


def refusal(file: str, message: str, line: int | None = None) -> SuiteError:
    """Make the error for a file that cannot be read at all."""
    return SuiteError([Finding(file, message, line)])


def decode(raw: bytes, file: str) -> str:
    """Turn bytes into text; a byte order mark is dropped, a NUL is refused."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{raw[error.start]:02x}"
        raise refusal(file, f"is not UTF-8 text: {found}; save it as UTF-8", line) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise refusal(file, "holds a NUL character; save it as UTF-8 text", line)
    return text


def _inside(value: Json, step: Step) -> Json:
    if isinstance(value, Mapping):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        item: Json = value[step]
        return item
    return None
