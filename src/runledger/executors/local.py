"""Trials on this machine: a thread for each job, each with an agent process of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator

from ..ledger.task import Trial


class LocalExecutor:
    """Do the work in a number of threads; the work itself waits on processes."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def run(self, trials: Iterable[Trial], work: Callable[[Trial], bool]) -> None:
        """Let every thread take the next trial until none is left or work says stop."""
        queue = _Queue(iter(trials))
        threads = [
            threading.Thread(target=_serve, args=(queue, work), name=f"job-{number}")
            for number in range(1, self._jobs + 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if queue.error:
            raise queue.error


class _Queue:
    def __init__(self, trials: Iterator[Trial]) -> None:
        self._trials = trials
        self._lock = threading.Lock()
        self._open = True
        self.error: BaseException | None = None

    def take(self) -> Trial | None:
        with self._lock:
            return next(self._trials, None) if self._open else None

    def close(self, error: BaseException | None = None) -> None:
        with self._lock:
            self._open = False
            self.error = self.error or error


def _serve(queue: _Queue, work: Callable[[Trial], bool]) -> None:
    while trial := queue.take():
        try:
            go_on = work(trial)
        except BaseException as error:
            queue.close(error)
            return
        if not go_on:
            queue.close()
