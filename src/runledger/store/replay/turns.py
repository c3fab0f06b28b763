"""Whose turn it is among the recorded answers of equal requests to a model."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from ..cassette.entry import ModelEntry

ASK_AGAIN = frozenset({408, 409, 429})  # with these, and from 500 on, clients try once more


class Turns:
    """Give the answers of equal requests in the order of recording; to a retry, the same again."""

    def __init__(self, entries: Iterable[ModelEntry]) -> None:
        self.entries = tuple(entries)
        self._waiting = deque(self.entries)
        self._returned: deque[ModelEntry] = deque()
        self._last: ModelEntry | None = None

    def next(self, used: Collection[int], *, is_retry: bool) -> ModelEntry | None:
        """Say whose turn it is, given the lines that were used; nobody's when all had theirs."""
        last = self._last
        if self._returned:
            return self._returned[0]
        if last is not None and is_retry and not asks_again(last):
            return last
        while self._waiting and self._waiting[0].line in used:
            self._waiting.popleft()
        if self._waiting:
            return self._waiting[0]
        return last if last is not None and _may_repeat(last) else None

    def give(self, entry: ModelEntry) -> None:
        """Note that an answer was given."""
        self._last = entry
        if self._returned and self._returned[0] is entry:
            self._returned.popleft()

    def give_back(self, entry: ModelEntry) -> None:
        """Note that the client did not wait for an answer: the next one gets it again."""
        if all(one is not entry for one in self._returned):
            self._returned.append(entry)


def asks_again(entry: ModelEntry) -> bool:
    """Say whether a client that got this answer tries once more to get a better one."""
    answer = entry.answer
    return answer.partial or answer.status in ASK_AGAIN or answer.status >= 500


def _may_repeat(entry: ModelEntry) -> bool:
    """Say whether an answer may be given more often than it was recorded.

    A client that gave up after several errors is recorded with the last of them only.
    """
    return entry.method == "GET" or asks_again(entry)
