"""Work side by side, results in order."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from runledger.harness.in_order import in_order


def test_results_come_in_the_order_of_what_was_given() -> None:
    """Even where the first is done last."""
    second_done = threading.Event()

    def work(n: int) -> int:
        if n == 0:
            assert second_done.wait(30)
        if n == 1:
            second_done.set()
        return n * n

    assert list(in_order(range(5), work, 2)) == [0, 1, 4, 9, 16]


def test_only_a_few_are_taken_ahead() -> None:
    """A file of any length takes no more memory than its jobs."""
    taken: list[int] = []

    def items() -> Iterator[int]:
        for n in range(1000):
            taken.append(n)
            yield n

    results = in_order(items(), lambda n: n, 3)
    next(results)

    assert len(taken) <= 5
    results.close()  # type: ignore[attr-defined]


def test_what_work_raises_is_raised() -> None:
    """A TimeoutError too, which is also how waiting ends."""

    def work(n: int) -> int:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        list(in_order([1], work, 1))
