"""Look at an experiment while it runs: judge what is there, and say whether it is enough."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..compare.sequential import decided_early
from ..errors import UsageError
from ..ledger.attempt import Attempt
from ..ledger.experiment import Experiment
from ..ledger.findings import BenchRecord
from ..ledger.settled import settled_in
from ..process.supervisor import Supervisor
from ..store.lines import is_held
from ..store.verdicts import VERDICTS, read_verdicts
from .judge_experiment import JudgeOptions, judge_experiment


class EarlyStop:
    """Hear of every attempt, judge those that are new, and say whether all of them decide."""

    def __init__(self, supervisor: Supervisor, tell: Callable[[str], None]) -> None:
        self._supervisor = supervisor
        self._tell = tell
        self._lock = threading.Lock()
        self._fresh: list[Attempt] = []  # with what they say; of the others it is not kept
        self._known: list[Attempt] = []

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Learn what was done before."""
        self._record, self._path = record, path
        self._fresh = list(record.attempts)

    def ended(self, attempt: Attempt, left: int) -> None:
        """Learn of an attempt."""
        with self._lock:
            self._fresh.append(attempt)

    def finish(self) -> None:
        """Have nothing more to learn."""

    def decided(self) -> bool:
        """Judge what is new, and tell whether wins and losses so far are enough."""
        with self._lock:
            if is_held(self._path / VERDICTS):  # somebody judges meanwhile; look again later
                return False
            self._judge()
            verdicts = read_verdicts(self._path / VERDICTS)
            attempts = (*self._known, *self._fresh)
            return decided_early(replace(self._record, attempts=attempts, verdicts=verdicts))

    def _judge(self) -> None:
        """Judge the blocks that are whole by now; what they say is not kept any longer."""
        verdicts = read_verdicts(self._path / VERDICTS)
        record = replace(self._record, attempts=tuple(self._fresh), verdicts=verdicts)
        options = JudgeOptions(others=tuple(self._known))
        judge_experiment(self._path, record, options, supervisor=self._supervisor, tell=self._tell)
        whole = {(slot.task_id, slot.trial) for slot in settled_in(record).counting}
        judged = [one for one in self._fresh if (one.slot.task_id, one.slot.trial) in whole]
        self._known += [one if one.timed_out else replace(one, output=None) for one in judged]
        self._fresh = [one for one in self._fresh if one not in judged]


def refuse_unfit_for_early_stop(experiment: Experiment) -> None:
    """Say what cannot be decided while an experiment runs, or by wins and losses."""
    by_machine = all(one.has_check for task in experiment.tasks for one in task.criteria)
    if not by_machine and not experiment.scoring.judges:
        raise UsageError(
            "--sequential judges while it runs: name a program under scoring.judges, "
            "or give every criterion a check"
        )
    if experiment.cluster is not None:
        raise UsageError(
            "--sequential takes tasks as independent, and analysis.cluster says that they are not"
        )
    for gate in experiment.gates:
        if gate.metric != "score" or (gate.min_difference or gate.max_difference):
            raise UsageError(
                "--sequential decides whether the score is higher or lower, and nothing else: "
                f"a gate on {gate.metric} with another limit than 0 needs the whole plan"
            )
