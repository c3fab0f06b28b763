"""How an experiment's progress is shown: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from ..harness.bench_run import BenchWatcher, Unwatched
from ..ledger.attempt import Attempt
from ..ledger.findings import BenchRecord
from ..ledger.printable import one_line
from .exits import say
from .progress import bar

MESSAGE_CHARS = 300
STEPS = 10


def watcher_for(quiet: bool) -> BenchWatcher:
    """Choose how progress is shown."""
    if quiet:
        return Unwatched()
    return BenchBar() if os.isatty(2) and not os.environ.get("CI") else BenchLines()


def told_by_tenths(quiet: bool) -> Callable[[int, int], None]:
    """Give what tells of many questions: a line whenever another tenth of them is answered."""

    def tell(done: int, of: int) -> None:
        if not quiet and of >= STEPS and done * STEPS // of > (done - 1) * STEPS // of:
            say(f"{done} of {of} questions answered")

    return tell


class Together:
    """Tell several, one after the other."""

    def __init__(self, *watchers: BenchWatcher) -> None:
        self._watchers = watchers

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Tell all what is left."""
        for one in self._watchers:
            one.begin(record, left, path)

    def ended(self, attempt: Attempt, left: int) -> None:
        """Tell all how an attempt ended."""
        for one in self._watchers:
            one.ended(attempt, left)

    def finish(self) -> None:
        """Tell all that nothing more will end."""
        for one in self._watchers:
            one.finish()


class BenchLines:
    """Write a plain line for each attempt that ends."""

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Say what begins, and where its record is."""
        self._planned = len(record.plan)
        self._lock = threading.Lock()
        name = one_line(record.experiment.name)
        say(f"{name}: {left} of {len(record.plan)} runs to do, in {path}")

    def ended(self, attempt: Attempt, left: int) -> None:
        """Write the line of an attempt."""
        with self._lock:
            place = f"[{self._planned - left:>{len(str(self._planned))}}/{self._planned}]"
            say(f"{place} {_told(attempt)}")

    def finish(self) -> None:
        """Write nothing more."""


class BenchBar:
    """Draw a bar; what does not count is told above it."""

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Draw the empty bar."""
        self._lock = threading.Lock()
        self._bad = 0
        self._bar = bar()
        self._planned = len(record.plan)
        name = one_line(record.experiment.name)
        self._row = self._bar.add_task(name, total=self._planned, bad="")
        self._bar.update(self._row, completed=self._planned - left)
        self._bar.start()

    def ended(self, attempt: Attempt, left: int) -> None:
        """Move the bar to where it stands now, and tell what does not count."""
        counts = attempt.standing.state == "counts"
        with self._lock:
            self._bad += not counts
            bad = f"{self._bad} did not count" if self._bad else ""
            self._bar.update(self._row, completed=self._planned - left, bad=bad)
        if not counts:
            self._bar.console.print(_told(attempt), markup=False, highlight=False)

    def finish(self) -> None:
        """Take the bar away."""
        self._bar.stop()


def _told(attempt: Attempt) -> str:
    slot, standing = attempt.slot, attempt.standing
    trial = f", trial {slot.trial}" if slot.trial > 1 else ""
    again = f", attempt {attempt.number}" if attempt.number > 1 else ""
    name = one_line(f"{slot.task_id} {slot.condition}{trial}{again}")
    if standing.state == "counts":
        end = "timed out" if attempt.timed_out else "done"
        return f"{end:<9} {name} {attempt.duration_s:.1f} s"
    return f"{standing.state:<9} {name}: {one_line(standing.message, MESSAGE_CHARS)}"
