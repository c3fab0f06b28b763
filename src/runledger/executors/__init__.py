"""The shelf of executors: who does the trials of a run, one after the other or side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

Piece = TypeVar("Piece")
"""What is worked on at one time: a trial, or all runs of a task that are compared."""


class Executor(Protocol):
    """Somebody who does work piece by piece."""

    def run(self, pieces: Iterable[Piece], work: Callable[[Piece], bool]) -> None:
        """Do the work on every piece, in the given order as far as places allow.

        Work that gives False lets nothing new begin. What work raises is raised here, after all
        that had begun has ended.
        """
