"""What every executor keeps to: run `check_executor` on one of your own."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator

from ..ledger.task import Task, Trial
from . import Executor

TRIALS = 50


def check_executor(executor: Executor) -> None:
    """Do every trial once, begin nothing after a stop, and raise what the work raises."""
    _does_every_trial_once(executor)
    _begins_nothing_after_a_stop(executor)
    _raises_what_work_raises(executor)


def _does_every_trial_once(executor: Executor) -> None:
    done: Counter[str] = Counter()
    lock = threading.Lock()

    def work(trial: Trial) -> bool:
        with lock:
            done[trial.task.id] += 1
        return True

    executor.run(_trials(), work)
    assert done == Counter(trial.task.id for trial in _trials()), "every trial is done once"


def _begins_nothing_after_a_stop(executor: Executor) -> None:
    taken = 0

    def counted() -> Iterator[Trial]:
        nonlocal taken
        for trial in _trials():
            taken += 1
            yield trial

    executor.run(counted(), lambda trial: False)
    assert taken <= TRIALS // 2, "after a stop nothing new begins"


def _raises_what_work_raises(executor: Executor) -> None:
    class Fault(Exception):
        """Be told apart from every other exception."""

    def work(trial: Trial) -> bool:
        raise Fault

    try:
        executor.run(_trials(), work)
    except Fault:
        return
    raise AssertionError("what the work raises is raised by run")


def _trials() -> Iterator[Trial]:
    return (Trial(Task(id=f"t{number}", input={})) for number in range(TRIALS))
