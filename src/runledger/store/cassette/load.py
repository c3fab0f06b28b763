"""Read a cassette: the answers that were recorded for one case, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, TypeVar

from ...errors import CassetteError
from ...ledger.strict_json import MAX_DEPTH, NotJson, loads
from ..plain import read_plain
from .entry import AgentStamp, McpEntry, ModelEntry
from .entry import Entry as Entry
from .expansion import Expander
from .line import AnyEntry, Header, read_line
from .shorthand import Wrong
from .weight import MOST_BYTES, MOST_ENTRIES

if TYPE_CHECKING:
    from pathlib import Path

MOST_LINES = 2 * MOST_ENTRIES  # with blobs, which several entries may share
MOST_READ = 2 * MOST_BYTES  # a recording has no more, whatever has to be escaped in it
LEVELS = 2 * MAX_DEPTH + 20  # a line wraps what was said, and may have to escape all of it

Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Cassette:
    """What was recorded for one case; `path` is as users know it, relative to the suite."""

    path: str
    sha256: str
    entries: tuple[Entry, ...]
    salt: str | None = None  # of the placeholders that stand for secrets in it
    agent: AgentStamp | None = None  # who was recorded, where it told
    servers: tuple[McpEntry, ...] = ()
    models: tuple[ModelEntry, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)  # where it was recorded, by name


@dataclass(frozen=True, slots=True)
class Opened:
    """A cassette with what only those want to know who look after it."""

    cassette: Cassette
    content: bytes
    blobs: Mapping[str, int]  # the lines of all blobs, by id
    unused_blobs: frozenset[str]


def load_cassette(file: Path, shown: str | None = None) -> Cassette:
    """Read a whole cassette, or raise CassetteError for the first line that is wrong."""
    return open_cassette(file, shown).cassette


def open_cassette(file: Path, shown: str | None = None) -> Opened:
    """Read a whole cassette, with its bytes and its blobs, or raise CassetteError."""
    path = shown if shown is not None else str(file)
    content = _content(file, path)
    expander = Expander()
    lines = tuple(_lines(content, path, expander))
    header = _header([line for line in lines if isinstance(line, Header)], path)
    cassette = Cassette(
        path,
        sha256(content).hexdigest(),
        _of(Entry, lines),
        header.salt,
        header.agent,
        _of(McpEntry, lines),
        _of(ModelEntry, lines),
        header.places,
    )
    blobs = {id: blob.line for id, blob in expander.blobs.items()}
    return Opened(cassette, content, blobs, frozenset(blobs) - expander.used)


def all_entries(cassette: Cassette) -> list[AnyEntry]:
    """List the entries of every kind in the order of the file."""
    every: list[AnyEntry] = [*cassette.entries, *cassette.servers, *cassette.models]
    return sorted(every, key=lambda entry: entry.line)


def _of(kind: type[Line], lines: Sequence[object]) -> tuple[Line, ...]:
    return tuple(line for line in lines if isinstance(line, kind))


def _content(file: Path, path: str) -> bytes:
    try:
        return read_plain(file, MOST_READ)
    except OSError as fault:
        raise CassetteError(path, None, f"cannot be read: {fault.strerror}") from fault


def _lines(content: bytes, path: str, expander: Expander) -> Iterator[AnyEntry | Header]:
    lines = content.split(b"\n")
    count = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        count += 1
        if count > MOST_LINES:
            raise CassetteError(path, number, f"the cassette has over {MOST_ENTRIES:,} entries")
        try:
            found = read_line(number, loads(line.rstrip(b"\r"), LEVELS), expander)
        except RecursionError:
            raise CassetteError(path, number, "nested too deeply") from None
        except (NotJson, Wrong) as fault:
            torn = isinstance(fault, NotJson) and number == len(lines)
            hint = "; the file ends within this line" if torn else ""
            raise CassetteError(path, number, f"{fault}{hint}") from None
        if found is not None:
            yield found


def _header(headers: Sequence[Header], path: str) -> Header:
    """Make one header of all; a file that was joined of two has two."""
    salts = {one.salt for one in headers} - {None}
    if len(salts) > 1:
        raise CassetteError(path, None, "its headers have different salts; record it anew")
    agents = {one.agent for one in headers} - {None}
    if len(agents) > 1:
        raise CassetteError(path, None, "its headers name different agents; record it anew")
    places = {name: place for one in headers for name, place in one.places.items()}
    return Header(next(iter(salts), None), next(iter(agents), None), places)
