"""How a run's progress is shown: a bar on a terminal, plain lines in CI, nothing when quiet."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..harness.watch import Unwatched, Watcher
from ..ledger.printable import one_line
from ..ledger.run import TrialRow
from ..ledger.suite import Suite
from ..ledger.value import Json
from .exits import say

if TYPE_CHECKING:
    from rich.progress import Progress

EACH = 200  # up to so many trials every one gets a line, beyond it only those that did not pass
STEPS = 10


def watcher_for(quiet: bool, *, judged: bool = True) -> Watcher:
    """Choose how progress is shown; what nobody judged is done, but has not passed."""
    if quiet:
        return Unwatched()
    if os.isatty(2) and not os.environ.get("CI"):
        return Bar()
    return Lines(passed="passed" if judged else "done")


class Lines:
    """Write a plain line for each trial that ends, or for every tenth part of many."""

    def __init__(self, passed: str = "passed") -> None:
        self._passed = passed

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Say what begins, and where its record will be."""
        self._total = trials
        self._done = 0
        self._lock = threading.Lock()
        say(f"{one_line(suite.name)}: {trials} to run, {suite.mode}, in {path}")

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Write the line of a trial."""
        with self._lock:
            self._done += 1
            step = self._done * STEPS // self._total > (self._done - 1) * STEPS // self._total
            if self._total <= EACH or row.status != "passed" or step:
                place = f"[{self._done:>{len(str(self._total))}}/{self._total}]"
                name = row.case_id if row.trial == 1 else f"{row.case_id} (trial {row.trial})"
                status = self._passed if row.status == "passed" else row.status
                say(f"{place} {status:<6} {one_line(name)} {row.tally.wall_ms} ms")

    def finish(self) -> None:
        """Write nothing more."""


class Bar:
    """Draw a bar with what has passed and what has not."""

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Draw the empty bar."""
        self._bad = 0
        self._lock = threading.Lock()
        self._progress = bar()
        self._row = self._progress.add_task(one_line(suite.name), total=trials, bad="")
        self._progress.start()

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Move the bar on."""
        with self._lock:
            self._bad += row.status != "passed"
            bad = f"{self._bad} not passed" if self._bad else ""
            self._progress.update(self._row, advance=1, bad=bad)

    def finish(self) -> None:
        """Take the bar away; the summary follows."""
        self._progress.stop()


def bar() -> Progress:
    """Make a bar that leaves no trace on the terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[bad]}", style="red", markup=False),
        console=Console(stderr=True),
        transient=True,
    )
