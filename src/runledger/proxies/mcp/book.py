"""The book of one session: what an agent asked of a server, and all that the server said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from ...store.cassette.entry import AgentStamp, McpEntry
from ...wire.jsonrpc import Answer, Heard, Notification, Request
from .kept import Fields, asked, belongs_to, key_of, remark_of, reply_of, stamp_of

PING = "ping"  # says nothing, and is answered by whoever is there


@dataclass(slots=True)
class _Page:
    """One request, and what came of it so far."""

    request: Request
    reply: Fields | None = None
    before: list[Fields] = field(default_factory=list)
    after: list[Fields] = field(default_factory=list)


class Book:
    """Note what passes both ways; notifications of the agent and pings are not kept.

    What the server says of itself goes with the request that it names; else with the last one
    that is open; else it stands behind the one that was answered last.
    """

    def __init__(self, server: str) -> None:
        self.server = server
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
            page = _Page(heard)
            self._pages.append(page)
            self._open[key_of(heard.id)] = page

    def hear_server(self, heard: Heard) -> None:
        """Note what the server says: a reply, or something of its own."""
        if isinstance(heard, Answer):
            self._close_page(heard)
        elif heard.method != PING:
            self._add(heard)

    def entries(self) -> Iterator[McpEntry]:
        """Give all requests that were answered, in their order."""
        for page in self._pages:
            if page.reply is None:
                continue
            yield McpEntry(
                0,
                self.server,
                page.request.method,
                asked(page.request),
                page.reply,
                tuple(page.before),
                tuple(page.after),
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
