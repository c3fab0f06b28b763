"""Take out of a cassette what nobody needs; what stays says the same as before."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from .entry import Entry
from .line import Header
from .load import Opened, all_entries, open_cassette
from .recording import replace_cassette
from .writing import entry_lines, header_line


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was taken out of a cassette, by line, and its size before and after."""

    unused: tuple[int, ...]
    blobs: tuple[int, ...]
    before: int
    after: int

    @property
    def is_nothing(self) -> bool:
        """Say whether all of it is needed."""
        return not (self.unused or self.blobs)


def prune(file: Path, left: Collection[int] = (), *, dry_run: bool = False) -> Pruned:
    """Take out entries of these lines, and blobs that nobody needs then."""
    opened = open_cassette(file)
    unused = tuple(sorted(left))
    blobs = tuple(sorted(opened.blobs[id] for id in opened.unused_blobs))
    size = len(opened.content)
    if not (unused or blobs):
        return Pruned((), (), size, size)
    content = _without(opened, unused)
    if not dry_run:
        replace_cassette(file, content)
    return Pruned(unused, blobs, size, len(content))


def _without(opened: Opened, lines: Collection[int]) -> bytes:
    """Write a cassette without some entries; those of tools stay as somebody may have set them."""
    cassette = opened.cassette
    raw = opened.content.split(b"\n")
    kept = [entry for entry in all_entries(cassette) if entry.line not in lines]
    written = [header_line(Header(cassette.salt, cassette.agent, cassette.places))]
    for entry, line in entry_lines(kept):
        written.append(raw[entry.line - 1] + b"\n" if isinstance(entry, Entry) else line)
    return b"".join(written)
