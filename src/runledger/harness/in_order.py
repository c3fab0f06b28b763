"""Work done side by side whose results come in the order of what was given."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

LISTEN_S = 0.1  # the kernel may give a signal to any thread; only the main one acts on it, awake

T = TypeVar("T")
R = TypeVar("R")


def in_order(items: Iterable[T], work: Callable[[T], R], jobs: int) -> Iterator[R]:
    """Yield what comes of each item, in order; only a few more than the jobs are taken ahead."""
    with ThreadPoolExecutor(jobs, "job") as pool:
        waiting: deque[Future[R]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > jobs:
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            for future in waiting:
                future.cancel()


def _result(future: Future[R]) -> R:
    while True:
        try:
            return future.result(LISTEN_S)
        except TimeoutError:
            if future.done():  # the work itself raised it
                raise
