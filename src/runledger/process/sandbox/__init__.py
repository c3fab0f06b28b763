"""A program in a sandbox: it sees the system, what it was given, and nothing else of this machine.

bubblewrap (`bwrap`) sets it up: namespaces of its own for processes, users and, where there is to
be no network, for that too. `trying` finds out whether any of it works here, `enclosing` puts a
program into it, `mounts` says what is seen, `reach` what a program needs to be started at all,
and `doorway` is the first program inside.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What was found out before the first program starts: who sets up a sandbox, and which."""

    program: str
    version: str
    network: bool  # whether it is the caller's; if not there is none
    hidden: tuple[str, ...] = ()  # directories that are empty, wherever they lie


@dataclass(frozen=True, slots=True)
class Bridge:
    """A port of the loopback inside, and the socket outside that it leads to."""

    port: int
    socket: str


@dataclass(frozen=True, slots=True)
class Sight:
    """What a program is given to see beside the system, each at its own path."""

    named: tuple[str, ...] = ()  # words that may be paths: what they name can be read
    own: tuple[str, ...] = ()  # directories that it may write to
    hidden: tuple[str, ...] = ()  # not even where they lie in a directory of the system
    bridges: tuple[Bridge, ...] = ()
