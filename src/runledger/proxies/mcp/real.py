"""Serve sessions by the real server: each starts one, and ends it."""

from __future__ import annotations

from itertools import count

from ...errors import SpawnFailed, TrialFault
from ...ledger.proxy import McpProxy
from ...ledger.value import Json
from ...wire.jsonrpc import INTERNAL_ERROR, Heard, NotSpoken, Request
from .. import Station
from .aloud import aloud
from .backroom import Backroom, launch_of
from .book import Book
from .caller import Caller, attend
from .line import Line
from .passing import GRACE_S, Passing

LINGER_S = 1.0  # for a server to exit by itself once its input is closed


class Real:
    """Let the real server answer; what was said is handed to the recorder when all is over."""

    def __init__(self, server: McpProxy, station: Station, room: Backroom) -> None:
        self._server = server
        self._station = station
        self._room = room
        self._turn = station.recorder.turn if station.recorder else count().__next__
        self._books: list[Book] = []  # in the order in which sessions began

    def serve(self, line: Line) -> None:
        """Start the server for one session, let it answer, and end it."""
        book = Book(self._server.name, self._turn)
        self._books.append(book)
        try:
            child = self._room.supervisor.start(launch_of(self._server, self._room))
        except SpawnFailed as error:
            self._refuse(line, error)
            return
        try:
            with aloud(self._server.name, self._station):
                Passing(book, line, self._station, child).serve()
        finally:
            line.hang_up()  # the relay need not wait for the server's end
            child.unwatch(line.fd)
            child.end(GRACE_S, LINGER_S)

    def close(self) -> None:
        """Hand over what is to be kept, after the last session.

        Who the agent is, is told late: what it calls itself before a model counts first.
        """
        recorder = self._station.recorder
        if recorder is None:
            return
        for book in self._books:
            for turn, entry in book.entries():
                recorder.keep_mcp(entry, turn)  # whose refusal the desk tells the trial
            if book.stamp is not None:
                recorder.meet(book.stamp)

    def _refuse(self, line: Line, error: SpawnFailed) -> None:
        """End the trial for want of a server, and say so to whoever asks it."""
        told = f"MCP server {self._server.name}: {error}"
        self._station.fail(TrialFault("spawn_failed", told, error.details))
        attend(line, Caller(line, self._station, _Refusing(line, told)))


class _Refusing:
    """Be the peer that can only say why there is no server."""

    def __init__(self, line: Line, told: str) -> None:
        self._line = line
        self._told = told

    def hear(self, line: bytes, heard: Heard) -> None:
        """Refuse a request."""
        if isinstance(heard, Request):
            error: Json = {"code": INTERNAL_ERROR, "message": self._told}
            self._line.tell({"id": heard.id, "error": error})

    def stumble(self, line: bytes, reason: NotSpoken) -> None:
        """Let be what is no message."""
