"""Starts programs, knows which are alive, and sweeps up what they leave behind."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ..errors import SpawnFailed
from . import linux
from .child import Child
from .deadline import Deadline
from .pipes import LineBuffer
from .stop import Stop

MARK = "RUNLEDGER_TRIAL"
SETTLE_MS = 150  # a well-behaved program's own children may take a moment to follow it
SWEEP_S = 2.0


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start: a command, where, and with which environment."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    veiled: bool = False  # another one stands before it, who tells a signal n as 128 + n
    agent: bool = False  # somebody else's program, which may do anything


class Supervisor:
    """Be the only one who starts programs, so that none outlives its purpose.

    On Linux the process becomes a subreaper while this is open: whatever a program leaves behind
    becomes our child and carries the mark of the program it came from. With `alone`, every child
    of this process is ours to end, marked or not.
    """

    def __init__(self, *, alone: bool = False) -> None:
        self.stop = Stop()
        self._alone = alone
        self._live: dict[int, Child] = {}
        self._marks: dict[int, bytes] = {}
        self._agents: set[int] = set()
        self._session = os.urandom(6).hex()
        self._count = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        _adopt(+1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for child in list(self._live.values()):
            child.end(0)
        self._end_orphans(_Trail(b"" if self._alone else f"{MARK}={self._session}-".encode()))
        _adopt(-1)
        self.stop.close()

    def start(self, launch: Launch, lines: LineBuffer | None = None) -> Child:
        """Start a program in a session of its own, with a mark in its environment."""
        with self._lock:  # so that a sweep never sees a child that is not known yet
            self._count += 1
            mark = f"{self._session}-{self._count}-"
            popen = _popen(launch, {**launch.env, MARK: mark})
            child = Child(popen, self, lines or LineBuffer(), veiled=launch.veiled)
            self._live[child.pid] = child
            self._marks[child.pid] = f"{MARK}={mark}".encode()
            if launch.agent:
                self._agents.add(child.pid)
        return child

    def kill_all(self) -> None:
        """Kill every program at once; those who wait for them see their end."""
        for child in list(self._live.values()):
            child.kill()

    def sweep(self, child: Child) -> bool:
        """End what a program left behind; say whether it should have ended that itself."""
        only_agent = self._alone and self._agents == {child.pid}
        trail = _Trail(self._marks[child.pid], child.pid, unmarked=only_agent)
        if not child.asked_to_end:
            self._settle(trail)
        left = self._orphans(trail)
        if child.veiled:  # who stands before it keeps what it left, and is none of that
            left = [pid for kept in left for pid in linux.offspring(kept)]
        leaky = any(not child.asked_to_end or _escaped(pid, child.pid) for pid in left)
        child.kill()  # the rest of its group, while its process id cannot be used again
        return self._end_orphans(trail) or leaky

    def forget(self, child: Child) -> None:
        """Let go of a program that is gone."""
        with self._lock:
            if self._live.get(child.pid) is child:  # its process id may serve another one already
                del self._live[child.pid], self._marks[child.pid]
                self._agents.discard(child.pid)

    def _settle(self, trail: _Trail) -> None:
        deadline = Deadline.after(SETTLE_MS / 1000)
        for pid in self._orphans(trail):
            linux.await_death(pid, deadline)

    def _end_orphans(self, trail: _Trail) -> bool:
        """Kill until none is left; say whether any had left the group."""
        deadline = Deadline.after(SWEEP_S)
        escaped = False
        while (orphans := self._orphans(trail)) and not deadline.passed():
            for pid in orphans:
                escaped |= _escaped(pid, trail.session)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            for pid in orphans:
                linux.await_death(pid, deadline)
        return escaped

    def _orphans(self, trail: _Trail) -> list[int]:
        """List living children that we did not start and that a trail leads to; bury dead ones."""
        with self._lock:
            strangers = linux.children() - self._live.keys()
            dead = {pid for pid in strangers if linux.is_dead(pid)}  # seen once: it may die now
            for pid in dead:
                if self._alone or _session_of(pid) == trail.session:
                    _bury(pid)
        return [pid for pid in strangers - dead if _follows(pid, trail)]


@dataclass(frozen=True, slots=True)
class _Trail:
    """How the processes of one program are known: by their session, or by a mark they inherited.

    No number means no session: 0 is what the system calls one that began outside our container.
    Who shows no mark at all has cleared its environment: where one agent runs, it is that agent's.
    """

    mark: bytes
    session: int | None = None
    unmarked: bool = False


def _follows(pid: int, trail: _Trail) -> bool:
    # One that is just being started, or cleared its environment, has no mark to show.
    session = _session_of(pid)
    if session is None or session == trail.session:
        return session is not None
    shown = linux.environment_of(pid)
    return trail.mark in shown or (trail.unmarked and f"{MARK}=".encode() not in shown)


def _session_of(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


_adopters = 0
_adopters_lock = threading.Lock()


def _adopt(more: int) -> None:
    """Be a subreaper as long as any supervisor is open in this process."""
    global _adopters
    with _adopters_lock:
        _adopters += more
        linux.set_subreaper(_adopters > 0)


def _popen(launch: Launch, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(launch.argv),
            cwd=launch.cwd,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in a word
        raise refusal(error, launch) from error


def refusal(error: OSError | ValueError, launch: Launch) -> SpawnFailed:
    """Say what could not be started, where and why."""
    return SpawnFailed(
        f"could not start {launch.argv[0]!r} in {launch.cwd}: {_reason(error, launch)}",
        {"command": list(launch.argv), "cwd": launch.cwd},
    )


def _reason(error: OSError | ValueError, launch: Launch) -> str:
    if not isinstance(error, OSError):
        return str(error)
    words = os.strerror(error.errno) if error.errno else str(error)
    found = os.path.exists(os.path.join(launch.cwd, launch.argv[0]))  # noqa: PTH110, PTH118
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return f"{words} (use fewer jobs, or raise `ulimit -n`)"
    if isinstance(error, FileNotFoundError) and found:
        return f"{words} (the file exists: is the interpreter in its first line there?)"
    return words


def _escaped(pid: int, group: int | None) -> bool:
    try:
        return os.getpgid(pid) != group
    except ProcessLookupError:
        return False


def _bury(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
