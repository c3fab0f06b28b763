"""Keep the entries of one tool so that the next one for a call is found at once."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ..ledger.fingerprint import canonical_bytes
from ..ledger.value import Json
from .match import Matcher, matcher_for

if TYPE_CHECKING:
    from ..ledger.suite import MatchRule
    from .cassette import Entry


class Shelf(Protocol):
    """Hold entries of one tool that were not used yet."""

    def put(self, entry: Entry) -> None:
        """Add an entry behind those that are there."""

    def take(self, args: Json) -> Entry | None:
        """Give away the first entry that fits a call, if one is left."""

    def fitting(self, args: Json) -> Callable[[Entry], bool]:
        """Make the test whether an entry, on the shelf or not, fits a call."""


def shelf_for(rule: MatchRule) -> Shelf:
    """Make an empty shelf for a tool with this rule."""
    matcher = matcher_for(rule)
    return SubsetShelf(matcher) if rule.match == "subset" else ExactShelf(matcher)


class ExactShelf:
    """Find entries by the canonical text of their arguments: one queue for equal ones."""

    def __init__(self, matcher: Matcher) -> None:
        self._normalise = matcher.normalise
        self._queues: defaultdict[bytes, deque[Entry]] = defaultdict(deque)

    def put(self, entry: Entry) -> None:
        """Add an entry behind its equals."""
        self._queues[self._key(entry.args)].append(entry)

    def take(self, args: Json) -> Entry | None:
        """Give away the first of the entries that equal a call."""
        queue = self._queues.get(self._key(args))
        return queue.popleft() if queue else None

    def fitting(self, args: Json) -> Callable[[Entry], bool]:
        """Make the test whether an entry equals a call."""
        key = self._key(args)
        return lambda entry: self._key(entry.args) == key

    def _key(self, args: Json) -> bytes:
        return canonical_bytes(self._normalise(args))


class SubsetShelf:
    """Look through the entries in their order; a call may fit several that are not equal."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher
        self._waiting: dict[int, tuple[Entry, Json]] = {}  # by line

    def put(self, entry: Entry) -> None:
        """Add an entry behind all others."""
        self._waiting[entry.line] = (entry, self._matcher.normalise(entry.args))

    def take(self, args: Json) -> Entry | None:
        """Give away the first entry that a call contains."""
        called = self._matcher.normalise(args)
        for entry, recorded in self._waiting.values():
            if self._matcher.fits(recorded, called):
                del self._waiting[entry.line]
                return entry
        return None

    def fitting(self, args: Json) -> Callable[[Entry], bool]:
        """Make the test whether a call contains an entry."""
        called = self._matcher.normalise(args)
        return lambda entry: self._matcher.fits(self._matcher.normalise(entry.args), called)
