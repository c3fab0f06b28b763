"""The agent as a session hears it: message by message, some of which meet a fault on purpose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from ...ledger.proxy import Fault
from ...ledger.value import Json
from ...process.deadline import LONGEST_S, Deadline
from ...wire.jsonrpc import Heard, NotSpoken, Request, parse
from .. import Station
from ..faults import note_of
from .line import HungUp, Line

WORK = frozenset({"tools/call", "resources/read", "prompts/get"})
"""The methods that faults are counted by: what an agent does, not how it gets ready."""

INJECTED = -32000
TORN = b'{"jsonrpc": "2.0", "result": {"content": [{"type": "te\n'


class Peer(Protocol):
    """Who answers an agent: a recording, or the real server."""

    def hear(self, line: bytes, heard: Heard) -> None:
        """Take a message of the agent, and the line that it came on."""

    def stumble(self, line: bytes, reason: NotSpoken) -> None:
        """Take a line of the agent that is no message."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A request that is late on purpose."""

    until: Deadline
    fault: Fault
    line: bytes
    request: Request


class Caller:
    """Hear an agent on its line, and hand on to a peer what no fault is meant for."""

    def __init__(self, line: Line, station: Station, peer: Peer) -> None:
        self._line = line
        self._station = station
        self._peer = peer
        self._held: list[_Held] = []

    @property
    def is_done(self) -> bool:
        """Say whether nothing more comes from the agent, late messages included."""
        return self._line.ended and not self._held

    @property
    def due(self) -> Deadline:
        """Tell when the next late message is due."""
        return min((one.until for one in self._held), default=Deadline.after(LONGEST_S))

    def hear(self) -> None:
        """Hear all that has come, and all that is due."""
        self._line.pump()
        while (line := self._line.take()) is not None:
            if self._station.recorder is None:
                self._line.forget()  # nothing stays with us
            if line.strip():
                self._take(line)
        for one in [held for held in self._held if held.until.passed()]:
            self._held.remove(one)
            self._strike(one.fault, one.line, one.request)

    def _take(self, line: bytes) -> None:
        try:
            heard = parse(line)
        except NotSpoken as reason:
            self._peer.stumble(line, reason)
            return
        if isinstance(heard, Request) and (fault := self._fault_for(heard)):
            self._inject(fault, line, heard)
        else:
            self._peer.hear(line, heard)

    def _fault_for(self, request: Request) -> Fault | None:
        return self._station.faults.next("mcp") if request.method in WORK else None

    def _inject(self, fault: Fault, line: bytes, request: Request) -> None:
        self._station.tell(note_of(fault, method=request.method))
        if fault.delay_ms:
            until = Deadline.after(fault.delay_ms / 1000)
            self._held.append(_Held(until, replace(fault, delay_ms=None), line, request))
        else:
            self._strike(fault, line, request)

    def _strike(self, fault: Fault, line: bytes, request: Request) -> None:
        """Let go wrong what is to go wrong; else the request goes its way."""
        if fault.reset:
            raise HungUp
        if fault.malformed:
            self._line.put(TORN)
        elif fault.status is not None:
            message = f"injected fault: status {fault.status}"
            error: Json = {"code": INJECTED, "message": message, "data": {"status": fault.status}}
            self._line.tell({"id": request.id, "error": error})
        else:
            if fault.cut_after_frames is not None:
                self._line.limit(fault.cut_after_frames)
            self._peer.hear(line, request)


def attend(line: Line, caller: Caller) -> None:
    """Hear an agent out, where nobody else has to be waited for."""
    while not caller.is_done:
        line.wait(caller.due)
        caller.hear()
    line.drain()
