"""Put a program into a sandbox: what was to be started becomes bwrap, which starts it inside."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ..supervisor import Launch
from . import Sandbox, Sight
from .mounts import Mounts
from .reach import Reach, find_program

NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts")
NO_MORE_USERS = "--disable-userns"  # no user namespace can be made inside
DOORWAY = str(Path(__file__).with_name("doorway.py"))
# We ask a whole group to end, and bwrap, which is in it, would go first and take the program along.
# It would also hold what the program closes: so input and output go past it, as 3 and 4.
_STAY = ("/bin/sh", "-c", "trap '' TERM; exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh")


def enclose(launch: Launch, sandbox: Sandbox, sight: Sight) -> Launch:
    """Put a launch into a sandbox; raise SpawnFailed where there is no such program."""
    find_program(launch)
    words = [*_STAY, sandbox.program, *_walls(sandbox), *_seen(launch, sandbox, sight), *_tied()]
    inside = [*_python(), DOORWAY, *_added(launch), *_led(sight), "--", *launch.argv]
    argv = [*words, "--chdir", _absolute(launch.cwd), "--", *inside]
    return replace(launch, argv=argv, veiled=True)


def _walls(sandbox: Sandbox) -> Iterator[str]:
    yield from NAMESPACES
    if not sandbox.network:
        yield "--unshare-net"
    yield from ("--cap-drop", "ALL")


def _tied() -> tuple[str, ...]:
    """Take from root what is its own though it has no capability: the kernel goes by the owner.

    That is the machine's settings in /proc, and its control groups, which can be mounted by
    whoever has made a user namespace.
    """
    return ("--remount-ro", "/proc", NO_MORE_USERS) if os.geteuid() == 0 else ()


def _seen(launch: Launch, sandbox: Sandbox, sight: Sight) -> list[str]:
    """Give bwrap's words for all that is seen inside."""
    mounts = Mounts(launch.cwd)
    for place in _own_places(launch):
        mounts.empty(place)
    for place in sight.hidden:
        mounts.hide(place)
    for place in sight.own:
        mounts.show(place, writable=True)
    mounts.show(launch.cwd)
    for place in sandbox.hidden:
        mounts.hide(place)
    reach = Reach(mounts, launch.env.get("PATH"))
    for word in (launch.argv[0], *sight.named, sys.executable):
        reach.show_word(word)
    for place in (sys.base_prefix, sys.base_exec_prefix, DOORWAY):
        mounts.show(place)
    for bridge in sight.bridges:
        mounts.show(bridge.socket)
    return mounts.words()


def _own_places(launch: Launch) -> Iterator[str]:
    """Yield the places that every program expects to be there, and to be its own."""
    yield "/tmp"
    for name in ("TMPDIR", "HOME"):
        if launch.env.get(name):
            yield launch.env[name]


def _python() -> list[str]:
    """Start our interpreter without whatever is installed for it."""
    return [str(Path(sys.executable).resolve()), "-I", "-S"]


def _added(launch: Launch) -> list[str]:
    """List variables that shells and bwrap add by themselves, and the program is not to have."""
    return [f"-{name}" for name in ("PWD", "OLDPWD", "SHLVL", "_") if name not in launch.env]


def _led(sight: Sight) -> list[str]:
    return [f"{bridge.port}:{bridge.socket}" for bridge in sight.bridges]


def _absolute(path: str) -> str:
    return str(Path(path).absolute())
