"""Find the recorded entry that is most like a call, at a bounded cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from ..ledger.difference import Difference
from ..ledger.fingerprint import canonical_bytes
from ..ledger.value import Json

if TYPE_CHECKING:
    from .cassette import Entry
    from .match import Matcher

MAX_CANDIDATES = 200
MAX_BYTES = 64 * 1024  # of one set of arguments: some thousand values
MAX_BYTES_IN_ALL = 512 * 1024
MAX_DIFFERENCES = 50


@dataclass(frozen=True, slots=True)
class Nearest:
    """The entry most like a call, and where they differ."""

    entry: Entry
    differences: Sequence[Difference]


def find_nearest(args: Json, matcher: Matcher, candidates: Iterable[Entry]) -> Nearest | None:
    """Choose the first candidate with the fewest differences; None when all are too large."""
    called = matcher.normalise(args)
    if len(canonical_bytes(called)) > MAX_BYTES:
        return None
    compared = (
        Nearest(entry, list(islice(matcher.differ(recorded, called), MAX_DIFFERENCES)))
        for entry, recorded in _affordable(matcher, candidates)
    )
    return min(compared, key=lambda one: len(one.differences), default=None)


def _affordable(matcher: Matcher, candidates: Iterable[Entry]) -> Iterator[tuple[Entry, Json]]:
    left = MAX_BYTES_IN_ALL
    for entry in islice(candidates, MAX_CANDIDATES):
        recorded = matcher.normalise(entry.args)
        size = len(canonical_bytes(recorded))
        left -= size
        if left < 0:
            return
        if size <= MAX_BYTES:
            yield entry, recorded
