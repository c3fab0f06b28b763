"""Find the recorded request that is most like one to a model, and where the two differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from ...ledger.difference import Difference, differences
from ...ledger.path import Path, find, parse_path, show_path
from ...ledger.value import ABSENT, Absent, Json
from .body import cut
from .profile import Numbers
from .reading import Sight

if TYPE_CHECKING:
    from ..cassette.entry import ModelEntry
    from .card import Card
    from .reading import Reading

MAX_CANDIDATES = 200  # of those whose conversation is as long
MAX_DIFFERENCES = 50
MAX_IN_PART = 20
SHORT = 60  # a text that a message shows whole


@dataclass(frozen=True, slots=True)
class NearestRequest:
    """The recorded request most like another, and where they differ, as far as this was counted."""

    card: Card[ModelEntry]
    differences: tuple[Difference, ...]


def find_nearest_request(
    body: Json, reading: Reading, candidates: Iterable[Card[ModelEntry]], used: Collection[int]
) -> NearestRequest | None:
    """Choose the entry in which the fewest parts are different, among equals one not used yet."""
    called = {sight.path: sight for sight in reading.sights(body)}

    def distance(card: Card[ModelEntry]) -> tuple[int, bool]:
        recorded = reading.sights(card.entry.body, are_kept=True)
        return len(_different(recorded, called)), card.line in used

    count = len(called)
    likely = sorted(candidates, key=lambda card: abs(_size(card.entry.body) - count))
    nearest = min(likely[:MAX_CANDIDATES], key=distance, default=None)
    if nearest is None:
        return None
    recorded = reading.sights(nearest.entry.body, are_kept=True)
    paths = _different(recorded, called)
    found = _differences(reading, nearest.entry.body, body, paths)
    return NearestRequest(nearest, tuple(islice(found, MAX_DIFFERENCES)))


def _size(body: Json) -> int:
    return sum(1 for _ in cut(body))


def _different(recorded: Iterable[Sight], called: Mapping[Path, Sight]) -> set[Path]:
    """List the places of parts that are not the same, or not on both sides."""
    found = {sight.path: sight for sight in recorded}
    return {path for path in {*found, *called} if found.get(path) != called.get(path)}


def _differences(
    reading: Reading, recorded: Json, called: Json, paths: Collection[Path]
) -> Iterator[Difference]:
    left, right = _Side(reading, recorded, paths), _Side(reading, called, paths)
    for path in sorted(paths, key=_place):
        if path not in left.normal or path not in right.normal:
            yield Difference(show_path(path), left.at(path), right.at(path))
            continue
        found = differences(left.normal[path], right.normal[path], path)
        for one in islice(found, MAX_IN_PART):
            yield _as_said(one, path, left, right)


class _Side:
    """The parts of one request that differ from another's: as they were said, and normalised."""

    def __init__(self, reading: Reading, body: Json, paths: Collection[Path]) -> None:
        count = Numbers()
        self.said: dict[Path, Json] = {}
        self.normal: dict[Path, Json] = {}
        for path, part in cut(body):
            normal = reading.normal(path, part, count)  # of all, since ids are numbered in order
            if path in paths:
                self.said[path] = reading.masked(path, part)
                self.normal[path] = normal

    def at(self, path: Path) -> Json | Absent:
        return self.said.get(path, ABSENT)


def _as_said(one: Difference, path: Path, left: _Side, right: _Side) -> Difference:
    """Show short values as they were said; in long texts what was normalised need not be read."""
    below = parse_path(one.path)[len(path) :]
    sides = find(left.said[path], below), find(right.said[path], below)
    if any(isinstance(side, str) and len(side) > SHORT for side in sides):
        return one
    return Difference(one.path, *sides)


def _place(path: Path) -> tuple[object, ...]:
    """Put the first parts first: another model explains much, and messages stand in their order."""
    name, index = (*path, "", "")[:2]
    return name != "model", name != "", len(path), name, int(index) if index else -1
