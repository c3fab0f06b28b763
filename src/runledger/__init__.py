"""RunLedger: record what an agent does once; replay it for nothing, grade it, gate it, compare it.

The names below are the public ones. Each is imported when it is first used, so that importing
this package costs nothing and does nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agents import Driver, Session
    from .errors import RunledgerError
    from .executors import Executor
    from .graders import Grader
    from .harness.conduct import RunOutcome
    from .harness.prepare import RunOptions
    from .harness.suite_run import run_suite
    from .ledger.grade import Failure, Grade
    from .ledger.run import Summary
    from .ledger.suite import Suite
    from .ledger.task import Task, Trial
    from .ledger.trajectory import Trajectory
    from .ledger.version import VERSION
    from .suite.load import load_cases, load_suite
    from .tools import ToolSource

    __version__ = VERSION

HOMES = {
    "Driver": "agents",
    "Session": "agents",
    "RunledgerError": "errors",
    "Executor": "executors",
    "Grader": "graders",
    "RunOptions": "harness.prepare",
    "RunOutcome": "harness.conduct",
    "run_suite": "harness.suite_run",
    "Failure": "ledger.grade",
    "Grade": "ledger.grade",
    "Summary": "ledger.run",
    "Suite": "ledger.suite",
    "Task": "ledger.task",
    "Trial": "ledger.task",
    "Trajectory": "ledger.trajectory",
    "load_cases": "suite.load",
    "load_suite": "suite.load",
    "ToolSource": "tools",
}

__all__ = [
    "Driver",
    "Executor",
    "Failure",
    "Grade",
    "Grader",
    "RunOptions",
    "RunOutcome",
    "RunledgerError",
    "Session",
    "Suite",
    "Summary",
    "Task",
    "ToolSource",
    "Trajectory",
    "Trial",
    "__version__",
    "load_cases",
    "load_suite",
    "run_suite",
]


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module(".ledger.version", __name__).VERSION
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{HOMES[name]}", __name__), name)
