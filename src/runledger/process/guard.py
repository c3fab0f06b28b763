"""A small process above the runner: when the runner is killed, the guard ends what it leaves.

The guard waits, forwards signals and passes on the exit status. It forwards SIGINT and SIGTERM
under other numbers, because a terminal (or `kill -- -group`) gives them to both of us: the runner
counts each kind and believes the larger number, so that one Ctrl-C counts as one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from ..store.disk import write_all
from . import linux
from .deadline import Deadline

FORWARDED = {signal.SIGINT: signal.SIGUSR1, signal.SIGTERM: signal.SIGUSR2}
MEANINGS = {signal.SIGHUP: signal.SIGTERM, signal.SIGQUIT: signal.SIGTERM}
HANDLED = frozenset({*FORWARDED, *FORWARDED.values(), *MEANINGS})
PARENT_DIED = signal.SIGTERM
LAST_WAIT_S = 5.0
STDERR = 2


def guarded(work: Callable[[], int]) -> int:
    """Do the work in a child process and give its exit status; never returns in the child.

    The signals that we handle are blocked in the child until `signals.stoppable` lets them
    through, so that one that comes early is not lost and does not strike half-way.
    """
    if not linux.ON_LINUX:
        return work()
    linux.set_subreaper(True)
    guard = os.getpid()
    heeded = {one for one in HANDLED if signal.getsignal(one) is not signal.SIG_IGN}  # nohup
    watched = {*heeded, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    runner = os.fork()
    if runner == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, {*before, *heeded})
        _be_the_runner(guard, work)
    status = _watch_over(runner, watched)
    _end_descendants(Deadline.after(LAST_WAIT_S))
    while signal.sigtimedwait(watched, 0):  # they came too late to change what it came to
        continue
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if os.WIFEXITED(status):
        return os.waitstatus_to_exitcode(status)
    _tell_death(os.WTERMSIG(status))
    return 128 + os.WTERMSIG(status)


def _tell_death(signum: int) -> None:
    how = signal.strsignal(signum) or f"signal {signum}"
    told = f"runledger was ended by a signal ({how}); what it had done is on record\n"
    with contextlib.suppress(OSError):
        write_all(STDERR, told.encode(), Path("standard error"))


def _be_the_runner(guard: int, work: Callable[[], int]) -> None:
    linux.die_with_parent(PARENT_DIED)
    if os.getppid() != guard:  # it died before we could ask to be told
        os._exit(128 + PARENT_DIED)
    code = 3
    try:
        code = work()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _watch_over(runner: int, watched: set[signal.Signals]) -> int:
    """Wait for the runner by its id, forwarding what others send us meanwhile."""
    while True:
        pid, status = os.waitpid(runner, os.WNOHANG)
        if pid == runner:
            return status
        seen = signal.sigwait(watched)
        meant = MEANINGS.get(signal.Signals(seen), signal.Signals(seen))
        if meant in FORWARDED:
            with contextlib.suppress(ProcessLookupError):
                os.kill(runner, FORWARDED[meant])


def _end_descendants(deadline: Deadline) -> None:
    """Kill whatever the runner left, generation by generation; all of it is ours now."""
    while (left := list(linux.children())) and not deadline.passed():
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            linux.await_death(pid, deadline)
