"""How many prompts were captured, and how they were judged: figures only, whatever their number."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..ledger.captured import Captured, captured_from
from ..ledger.grade import NOT_VALID
from ..ledger.result import error_text
from ..ledger.run import TrialRow
from ..ledger.suite import Suite
from ..ledger.value import Json


class CaptureTally:
    """Count results as they come, from this run and from what a file held before."""

    def __init__(self) -> None:
        self.invalid = 0  # trials that the outside world spoilt
        self.errors = 0  # trials in which the agent failed
        self.last_error = ""
        self._trials: Counter[str] = Counter()
        self._graded: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._lock = threading.Lock()

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Ignore that a run begins."""

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Count a trial of this run."""
        with self._lock:
            spoilt = any(failure.type in NOT_VALID for failure in row.failures)
            self.invalid += spoilt
            self.errors += row.status == "error" and not spoilt
            if row.status == "error":
                self.last_error = error_text(row.failures[0])
        self.count(captured_from(line))

    def finish(self) -> None:
        """Ignore that no more trials will end."""

    def count(self, results: Iterable[Captured]) -> None:
        """Count results, whoever got them."""
        with self._lock:
            for result in results:
                self._trials[result.id] += 1
                self._graded[result.id] += result.score is not None
                self._passed[result.id] += result.score is not None and result.score.passed
                self._errors[result.id] += bool(result.errors) and result.score is None

    @property
    def prompts(self) -> int:
        """Count the prompts of which there is a result."""
        return len(self._trials)

    @property
    def graded(self) -> int:
        """Count the trials that were judged."""
        return self._graded.total()

    @property
    def passed(self) -> int:
        """Count the trials that passed."""
        return self._passed.total()

    def pass_rate(self) -> float | None:
        """Give the share of judged trials that passed."""
        return self.passed / self.graded if self.graded else None

    def figures(self) -> Iterator[tuple[str, int, int, int]]:
        """Yield each prompt with its graded, its passed and its failing trials."""
        for id in self._trials:
            yield id, self._graded[id], self._passed[id], self._errors[id]
