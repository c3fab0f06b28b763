"""The desk of one MCP server in one trial, where relays come in, each for a session of its own."""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

from ...errors import Interrupted, OutsideError
from ...ledger.proxy import McpProxy
from ...ledger.suite import McpServer
from .. import Station
from ..socket_place import place_for_socket
from .aloud import aloud
from .backroom import Backroom
from .line import HungUp, Line
from .real import Real
from .replaying import Replayed

RELAY = str(Path(__file__).with_name("relay.py"))
MOST_SESSIONS = 64  # at a time: each may be a process


class Host(Protocol):
    """Who answers the sessions of an agent."""

    def serve(self, line: Line) -> None:
        """Serve one session to its end, in a thread of its own."""

    def close(self) -> None:
        """Have the last word, when all sessions have ended."""


def open_mcp(proxy: McpProxy, station: Station, room: Backroom) -> McpDesk:
    """Open the desk of a server; who answers there is a matter of the trial's mode."""
    if station.player is not None:
        return McpDesk(proxy.name, station, Replayed(proxy.name, station, station.player))
    return McpDesk(proxy.name, station, Real(proxy, station, room))


class McpDesk:
    """Take in relays until it is closed; `server` is what the agent is told to start."""

    def __init__(self, name: str, station: Station, host: Host) -> None:
        self._name = name
        self._station = station
        self._host = host
        self._sessions: dict[threading.Thread, Line] = {}
        self._lock = threading.Lock()
        self._is_open = True
        self._doorman = threading.Thread(target=self._take_in, name=f"mcp {name}", daemon=True)
        with ExitStack() as stack:
            try:
                address = self._open_door(stack)
            except OSError as error:
                reason = error.strerror or error
                raise OutsideError(f"no socket for MCP server {name}: {reason}") from error
            self._doorman.start()
            self._door = stack.pop_all()
        self.server = McpServer(name, sys.executable, ("-I", "-S", RELAY, address))

    def close(self) -> None:
        """Hang up on every relay, and wait until all sessions and their servers have ended."""
        if not self._is_open:
            return
        self._is_open = False
        os.write(self._waker, b"!")
        self._doorman.join()
        for _, line in self._ongoing():
            line.hang_up()
        for session, _ in self._ongoing():
            session.join()
        with self._door, suppress(HungUp), aloud(self._name, self._station):
            self._host.close()

    def _open_door(self, stack: ExitStack) -> str:
        """Make the socket that relays come to; give its address."""
        address = str(place_for_socket(stack))
        self._wake, self._waker = os.pipe()
        stack.callback(os.close, self._wake)
        stack.callback(os.close, self._waker)
        self._listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        self._listener.setblocking(False)
        self._listener.bind(address)
        self._listener.listen()
        return address

    def _ongoing(self) -> list[tuple[threading.Thread, Line]]:
        with self._lock:
            return list(self._sessions.items())

    def _take_in(self) -> None:
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        with suppress(HungUp), aloud(self._name, self._station):  # none is taken in after a fault
            while self._wake not in dict(poll.poll()):
                with suppress(BlockingIOError, ConnectionAbortedError):  # it has left already
                    connection, _ = self._listener.accept()
                    self._begin(Line(connection))

    def _begin(self, line: Line) -> None:
        session = threading.Thread(target=self._run, args=(line,), name=f"mcp {self._name}")
        session.daemon = True
        with ExitStack() as stack, self._lock:
            stack.callback(line.close)
            if len(self._sessions) < MOST_SESSIONS:
                session.start()
                self._sessions[session] = line
                stack.pop_all()

    def _run(self, line: Line) -> None:
        try:
            with suppress(HungUp, Interrupted), aloud(self._name, self._station):
                self._host.serve(line)
        finally:
            line.close()
            with self._lock:
                del self._sessions[threading.current_thread()]
