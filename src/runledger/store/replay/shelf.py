"""Keep the entries of one topic so that the next one for a call is found at once."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, Protocol

from ...ledger.fingerprint import canonical_bytes
from ...ledger.value import Json
from .card import Card, R
from .match import Matcher, matcher_for

if TYPE_CHECKING:
    from ...ledger.suite import MatchRule


class Shelf(Protocol[R]):
    """Hold entries of one topic that were not used yet."""

    def take(self, asked: Json) -> Card[R] | None:
        """Give away the first entry that fits a call, if one is left."""

    def fitting(self, asked: Json) -> Callable[[Card[R]], bool]:
        """Make the test whether an entry, on the shelf or not, fits a call."""


def shelf_for(rule: MatchRule, cards: Sequence[Card[R]]) -> Shelf[R]:
    """Make the shelf of a topic with this rule, and put its entries there."""
    matcher = matcher_for(rule)
    return SubsetShelf(matcher, cards) if rule.match == "subset" else ExactShelf(matcher, cards)


class ExactShelf(Generic[R]):
    """Find entries by the canonical text of what was asked: one queue for equal ones."""

    def __init__(self, matcher: Matcher, cards: Sequence[Card[R]]) -> None:
        self._normalise = matcher.normalise
        self._queues: defaultdict[bytes, deque[Card[R]]] = defaultdict(deque)
        for card in cards:
            self._queues[self._key(card.asked)].append(card)

    def take(self, asked: Json) -> Card[R] | None:
        """Give away the first of the entries that equal a call."""
        queue = self._queues.get(self._key(asked))
        return queue.popleft() if queue else None

    def fitting(self, asked: Json) -> Callable[[Card[R]], bool]:
        """Make the test whether an entry equals a call."""
        key = self._key(asked)
        return lambda card: self._key(card.asked) == key

    def _key(self, asked: Json) -> bytes:
        return canonical_bytes(self._normalise(asked))


class SubsetShelf(Generic[R]):
    """Look through the entries in their order; a call may fit several that are not equal."""

    def __init__(self, matcher: Matcher, cards: Sequence[Card[R]]) -> None:
        self._matcher = matcher
        self._waiting = {card.line: (card, matcher.normalise(card.asked)) for card in cards}

    def take(self, asked: Json) -> Card[R] | None:
        """Give away the first entry that a call contains."""
        called = self._matcher.normalise(asked)
        for card, recorded in self._waiting.values():
            if self._matcher.fits(recorded, called):
                del self._waiting[card.line]
                return card
        return None

    def fitting(self, asked: Json) -> Callable[[Card[R]], bool]:
        """Make the test whether a call contains an entry."""
        called = self._matcher.normalise(asked)
        return lambda card: self._matcher.fits(self._matcher.normalise(card.asked), called)
