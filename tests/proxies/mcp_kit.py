"""A desk for MCP servers, the servers behind it, and the agents that come to it."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from queue import Queue
from typing import Any, Literal

from mcp import Client, StdioServerParameters

from kit import survivors
from runledger.errors import TrialFault
from runledger.ledger.event import Happening, Log
from runledger.ledger.proxy import Fault, McpProxy
from runledger.process.supervisor import Supervisor
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.proxies.mcp import Backroom, McpDesk, open_mcp
from runledger.store.cassette.entry import AgentStamp, McpEntry
from runledger.store.cassette.load import Cassette
from runledger.store.replay.player import Player

NAME = "srv"

RAW_SERVER = """
import json, os, subprocess, sys

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit()

def reply(request, result):
    send(id=request["id"], result=result)

def greet():
    reply(read(), {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}})
"""

ECHO = """
greet()
while True:
    request = read()
    if "id" in request:
        reply(request, {"echo": request.get("params")})
"""


class Kept:
    """A recorder that only remembers."""

    def __init__(self) -> None:
        self.stamps: list[AgentStamp] = []
        self.turn = count().__next__
        self._entries: dict[int, McpEntry] = {}

    @property
    def entries(self) -> list[McpEntry]:
        """List what was kept, in the order in which it was asked."""
        return [self._entries[turn] for turn in sorted(self._entries)]

    def keep_mcp(self, entry: McpEntry, turn: int) -> None:
        """Remember an entry."""
        self._entries[turn] = entry

    def meet(self, agent: AgentStamp) -> None:
        """Remember an agent."""
        self.stamps.append(agent)

    def asked(self) -> list[str]:
        """List the methods in their order."""
        return [entry.method for entry in self.entries]

    def of(self, method: str) -> McpEntry:
        """Give the only entry of a method."""
        (entry,) = [entry for entry in self.entries if entry.method == method]
        return entry


class Stall:
    """Write servers and open desks for them; their processes can be found by a mark."""

    def __init__(self, path: Path, supervisor: Supervisor) -> None:
        self.path = path
        self.supervisor = supervisor
        self.mark = uuid.uuid4().hex
        self.told: list[Happening] = []
        self.fault: Queue[TrialFault] = Queue()  # that ended the trial
        self.kept = Kept()
        self._opened: list[McpDesk] = []
        self._agents: list[RawAgent] = []

    def server(self, source: str, name: str = "server.py") -> McpProxy:
        """Write a server of this source."""
        (self.path / name).write_text(textwrap.dedent(source))
        return McpProxy(NAME, ("{python}", "{suite}/" + name), {"RL_TEST_MARK": self.mark})

    def raw(self, source: str) -> McpProxy:
        """Write a server with a few words of protocol before it."""
        return self.server(RAW_SERVER + textwrap.dedent(source))

    def record(self, server: McpProxy, faults: Iterable[Fault] = ()) -> McpDesk:
        """Open a desk in front of a server, and keep what is said."""
        return self.open(server, self._station(faults, recorder=self.kept))

    def live(self, server: McpProxy, faults: Iterable[Fault] = ()) -> McpDesk:
        """Open a desk in front of a server."""
        return self.open(server, self._station(faults))

    def replay(
        self, entries: Sequence[McpEntry] | None = None, faults: Iterable[Fault] = ()
    ) -> McpDesk:
        """Open a desk that answers from what was kept; a server would leave a trace."""
        found = self.kept.entries if entries is None else entries
        servers = tuple(replace(one, line=line) for line, one in enumerate(found, start=1))
        player = Player(Cassette("c.jsonl", "0", (), servers=servers))
        trap = McpProxy(NAME, ("touch", str(self.path / "started")))
        return self.open(trap, self._station(faults, player=player))

    def open(self, server: McpProxy, station: Station) -> McpDesk:
        """Open a desk at a station; it is closed with the stall."""
        places = {"suite": str(self.path), "workspace": str(self.path)}
        room = Backroom(self.supervisor, str(self.path), dict(os.environ), places)
        desk = open_mcp(server, station, room)
        self._opened.append(desk)
        return desk

    def agent(self, desk: McpDesk) -> RawAgent:
        """Start an agent that speaks line by line."""
        return self.agent_of(desk.server.command, desk.server.args)

    def agent_of(self, command: str, args: Sequence[str]) -> RawAgent:
        """Start one at a desk of somebody else."""
        agent = RawAgent([command, *args], self.mark)
        self._agents.append(agent)
        return agent

    def client(
        self, desk: McpDesk, mode: Literal["legacy", "auto"] = "legacy", **options: Any
    ) -> Client:
        """Make the official client, which starts the relay."""
        server = desk.server
        parameters = StdioServerParameters(
            command=server.command, args=list(server.args), env={"RL_TEST_MARK": self.mark}
        )
        return Client(parameters, mode=mode, **options)

    def logs(self) -> list[Log]:
        """List what was told for the trial's record."""
        return [what for what in self.told if isinstance(what, Log)]

    def survivors(self) -> list[int]:
        """Find relays and servers that are alive."""
        return list(survivors(self.mark))

    def close(self) -> None:
        """Close all desks; nothing that was started may be left, nor started in a replay."""
        for desk in self._opened:
            desk.close()
        for agent in self._agents:
            agent.bury()
        assert not self.survivors()
        assert not (self.path / "started").exists()

    def _station(self, faults: Iterable[Fault], **more: Any) -> Station:
        return Station(self.told.append, self.fault.put, Faults(faults), **more)


class RawAgent:
    """Start the relay as an agent would, and write and read single messages."""

    def __init__(self, command: Sequence[str], mark: str) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"RL_TEST_MARK": mark},
        )
        assert self.process.stdin
        assert self.process.stdout
        self._to, self._from = self.process.stdin, self.process.stdout

    def send(self, **message: Any) -> None:
        """Say a message."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, line: bytes) -> None:
        """Say anything."""
        self._to.write(line)
        self._to.flush()

    def read(self) -> Any:
        """Wait for the next message; None is the end."""
        line = self.read_line()
        return json.loads(line) if line else None

    def read_line(self) -> bytes:
        """Wait for the next line, whatever it is."""
        return self._from.readline()

    def ask(self, id: int, method: str, **params: Any) -> Any:
        """Ask something, and give the next message."""
        self.send(id=id, method=method, params=params)
        return self.read()

    def begin(self) -> Any:
        """Initialize the session."""
        info = {"name": "raw", "version": "1.0"}
        return self.ask(
            0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info
        )

    def finish(self) -> list[bytes]:
        """Say no more, and give what still comes until the relay has left."""
        self._to.close()
        rest = self._from.readlines()
        self.process.wait()
        return rest

    def bury(self) -> None:
        """Wait for the end of the relay, which nobody but the desk brings about."""
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe
            try:
                pipe.close()
            except BrokenPipeError:
                continue


@contextmanager
def open_stall(path: Path) -> Iterator[Stall]:
    """Make a stall, and see that nothing survives it."""
    with Supervisor() as supervisor:
        stall = Stall(path, supervisor)
        try:
            yield stall
        finally:
            stall.close()
