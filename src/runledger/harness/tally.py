"""How many prompts were captured, and how they were judged: figures only, whatever their number."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..ledger.captured import Captured, captured_from
from ..ledger.result import GRADER_ERROR, error_text
from ..ledger.run import TrialRow
from ..ledger.suite import Suite
from ..ledger.value import Json
from ..store.rundir import is_void
from ..views.trials import PromptTally


class CaptureTally:
    """Count results as they come, from this run and from what a file held before."""

    def __init__(self) -> None:
        self.void = 0  # trials that told nothing of the agent: the world outside failed
        self.unjudged = 0  # answers that a grader could not judge
        self.errors = 0  # trials in which the agent failed
        self.cost_usd = 0.0  # as far as anybody knows
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
            if row.status == "error":
                self.last_error = error_text(row.failures[0])
            if is_void(row):
                self.void += 1
                return
        self.count(captured_from(line))

    def finish(self) -> None:
        """Ignore that no more trials will end."""

    def count(self, results: Iterable[Captured]) -> None:
        """Count results, whoever got them."""
        with self._lock:
            for result in results:
                self._count(result)

    def _count(self, result: Captured) -> None:
        of_grader = any(error.startswith(GRADER_ERROR) for error in result.errors)
        of_agent = bool(result.errors) and not of_grader
        self.unjudged += of_grader
        self.errors += of_agent
        self.cost_usd += result.usage.cost_usd or 0.0
        self._trials[result.id] += 1
        self._errors[result.id] += of_agent
        self._graded[result.id] += result.score is not None
        self._passed[result.id] += result.score is not None and result.score.passed

    @property
    def captured(self) -> int:
        """Count the trials of which there is a result."""
        return self._trials.total()

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

    def prompts(self) -> Iterator[PromptTally]:
        """Yield the figures of each prompt."""
        for id, trials in self._trials.items():
            yield PromptTally(id, trials, self._graded[id], self._passed[id], self._errors[id])
