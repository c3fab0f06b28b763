"""The executor on this machine."""

from __future__ import annotations

import subprocess
import sys
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

    LocalExecutor(2).run(trials("ab"), meet)


def trials(ids: str) -> list[Trial]:
    """Give a trial for each letter."""
    return [Trial(Task(id=id, input={})) for id in ids]


class Scarce(threading.Thread):
    """A thread of which the system has two, and no more."""

    left = 2

    def start(self) -> None:
        """Be started, or not, in the system's words."""
        if not Scarce.left:
            raise RuntimeError("can't start new thread")
        Scarce.left -= 1
        super().start()


def test_there_are_fewer_jobs_where_there_are_no_more_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those that could be started do all the work, and nobody is left working."""
    monkeypatch.setattr(threading, "Thread", Scarce)
    monkeypatch.setattr(Scarce, "left", 2)
    seen: list[tuple[str, str]] = []

    def work(trial: Trial) -> bool:
        seen.append((trial.task.id, threading.current_thread().name))
        return True

    LocalExecutor(8).run(trials("abcdefgh"), work)

    assert sorted(id for id, _ in seen) == list("abcdefgh")
    assert {name for _, name in seen} <= {"job-1", "job-2"}


STARVED = """
import resource, threading
from runledger.errors import OutsideError
from runledger.executors.local import LocalExecutor
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
threading.stack_size(512 * 2**20)
resource.setrlimit(resource.RLIMIT_AS, (size + 256 * 2**20,) * 2)
try:
    LocalExecutor(2).run(["a"], print)
except OutsideError as error:
    print(error)
"""


def test_without_any_thread_it_is_told_what_to_do() -> None:
    """In a process that has no memory for one."""
    done = subprocess.run(
        [sys.executable, "-c", STARVED], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.startswith("nothing can be run here: can't start new thread\nallow more")
