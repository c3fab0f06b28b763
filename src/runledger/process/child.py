"""One running program: all its pipes in one poll loop, and an end that is certain."""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..errors import Interrupted
from .bell import Bell
from .deadline import Deadline
from .pipes import CHUNK, LineBuffer, Outbox, Tail

if TYPE_CHECKING:
    import subprocess

    from .stop import Stop

READABLE = select.POLLIN | select.POLLHUP | select.POLLERR
WITHOUT_PIDFD_MS = 20  # how often we look whether a child has ended where no descriptor tells us
AFTER_KILL_S = 5.0
DEADLY = frozenset(signal.Signals) - {
    *(signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH),
    *(signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),
}


class DeadlinePassed(Exception):
    """Tell that a wait lasted to its deadline."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and whether it left anything running behind."""

    code: int | None
    signal: str | None
    leaky: bool = False


class Keeper(Protocol):
    """Who started a child, and cleans up behind it."""

    stop: Stop

    def sweep(self, child: Child) -> bool:
        """End what the child left behind; say whether anything was found alive."""

    def forget(self, child: Child) -> None:
        """Let go of a child that is gone."""


class Child:
    """A program that was started by a keeper."""

    def __init__(
        self,
        popen: subprocess.Popen[bytes],
        keeper: Keeper,
        lines: LineBuffer,
        *,
        veiled: bool = False,
    ) -> None:
        self.pid = popen.pid
        self.lines = lines
        self.asked_to_end = False
        self.veiled = veiled
        self._popen = popen
        self._tell = _unveiled if veiled else _told_apart
        self._keeper = keeper
        self._errors = Tail()
        self._input_ends = False
        self._exited = False
        self._ended: Ended | None = None
        self._bell: Bell | None = None
        self._poll = select.poll()
        self._watched: dict[int, Callable[[], None]] = {}
        self._open_pipes()

    @property
    def stderr(self) -> str:
        """Show what is kept of its standard error so far."""
        return self._errors.text()

    @property
    def is_behind(self) -> bool:
        """Say whether it leaves so much unread that nothing more should be sent."""
        return self._outbox.is_full

    def send(self, data: bytes) -> None:
        """Queue bytes for the program; they are written while we wait for it."""
        self._outbox.put(data)
        self._write()

    def read_line(self, deadline: Deadline) -> bytes | None:
        """Wait for the next line; None means that the program has ended or can say no more."""
        if deadline.passed():  # however fast it talks
            raise DeadlinePassed
        while (line := self.lines.take()) is None:
            if self._stdout not in self._watched:
                return self.lines.rest()
            self._wait(deadline)
        return line

    def drain(self, deadline: Deadline) -> None:
        """Wait, and hear nothing, while the program leaves too much unread of what was sent."""
        if not self._outbox.is_full:
            return
        self._listen(0)
        try:
            while self._outbox.is_full and self._stdin in self._watched and not self._exited:
                self._wait(deadline)
        finally:
            self._listen(READABLE)

    def line_at_hand(self) -> bytes | None:
        """Give a line that has come already, without waiting for one."""
        self._turn(0)
        return self.lines.take()

    def read_all(self, deadline: Deadline) -> bytes:
        """Wait until the program can say no more, and give all it said."""
        while self._stdout in self._watched:
            self._wait(deadline)
            self.lines.check_total()
        return self.lines.rest() or b""

    def finish_input(self) -> None:
        """Close the program's standard input as soon as all that was sent is written."""
        self._input_ends = True
        self._write()

    def renew(self) -> None:
        """Forget what earlier tasks wrote, for a program that serves the next one."""
        self.lines.reset_total()
        self._errors = Tail()

    def close_input(self) -> None:
        """Close the program's standard input now, which tells it that nothing more comes."""
        self._unwatch(self._stdin)
        if self._popen.stdin and not self._popen.stdin.closed:
            self._popen.stdin.close()

    def wait_exit(self, deadline: Deadline) -> bool:
        """Wait until the program has exited, letting it write what it likes; say whether it has."""
        with contextlib.suppress(DeadlinePassed):
            while not self._exited:
                self._wait(deadline)
                self.lines.rest()
        return self._exited

    def end(self, grace_s: float, patience_s: float = 0.0) -> Ended:
        """End the program and all it started: ask, wait for the grace, then kill and sweep.

        With patience it is first given that long to leave by itself.
        """
        if self._ended is None:
            self._unwatch(self._keeper.stop.fd)  # an end must not be stopped half-way
            if self._bell is not None:
                self._unwatch(self._bell.fd)
            self.close_input()
            self.wait_exit(Deadline.after(patience_s))
            self._ask_to_exit(grace_s)
            leaky = self._keeper.sweep(self)
            self._ended = self._reap(leaky)
            self._keeper.forget(self)
            self._close_pipes()
        return self._ended

    def kill(self) -> None:
        """Kill the program's whole process group now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def heed(self, bell: Bell) -> None:
        """Let a bell end every wait for the program, until it is to end anyway."""
        self._bell = bell
        self._watch(bell.fd, select.POLLIN, bell.answer)

    def watch(self, fd: int, react: Callable[[], None], events: int = READABLE) -> None:
        """React to another descriptor, too, whenever we wait for the program."""
        self._watch(fd, events, react)

    def unwatch(self, fd: int) -> None:
        """Let a descriptor be."""
        self._unwatch(fd)

    def has_exited(self) -> bool:
        """Say whether the program has exited."""
        return self._exited or self.peek_exit() != (None, None)

    def peek_exit(self) -> tuple[int | None, str | None]:
        """Tell exit code and signal of a program that has exited, without reaping it."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13: there we must reap it to know
            code = self._popen.poll()
            return (None, None) if code is None else self._tell(code)
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if found is None:
            return None, None
        exited = found.si_code == os.CLD_EXITED
        return self._tell(found.si_status if exited else -found.si_status)

    # ---------------------------------------------------------------- the poll loop

    def _open_pipes(self) -> None:
        assert self._popen.stdin
        assert self._popen.stdout
        assert self._popen.stderr
        self._stdin = self._popen.stdin.fileno()
        self._stdout = self._popen.stdout.fileno()
        self._stderr = self._popen.stderr.fileno()
        for fd in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(fd, False)
        self._outbox = Outbox(self._stdin)
        self._pidfd = _pidfd_of(self.pid)
        self._watch(self._stdout, READABLE, self._read_stdout)
        self._watch(self._stderr, READABLE, self._read_stderr)
        self._watch(self._keeper.stop.fd, select.POLLIN, self._interrupt)
        if self._pidfd >= 0:
            self._watch(self._pidfd, select.POLLIN, self._see_exit)

    def _wait(self, deadline: Deadline) -> None:
        """Let one round of things happen, or raise at the deadline."""
        if deadline.passed():
            raise DeadlinePassed
        self._turn(deadline.left_ms())

    def _turn(self, timeout_ms: int) -> None:
        if self._pidfd < 0:
            timeout_ms = min(timeout_ms, WITHOUT_PIDFD_MS)
        for fd, _ in self._poll.poll(timeout_ms):
            if react := self._watched.get(fd):
                react()
        if self._pidfd < 0 and not self._exited and self.has_exited():
            self._see_exit()

    def _watch(self, fd: int, events: int, react: Callable[[], None]) -> None:
        self._watched[fd] = react
        self._poll.register(fd, events)

    def _unwatch(self, fd: int) -> None:
        if self._watched.pop(fd, None):
            self._poll.unregister(fd)

    def _listen(self, events: int) -> None:
        if self._stdout in self._watched:
            self._poll.modify(self._stdout, events)

    def _read_stdout(self) -> None:
        if (data := _read(self._stdout)) is not None:
            self.lines.add(data)
            if not data:
                self._unwatch(self._stdout)

    def _read_stderr(self) -> None:
        if (data := _read(self._stderr)) is not None:
            self._errors.add(data)
            if not data:
                self._unwatch(self._stderr)

    def _write(self) -> None:
        if self._outbox.flush():
            self._unwatch(self._stdin)
            if self._input_ends:
                self.close_input()
        elif self._stdin not in self._watched:
            self._watch(self._stdin, select.POLLOUT | select.POLLERR, self._write)

    def _interrupt(self) -> None:
        raise Interrupted("stopped by a signal")

    def _see_exit(self) -> None:
        """Take what is in the pipes; do not wait for their end, which a grandchild may hold up."""
        self._exited = True
        self._unwatch(self._pidfd)
        self._drain(self._stdout, self.lines.add)
        self._drain(self._stderr, self._errors.add)

    def _drain(self, fd: int, take: Callable[[bytes], None]) -> None:
        while fd in self._watched and (data := _read(fd)):
            take(data)
            if len(data) < CHUNK:
                break
        self._unwatch(fd)

    # ---------------------------------------------------------------- the end

    def _ask_to_exit(self, grace_s: float) -> None:
        if self.has_exited():
            return
        self.asked_to_end = True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGTERM)
        if not self.wait_exit(Deadline.after(grace_s)):
            self.kill()
            self.wait_exit(Deadline.after(AFTER_KILL_S))

    def _reap(self, leaky: bool) -> Ended:
        return Ended(*self._tell(self._popen.wait(AFTER_KILL_S)), leaky)

    def _close_pipes(self) -> None:
        for pipe in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self._pidfd >= 0:
            os.close(self._pidfd)


def _pidfd_of(pid: int) -> int:
    """Open what tells us of a child's end; -1 where no system or no free descriptor offers it."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _told_apart(code: int) -> tuple[int | None, str | None]:
    return (code, None) if code >= 0 else (None, signal_name(-code))


def _unveiled(code: int) -> tuple[int | None, str | None]:
    """Tell the signal that another one saw; to exit with such a code by oneself says the same."""
    return _told_apart(128 - code if code - 128 in DEADLY else code)


def signal_name(number: int) -> str:
    """Name a signal, such as SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _read(fd: int) -> bytes | None:
    """Read what is there; None when there is nothing yet, empty at the end."""
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""
