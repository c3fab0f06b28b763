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

from . import linux

FORWARDED = {signal.SIGINT: signal.SIGUSR1, signal.SIGTERM: signal.SIGUSR2}
PARENT_DIED = signal.SIGTERM


def guarded(work: Callable[[], int]) -> int:
    """Do the work in a child process and give its exit status; never returns in the child."""
    if not linux.ON_LINUX:
        return work()
    linux.set_subreaper(True)
    watched = {*FORWARDED, signal.SIGHUP, signal.SIGCHLD}
    guard = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    runner = os.fork()
    if runner == 0:
        _be_the_runner(guard, before, work)
    status = _watch_over(runner, watched)
    _end_descendants()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _be_the_runner(guard: int, mask: set[signal.Signals | int], work: Callable[[], int]) -> None:
    linux.die_with_parent(PARENT_DIED)
    if os.getppid() != guard:  # it died before we could ask to be told
        os._exit(128 + PARENT_DIED)
    # The guard's messages come before handlers are there only if someone is very quick;
    # until then they must not end the runner as their default would.
    for signum in FORWARDED.values():
        signal.signal(signum, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    code = 3
    try:
        code = work()
    except SystemExit as exit:
        code = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    finally:
        with contextlib.suppress(OSError, ValueError):
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
        if seen == signal.SIGHUP:
            _send(runner, signal.SIGUSR2)
        elif seen in FORWARDED:
            _send(runner, FORWARDED[signal.Signals(seen)])


def _send(runner: int, signum: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(runner, signum)


def _end_descendants() -> None:
    """Kill whatever the runner left, generation by generation; all of it is ours now."""
    while left := list(linux.children()):
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
