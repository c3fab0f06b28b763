"""The few Linux system calls and files that Python has no name for; elsewhere they do nothing."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from collections.abc import Iterator

from .deadline import Deadline

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

ENV_END = 51 - 3  # field 51 of the line, which we split from field 3 on
EXEC_S = 0.2

ON_LINUX = sys.platform == "linux"


def set_subreaper(on: bool) -> None:
    """Ask that orphaned descendants become our children, or no longer."""
    _prctl(PR_SET_CHILD_SUBREAPER, int(on))


def die_with_parent(signum: int) -> None:
    """Ask for a signal at the moment our parent dies."""
    _prctl(PR_SET_PDEATHSIG, signum)


def await_death(pid: int, deadline: Deadline) -> None:
    """Wait until a child has died, and bury it."""
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return
    try:
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        if poll.poll(deadline.left_ms()):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    finally:
        os.close(pidfd)


def children() -> set[int]:
    """List the process ids of all our children, living and dead, adopted ones included.

    The system's list may skip one while others come and go, so we look twice.
    """
    return {*_children(), *_children()}


def offspring(pid: int) -> Iterator[int]:
    """Yield what lives below a process: the first one of a namespace keeps all orphans there."""
    for child in _children(str(pid)):
        if not is_dead(child):
            yield child
        yield from offspring(child)


def _children(of: str = "self") -> Iterator[int]:
    for thread in _names(f"/proc/{of}/task"):
        for pid in _read(f"/proc/{of}/task/{thread}/children").split():
            yield int(pid)


def is_dead(pid: int) -> bool:
    """Say whether a process is gone, or a zombie that waits for its parent."""
    return _stat(pid)[0] in (b"", b"Z", b"X")


def environment_of(pid: int) -> bytes:
    """Read the environment a process was started with; empty when it cannot be read."""
    deadline = Deadline.after(EXEC_S)
    while not (found := _read(f"/proc/{pid}/environ")) and _is_being_replaced(pid):
        if deadline.passed():
            break
        time.sleep(0.001)  # the system tells nobody when a program is in place
    return found


def _is_being_replaced(pid: int) -> bool:
    """Say whether a process is in the middle of an exec, when it has no environment to show."""
    fields = _stat(pid)
    return fields[0] not in (b"", b"Z", b"X") and fields[ENV_END : ENV_END + 1] == [b"0"]


def _stat(pid: int) -> list[bytes]:
    """Split the line of a process's state, from its state on; the name before may hold anything."""
    line = _read(f"/proc/{pid}/stat")
    return line[line.rfind(b")") + 1 :].split() or [b""]


def _prctl(option: int, value: int) -> None:
    if ON_LINUX:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts = []
        while part := os.read(fd, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError:  # it ended while we were reading
        return b""
    finally:
        os.close(fd)


def _names(path: str) -> list[str]:
    try:
        return os.listdir(path)  # noqa: PTH208 (one call per finished case)
    except OSError:
        return []
