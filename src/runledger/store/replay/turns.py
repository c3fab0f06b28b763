"""Whose turn it is among the recorded answers of equal requests to a model."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from ..cassette.entry import ModelEntry


class Turns:
    """Give the answers of equal requests in the order of recording; to a retry, the same again.

    Half an answer is given only where no whole one is. But it tells that a client left and asked
    again: whether it leaves before we have sent all is a matter of luck, so the last whole answer
    may be had once more.
    """

    def __init__(self, entries: Iterable[ModelEntry]) -> None:
        self.entries = tuple(entries)
        whole = [entry for entry in self.entries if not entry.answer.partial]
        self._waiting = deque(whole or self.entries)
        self._was_left = len(whole) < len(self.entries)
        self._returned: deque[ModelEntry] = deque()
        self._given: dict[int, tuple[ModelEntry, int]] = {}  # by line, with its try; last the last

    def next(self, used: Collection[int], retry: int = 0) -> ModelEntry | None:
        """Say whose turn it is, given the lines that were used; nobody's when all had theirs."""
        if self._returned:
            return self._returned[0]
        heard = self._given_to(retry - 1) if retry else None
        if heard is not None and not heard.answer.is_retried:
            return heard
        while self._waiting and self._waiting[0].line in used:
            self._waiting.popleft()
        if self._waiting:
            return self._waiting[0]
        last = self._last()
        return last if last is not None and (self._was_left or _may_repeat(last)) else None

    def give(self, entry: ModelEntry, retry: int = 0) -> None:
        """Note that an answer was given to a request, or to its n-th retry."""
        self._given.pop(entry.line, None)
        self._given[entry.line] = entry, retry
        if self._returned and self._returned[0] is entry:
            self._returned.popleft()

    def give_back(self, entry: ModelEntry) -> None:
        """Note that the client did not wait for an answer: the next one gets it again."""
        if all(one is not entry for one in self._returned):
            self._returned.append(entry)

    def _given_to(self, retry: int) -> ModelEntry | None:
        """Find the last answer that a try of this number got, or else the last of all.

        Who asks is not known. But of equal requests that are in flight together and are retried,
        each gets an answer of its own then, as each try takes the place of an earlier one.
        """
        found = (entry for entry, which in reversed(self._given.values()) if which == retry)
        return next(found, self._last())

    def _last(self) -> ModelEntry | None:
        return next((entry for entry, _ in reversed(self._given.values())), None)


def _may_repeat(entry: ModelEntry) -> bool:
    """Say whether an answer may be given more often than it was recorded.

    A client that gave up after several errors is recorded with the last of them only.
    """
    return entry.method == "GET" or entry.answer.is_retried
