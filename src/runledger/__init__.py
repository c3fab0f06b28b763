"""RunLedger: record what an agent does once; replay it for nothing, grade it, gate it, compare it.

The names below are the public ones. Each is imported when it is first used, so that importing
this package costs nothing and does nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .agents import Driver
    from .errors import RunledgerError
    from .executors import Executor
    from .graders import Grader
    from .harness.capture_run import CaptureOptions
    from .harness.library import capture_prompts, compare_results, grade_results
    from .harness.prepare import RunOptions
    from .harness.suite_run import run_suite
    from .ledger.grade import Failure, Grade
    from .ledger.run import Summary
    from .ledger.suite import Suite
    from .ledger.task import Task
    from .ledger.trajectory import Trajectory
    from .ledger.version import VERSION
    from .suite.load import load_cases, load_suite
    from .tools import ToolSource

    __version__ = VERSION

HOMES = {
    "Driver": "agents",
    "RunledgerError": "errors",
    "Executor": "executors",
    "Grader": "graders",
    "RunOptions": "harness.prepare",
    "CaptureOptions": "harness.capture_run",
    "capture_prompts": "harness.library",
    "compare_results": "harness.library",
    "grade_results": "harness.library",
    "run_suite": "harness.suite_run",
    "Failure": "ledger.grade",
    "Grade": "ledger.grade",
    "Summary": "ledger.run",
    "Suite": "ledger.suite",
    "Task": "ledger.task",
    "Trajectory": "ledger.trajectory",
    "load_cases": "suite.load",
    "load_suite": "suite.load",
    "ToolSource": "tools",
}

__all__ = [
    "CaptureOptions",
    "Driver",
    "Executor",
    "Failure",
    "Grade",
    "Grader",
    "RunOptions",
    "RunledgerError",
    "Suite",
    "Summary",
    "Task",
    "ToolSource",
    "Trajectory",
    "__version__",
    "capture_prompts",
    "compare_results",
    "grade_results",
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
