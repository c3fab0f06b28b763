"""Look at an experiment while it runs: judge what is there, and say whether it is enough."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from ..compare.sequential import decided_early
from ..ledger.experiment import Experiment
from ..process.supervisor import Supervisor
from ..store.bench import read_bench, tools_used
from .judge_experiment import JudgeOptions, judge_experiment, refuse_unjudgeable


def early_stop(path: Path, experiment: Experiment, supervisor: Supervisor) -> Callable[[], bool]:
    """Give the function that judges all answers so far and tells whether they decide."""
    refuse_unjudgeable(experiment)
    lock = threading.Lock()

    def decided() -> bool:
        with lock:
            record = read_bench(path, experiment)
            judge_experiment(path, record, JudgeOptions(tools=tools_used(path)), supervisor)
            return decided_early(read_bench(path, experiment))

    return decided
