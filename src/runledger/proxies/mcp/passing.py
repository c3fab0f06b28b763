"""Let the real server answer an agent, and keep what they say where somebody records."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import TrialFault
from ...ledger.cut import ending
from ...ledger.event import Log
from ...ledger.fingerprint import preview
from ...process.child import Child, DeadlinePassed
from ...process.deadline import Deadline
from ...process.fate import how_it_ended, last_lines
from ...process.pipes import OUTBOX_CAP, TooLarge
from ...wire.jsonrpc import (
    INTERNAL_ERROR,
    Answer,
    Heard,
    NotSpoken,
    Request,
    RpcError,
    parse,
)
from .. import Station
from .book import Book
from .caller import Caller, attend
from .kept import cancelled_by, key_of, reply_of
from .line import HungUp, Line

LEAVE_S = 2.0  # for a server to answer what is open once the agent has no more to say
GRACE_S = 0.5
STDERR_LINES = 10
STDERR_KEPT = 2000  # characters
SNIPPET = 200


class _ServerGone(Exception):
    """Tell that the real server has ended, or can say no more."""


class _Sooner(Exception):
    """Tell that something is due before the end of our wait for the server."""


class Passing:
    """Be the peer that hands everything on to a server, and its words back to the agent.

    All of it happens in the thread of the session, in the poll loop of the server's process.
    """

    def __init__(self, book: Book, line: Line, station: Station, child: Child) -> None:
        self._book = book
        self._name = book.server
        self._line = line
        self._station = station
        self._child = child
        self._caller = Caller(line, station, self)
        self._open: dict[bytes, Request] = {}
        self._leave: Deadline | None = None  # set once the agent has no more to say
        self._until = self._due
        self._fate = ""  # told once the server is gone
        self._has_answered = False
        self._has_strayed = False

    def serve(self) -> None:
        """Pass on what both say until the agent has said all; raise HungUp where it just leaves."""
        try:
            while self._leave is None or self._open:
                self._watch_agent()
                self._pass_back()
        except _ServerGone:
            self._outlive()
        self._line.drain()

    def hear(self, line: bytes, heard: Heard) -> None:
        """Hand on a message of the agent."""
        if isinstance(heard, Request):
            self._open[key_of(heard.id)] = heard
        elif (cancelled := cancelled_by(heard)) is not None:
            self._open.pop(cancelled, None)
        self._note(self._book.hear_agent, heard)
        if not self._fate:
            self._send(line)
        elif isinstance(heard, Request):
            self._refuse(heard)

    def stumble(self, line: bytes, reason: NotSpoken) -> None:
        """Hand on what is no message to us: the server may know better."""
        if not self._fate:
            self._send(line)

    # ---------------------------------------------------------------- the agent

    def _watch_agent(self) -> None:
        if self._line.events:
            self._child.watch(self._line.fd, self._hear_agent, self._line.events)
        else:
            self._child.unwatch(self._line.fd)

    def _hear_agent(self) -> None:
        self._caller.hear()
        if self._caller.is_done and self._leave is None:
            self._leave = Deadline.after(LEAVE_S)
            self._child.finish_input()
        self._watch_agent()
        if self._due < self._until:
            raise _Sooner

    @property
    def _due(self) -> Deadline:
        """Tell when something happens even if nobody says anything."""
        return min(self._leave or self._caller.due, self._caller.due)

    # ---------------------------------------------------------------- the server

    def _send(self, line: bytes) -> None:
        self._child.send(line + b"\n")
        if self._child.is_behind:
            raise TooLarge(f"it leaves over {OUTBOX_CAP // 2**20} MiB of the agent's words unread")

    def _pass_back(self) -> None:
        """Wait for a line of the server and hand it to the agent, whatever it is."""
        self._until = self._due
        try:
            line = self._child.read_line(self._until)
        except _Sooner:
            return
        except DeadlinePassed:
            self._see_what_is_due()
            return
        if line is None:
            raise _ServerGone
        if self._station.recorder is None:
            self._child.lines.reset_total()  # nothing stays with us
        if line.strip():
            self._take(line)
            self._line.put(line + b"\n")

    def _see_what_is_due(self) -> None:
        if self._leave is not None and self._leave.passed():
            raise HungUp
        self._hear_agent()

    def _take(self, line: bytes) -> None:
        try:
            heard = parse(line)
        except NotSpoken as reason:
            self._tell_stray(line, reason)
            return
        if isinstance(heard, Answer):
            self._has_answered = True
            self._open.pop(key_of(heard.id), None)
        self._note(self._book.hear_server, heard)

    def _note(self, write: Callable[[Heard], None], heard: Heard) -> None:
        """Write into the book, if anybody reads it; what a fault cuts off is not kept."""
        if self._station.recorder is not None and not self._line.is_limited:
            write(heard)

    def _tell_stray(self, line: bytes, reason: NotSpoken) -> None:
        if self._has_strayed:
            return
        self._has_strayed = True
        start = preview(line[: 5 * SNIPPET].decode("utf-8", "replace"), SNIPPET)
        told = f"MCP server {self._name} writes what is not JSON-RPC ({reason}): {start}"
        self._station.tell(Log("warning", f"{told}; it is passed on and cannot be recorded"))

    def _outlive(self) -> None:
        """Answer what is open, and all that comes, with how the server ended.

        Since that is kept, a replay says the same. If it never answered, it is a fault.
        """
        if self._leave is not None:  # it only followed the agent
            return
        self._child.unwatch(self._line.fd)
        self._fate = f"MCP server {self._name}: {_fate(self._child)}"
        if not self._has_answered:
            self._station.fail(TrialFault("spawn_failed", self._fate))
        self._station.tell(Log("warning", self._fate))
        for request in self._open.values():
            self._refuse(request)
        attend(self._line, self._caller)

    def _refuse(self, request: Request) -> None:
        answer = Answer(request.id, error=RpcError(INTERNAL_ERROR, self._fate))
        self._note(self._book.hear_server, answer)
        self._line.tell({"id": request.id, **reply_of(answer)})


def _fate(child: Child) -> str:
    child.wait_exit(Deadline.after(GRACE_S))
    printed = ending(last_lines(child, STDERR_LINES), STDERR_KEPT)
    last = f"\nits standard error ends with:\n{printed}" if printed.strip() else ""
    return f"its process {how_it_ended(child)}{last}"
