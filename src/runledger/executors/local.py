"""Work on this machine: a thread for each job, each with an agent process of its own."""

from __future__ import annotations

import resource
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Generic

from ..errors import OutsideError
from . import Piece

FILES_OF_A_JOB = 15  # open at once: pipes of an agent and of its tools, and while one is started
FILES_OF_OURS = 20
REMEDY = "allow more memory (ulimit -v) or more processes (ulimit -u; a container's limit on pids)"
LISTEN_S = 0.1  # the kernel may give a signal to any thread; only the main one acts on it, awake


class LocalExecutor:
    """Do the work in a number of threads; the work itself waits on processes.

    There are fewer than asked for where this process may not open files enough for so many, or
    the system has no more threads for us.
    `wake` is called when somebody breaks off, so that work that waits comes to its end.
    """

    def __init__(self, jobs: int, wake: Callable[[], None] = lambda: None) -> None:
        self._jobs = _affordable(jobs)
        self._wake = wake

    def run(self, pieces: Iterable[Piece], work: Callable[[Piece], bool]) -> None:
        """Let every thread take the next piece until none is left or work says stop."""
        queue = _Queue(iter(pieces))
        try:
            self._start(queue, work)
            queue.wait()
        except BaseException:  # Ctrl-C, where nobody has a handler for it
            queue.close()
            self._wake()
            queue.wait()
            raise
        if queue.error:
            raise queue.error

    def _start(self, queue: _Queue[Piece], work: Callable[[Piece], bool]) -> None:
        """Start the threads, as many as can be had."""
        for number in range(1, self._jobs + 1):
            thread = threading.Thread(target=_serve, args=(queue, work), name=f"job-{number}")
            try:
                thread.start()
            except RuntimeError as error:
                if number == 1:
                    queue.close(OutsideError(f"nothing can be run here: {error}\n{REMEDY}"))
                return


def _affordable(jobs: int) -> int:
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return jobs
    return max(1, min(jobs, (most - FILES_OF_OURS) // FILES_OF_A_JOB))


class _Queue(Generic[Piece]):
    """The pieces that are still to be taken, and who is still at work."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self._pieces = pieces
        self._lock = threading.Lock()
        self._open = True  # until nothing more is to begin
        self._at_work = 0
        self._done = threading.Event()
        self.error: BaseException | None = None

    def enter(self) -> None:
        with self._lock:
            self._at_work += 1

    def take(self) -> Piece | None:
        with self._lock:
            piece = next(self._pieces, None) if self._open else None
            self._open = piece is not None
            return piece

    def close(self, error: BaseException | None = None) -> None:
        with self._lock:
            self._open = False
            self.error = self.error or error
            self._settle()

    def leave(self) -> None:
        with self._lock:
            self._at_work -= 1
            self._settle()

    def _settle(self) -> None:
        """Be done when nobody works or will; who enters only now finds nothing to take."""
        if not self._open and not self._at_work:
            self._done.set()

    def wait(self) -> None:
        # Not Thread.join: interrupted, it takes a running thread for one that has ended.
        while not self._done.wait(LISTEN_S):
            continue


def _serve(queue: _Queue[Piece], work: Callable[[Piece], bool]) -> None:
    queue.enter()
    try:
        while (piece := queue.take()) is not None:
            if not work(piece):
                queue.close()
    except BaseException as error:
        queue.close(error)
    finally:
        queue.leave()
