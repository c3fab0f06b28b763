"""Look at an experiment while it runs: judge what is there, and say whether it is enough."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from ..compare.sequential import decided_early
from ..errors import UsageError
from ..ledger.experiment import Experiment
from ..process.supervisor import Supervisor
from ..store.bench import read_bench, tools_used
from .judge_experiment import JudgeOptions, judge_experiment


def early_stop(
    path: Path, experiment: Experiment, supervisor: Supervisor, tell: Callable[[str], None]
) -> Callable[[], bool]:
    """Give the function that judges all answers so far and tells whether they decide."""
    _refuse_people(experiment)
    lock = threading.Lock()

    def decided() -> bool:
        with lock:
            record = read_bench(path, experiment)
            options = JudgeOptions(tools=tools_used(path))
            judge_experiment(path, record, options, supervisor=supervisor, tell=tell)
            return decided_early(read_bench(path, experiment))

    return decided


def _refuse_people(experiment: Experiment) -> None:
    """Refuse criteria that only a person could judge: nobody is there to ask while it runs."""
    by_machine = all(one.has_check for task in experiment.tasks for one in task.criteria)
    if not by_machine and not experiment.scoring.judges:
        raise UsageError(
            "--sequential judges while it runs: name a program under scoring.judges, "
            "or give every criterion a check"
        )
