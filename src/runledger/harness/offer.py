"""Set the scene of a trial: where its agent works, and the servers that are offered to it there."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..capture.trial import Scene
from ..capture.workspace import Ground
from ..errors import TrialFault
from ..ledger.event import Happening, Log, UsageReport
from ..ledger.grade import budget_failure
from ..ledger.proxy import Fault, ModelProxy
from ..ledger.suite import McpServer, Suite
from ..ledger.task import Task
from ..ledger.trajectory import Metered
from ..ledger.usage import Limits, Tally, breaches
from ..process.bell import Bell
from ..process.sandbox import Bridge
from ..process.supervisor import Supervisor

if TYPE_CHECKING:
    from ..proxies import Station
    from .decks import Deck

REPLAYED_KEY = "replayed-so-no-key"  # agents refuse to start without any
USUAL_KEYS = {
    "ANTHROPIC_BASE_URL": "ANTHROPIC_API_KEY",
    "OPENAI_BASE_URL": "OPENAI_API_KEY",
    "GOOGLE_GEMINI_BASE_URL": "GEMINI_API_KEY",
}


@dataclass(frozen=True, slots=True)
class Stagehand:
    """Set the scenes of one suite."""

    suite: Suite
    supervisor: Supervisor

    @contextmanager
    def set(self, task: Task, ground: Ground, deck: Deck) -> Iterator[Scene]:
        """Open the servers that an agent is offered for a task, and close them afterwards."""
        home = _own_places(ground)
        proxies = self.suite.proxies
        if not proxies.models and not proxies.servers:
            yield Scene(ground.directory, home)
            return
        with ExitStack() as stack:
            bell = Bell()
            stack.callback(bell.close)
            ear = _Ear(task.limits, bell)
            station = _station(ear.hear, bell, task, deck)
            models, bridges = self._models(station, stack)
            yield Scene(
                directory=ground.directory,
                env={**home, **models},
                servers=self._servers(station, ground, stack),
                overheard=ear.told,
                last_words=lambda: _never_injected(station.faults.unmet()),
                bell=bell,
                bridges=bridges,
            )

    def _models(
        self, station: Station, stack: ExitStack
    ) -> tuple[dict[str, str], tuple[Bridge, ...]]:
        """Open a model API for each that the suite names; give what leads there."""
        found: dict[str, str] = {}
        bridges: list[Bridge] = []
        proxies = self.suite.proxies.models
        for proxy in proxies:
            from ..proxies.model import open_model  # without one nobody pays for it

            via = proxy.env if len(proxies) > 1 else None
            socket = self._way_in(stack)
            server = open_model(proxy, station, via, socket)
            stack.callback(server.close)
            if socket is not None:
                bridges.append(Bridge(urlsplit(server.address).port or 0, str(socket)))
            _place(station, f"${proxy.env}", server.address)
            found |= {**key_of(proxy, self.suite, os.environ), proxy.env: server.url}
        return found, tuple(bridges)

    def _way_in(self, stack: ExitStack) -> Path | None:
        """Find a place for a socket, where the agent is in a sandbox without our network."""
        if self.suite.agent.sandbox == "none" or self.suite.mode != "replay":
            return None
        from ..proxies.socket_place import place_for_socket

        return place_for_socket(stack)

    def _servers(self, station: Station, ground: Ground, stack: ExitStack) -> tuple[McpServer, ...]:
        """Open a desk for each MCP server that the suite names; give what the agent starts."""
        found: list[McpServer] = []
        for proxy in self.suite.proxies.servers:
            from ..proxies.mcp import Backroom, open_mcp

            places = {"suite": self.suite.directory, "workspace": ground.directory}
            room = Backroom(self.supervisor, ground.directory, dict(os.environ), places)
            desk = open_mcp(proxy, station, room)
            stack.callback(desk.close)
            found.append(desk.server)
        return tuple(found)


def _own_places(ground: Ground) -> dict[str, str]:
    """Give the variables of directories that an agent has for itself."""
    found = {"HOME": ground.home, "TMPDIR": ground.tmp}
    return {name: path for name, path in found.items() if path is not None}


def key_of(proxy: ModelProxy, suite: Suite, caller: Mapping[str, str]) -> dict[str, str]:
    """Give the variable with the key: the caller's own, or in replay one that opens nothing."""
    name = proxy.key_env or USUAL_KEYS.get(proxy.env)
    if name is None or name in suite.agent.env_set:
        return {}
    if suite.mode == "replay":
        return {name: REPLAYED_KEY}
    return {name: caller[name]} if name in caller else {}


def _station(tell: Callable[[Happening], None], bell: Bell, task: Task, deck: Deck) -> Station:
    from ..proxies import Station
    from ..proxies.faults import Faults

    return Station(tell, bell.ring, Faults(task.faults), deck.player, deck.recorder)


def _place(station: Station, name: str, address: str) -> None:
    """Tell the cassette where a server is, which agents may speak of: it is elsewhere each time."""
    for cassette in (station.player, station.recorder):
        if cassette is not None:
            cassette.stand(name, address)


class _Ear:
    """Hear what the servers of a trial tell, from any thread, and end it when it is too costly.

    An agent that says nothing until it is done would else find out at the end.
    """

    def __init__(self, limits: Limits, bell: Bell) -> None:
        self._limits = limits
        self._bell = bell
        self._told: deque[Happening] = deque()
        self._metered = Metered()
        self._lock = threading.Lock()

    def hear(self, what: Happening) -> None:
        """Take something in."""
        with self._lock:
            self._told.append(what)
            if not isinstance(what, UsageReport):
                return
            self._metered = self._metered.with_report(what)
            usage = self._metered.usage
        for breach in breaches(self._limits, Tally(usage=usage)):
            failure = budget_failure(breach)
            self._bell.ring(TrialFault(failure.type, failure.message, failure.details))

    def told(self) -> Iterator[Happening]:
        """Give what was heard since somebody asked last."""
        while self._told:
            yield self._told.popleft()


def _never_injected(faults: Iterable[Fault]) -> Iterator[Log]:
    """Tell of faults on purpose that nobody was there for."""
    for fault in faults:
        told = {"kind": fault.kind, "nth": fault.nth}
        yield Log("warning", "fault never injected: the agent made fewer requests", told)
