"""The few Linux system calls and files that Python has no name for; elsewhere they do nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PR_GET_CHILD_SUBREAPER = 37

ON_LINUX = sys.platform == "linux"


def set_subreaper(on: bool) -> bool:
    """Ask that orphaned descendants become our children; give back what held before."""
    if not ON_LINUX:
        return False
    import ctypes

    before = ctypes.c_int(0)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    libc.prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)
    return bool(before.value)


def die_with_parent(signum: int) -> None:
    """Ask for a signal at the moment our parent dies."""
    if ON_LINUX:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signum, 0, 0, 0)


def children() -> Iterator[int]:
    """Yield the process ids of all our children, living and dead, adopted ones included."""
    for thread in _names("/proc/self/task"):
        for pid in _read(f"/proc/self/task/{thread}/children").split():
            yield int(pid)


def is_dead(pid: int) -> bool:
    """Say whether a process is gone, or a zombie that waits for its parent."""
    stat = _read(f"/proc/{pid}/stat")
    state = stat[stat.rfind(b")") + 2 :][:1]
    return state in (b"", b"Z", b"X")


def environment_of(pid: int) -> bytes:
    """Read the environment a process was started with; empty when it cannot be read."""
    return _read(f"/proc/{pid}/environ")


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
