"""The book of one session: what an agent asked of a server, and all that the server said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from ...store.cassette.entry import AgentStamp, McpEntry
from ...wire.jsonrpc import Answer, Heard, Notification, Request
from .kept import (
    Fields,
    asked,
    belongs_to,
    cancelled_by,
    key_of,
    remark_of,
    reply_of,
    stamp_of,
)

PING = "ping"  # says nothing, and is answered by whoever is there


@dataclass(slots=True)
class _Page:
    """One request, and what came of it so far."""

    turn: int
    request: Request
    reply: Fields | None = None
    before: list[Fields] = field(default_factory=list)
    after: list[Fields] = field(default_factory=list)


class Book:
    """Note what passes both ways; notifications of the agent and pings are not kept.

    What the server says of itself goes with the request that it names; else with the last one
    that is open; else it stands behind the one that was answered last. `turn` counts the requests
    to all servers of a trial.
    """

    def __init__(self, server: str, turn: Callable[[], int]) -> None:
        self.server = server
        self._turn = turn
        self.stamp: AgentStamp | None = None  # who asks, if it tells
        self._pages: list[_Page] = []
        self._open: dict[bytes, _Page] = {}
        self._answered: _Page | None = None
        self._questions: dict[bytes, Fields] = {}  # of the server, by its ids
        self._numbers = count(1)

    def hear_agent(self, heard: Heard) -> None:
        """Note what the agent says: a request, or the answer to one of the server's."""
        if isinstance(heard, Answer):
            self._questions.pop(key_of(heard.id), None)
        elif isinstance(heard, Request) and heard.method != PING:
            self.stamp = self.stamp or stamp_of(heard)
            page = _Page(self._turn(), heard)
            self._pages.append(page)
            self._open[key_of(heard.id)] = page
        elif (cancelled := cancelled_by(heard)) is not None:
            self._open.pop(cancelled, None)  # a reply that comes all the same is for nobody

    def hear_server(self, heard: Heard) -> None:
        """Note what the server says: a reply, or something of its own."""
        if isinstance(heard, Answer):
            self._close_page(heard)
        elif heard.method != PING:
            self._add(heard)

    def entries(self) -> Iterator[tuple[int, McpEntry]]:
        """Give all requests, each with its turn; what was not answered has an empty reply."""
        for page in self._pages:
            yield (
                page.turn,
                McpEntry(
                    0,
                    self.server,
                    page.request.method,
                    asked(page.request),
                    page.reply or {},  # in replay it will be asked, too, and not answered
                    tuple(page.before),
                    tuple(page.after),
                ),
            )

    def _close_page(self, answer: Answer) -> None:
        page = self._open.pop(key_of(answer.id), None)
        if page is None:
            return
        page.reply = reply_of(answer)
        # In replay a reply waits for the answers to what was asked before it: that was no
        # question before it which nobody answered by then.
        late = [one for one in page.before if any(one is open for open in self._questions.values())]
        page.before = [one for one in page.before if one not in late]
        page.after = late
        self._answered = page

    def _add(self, said: Request | Notification) -> None:
        page = self._page_of(said)
        if page is None:
            return
        remark = remark_of(said, next(self._numbers) if isinstance(said, Request) else 0)
        (page.before if page.reply is None else page.after).append(remark)
        if isinstance(said, Request):
            self._questions[key_of(said.id)] = remark

    def _page_of(self, said: Request | Notification) -> _Page | None:
        open = list(self._open.values())
        told = [belongs_to(said, page.request) for page in open]
        if True in told:
            return open[told.index(True)]
        if False in told:  # it names another one, which is over
            return None
        return open[-1] if open else self._answered
