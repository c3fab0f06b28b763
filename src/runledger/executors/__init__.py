"""The shelf of executors: who does the trials of a run, one after the other or side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from ..ledger.task import Trial


class Executor(Protocol):
    """Somebody who does work on trials."""

    def run(self, trials: Iterable[Trial], work: Callable[[Trial], bool]) -> None:
        """Do the work on every trial, in the given order as far as places allow.

        Work that gives False lets nothing new begin. What work raises is raised here, after all
        that had begun has ended.
        """
