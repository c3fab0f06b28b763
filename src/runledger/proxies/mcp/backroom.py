"""Where the real MCP servers run, behind the desks that agents see."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...ledger.proxy import McpProxy
from ...ledger.suite import fill_in
from ...process.supervisor import Launch, Supervisor


@dataclass(frozen=True, slots=True)
class Backroom:
    """Who starts them, and where; they are the user's own, and get the caller's variables."""

    supervisor: Supervisor
    directory: str
    env: Mapping[str, str]
    places: Mapping[str, str] = field(default_factory=dict)  # for placeholders in commands


def launch_of(server: McpProxy, room: Backroom) -> Launch:
    """Settle how a server is started."""
    argv = fill_in(server.command, python=sys.executable, **room.places)
    return Launch(argv, room.directory, {**room.env, **server.env})
