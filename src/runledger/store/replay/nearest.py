"""Find the recorded entry that is most like a call, at a bounded cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Generic

from ...ledger.difference import Difference
from ...ledger.fingerprint import canonical_bytes
from ...ledger.value import Json
from .card import Card, R

if TYPE_CHECKING:
    from .match import Matcher

MAX_CANDIDATES = 200
MAX_BYTES = 64 * 1024  # of what is asked once: some thousand values
MAX_BYTES_IN_ALL = 512 * 1024
MAX_DIFFERENCES = 50


@dataclass(frozen=True, slots=True)
class Nearest(Generic[R]):
    """The entry most like a call, and where they differ."""

    card: Card[R]
    differences: Sequence[Difference]


def find_nearest(asked: Json, matcher: Matcher, candidates: Iterable[Card[R]]) -> Nearest[R] | None:
    """Choose the first candidate with the fewest differences; None when all are too large."""
    called = matcher.normalise(asked)
    if len(canonical_bytes(called)) > MAX_BYTES:
        return None
    compared = (
        Nearest(card, list(islice(matcher.differ(recorded, called), MAX_DIFFERENCES)))
        for card, recorded in _affordable(matcher, candidates)
    )
    return min(compared, key=lambda one: len(one.differences), default=None)


def _affordable(matcher: Matcher, candidates: Iterable[Card[R]]) -> Iterator[tuple[Card[R], Json]]:
    left = MAX_BYTES_IN_ALL
    for card in islice(candidates, MAX_CANDIDATES):
        recorded = matcher.normalise(card.asked)
        size = len(canonical_bytes(recorded))
        left -= size
        if left < 0:
            return
        if size <= MAX_BYTES:
            yield card, recorded
