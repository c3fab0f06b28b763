"""The executor on this machine."""

from __future__ import annotations

import threading

import pytest

from runledger.executors.conformance import check_executor
from runledger.executors.local import LocalExecutor
from runledger.ledger.task import Task, Trial


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_the_local_executor_conforms(jobs: int) -> None:
    """With any number of jobs it keeps to what every executor keeps to."""
    check_executor(LocalExecutor(jobs))


def test_jobs_run_side_by_side() -> None:
    """Two jobs meet at a barrier, which one after the other could not."""
    barrier = threading.Barrier(2, timeout=20)

    def meet(trial: Trial) -> bool:
        barrier.wait()
        return True

    LocalExecutor(2).run([Trial(Task(id=id, input={})) for id in "ab"], meet)
