"""What judges have said so far, on disk and in mind."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable

from ..ledger.verdict import CriterionVerdict
from ..store.verdicts import Matter, VerdictLog, matter_of

PATIENCE = 5  # faults of a judge that never gave a good answer


class VerdictBook:
    """Knows every verdict, writes new ones down at once, and finds answers to the same question."""

    def __init__(self, log: VerdictLog, verdicts: Iterable[CriterionVerdict]) -> None:
        self._log = log
        self._last: dict[Matter, CriterionVerdict] = {}
        self._answers: dict[str, CriterionVerdict] = {}
        self._lock = threading.Lock()
        for verdict in verdicts:
            self._keep(verdict)

    def write(self, verdict: CriterionVerdict) -> None:
        """Write a verdict down, unless it says what is there already."""
        with self._lock:
            if _essence(verdict) != _essence(self._last.get(matter_of(verdict))):
                self._log.append(verdict)
                self._keep(verdict)

    def last(self, matter: Matter) -> CriterionVerdict | None:
        """Give the last verdict on a matter, if it counts."""
        verdict = self._last.get(matter)
        return verdict if verdict is not None and _counts(verdict) else None

    def answer(self, key: str) -> CriterionVerdict | None:
        """Give a verdict that counts, whoever's answer it was on, to the very same question."""
        return self._answers.get(key)

    def _keep(self, verdict: CriterionVerdict) -> None:
        self._last[matter_of(verdict)] = verdict
        if verdict.key and _counts(verdict):
            self._answers[verdict.key] = verdict


class Patience:
    """Gives a judge up that has faults and nothing else."""

    def __init__(self, most: int = PATIENCE) -> None:
        self._most = most
        self._faults: Counter[str] = Counter()
        self._good: set[str] = set()
        self._lock = threading.Lock()

    def praise(self, judge: str) -> None:
        """Take note that a judge can answer."""
        with self._lock:
            self._good.add(judge)

    def blame(self, judge: str) -> bool:
        """Take note of a fault; say whether it is the last straw."""
        with self._lock:
            self._faults[judge] += 1
            return judge not in self._good and self._faults[judge] == self._most

    def is_lost(self, judge: str) -> bool:
        """Say whether a judge is not to be asked again."""
        return judge not in self._good and self._faults[judge] >= self._most


def _counts(verdict: CriterionVerdict) -> bool:
    return verdict.verdict is not None and verdict.void is None


def _essence(verdict: CriterionVerdict | None) -> object:
    """Give what makes a verdict news: other words for the same verdict make none."""
    if verdict is None or verdict.void is not None:
        return verdict
    return verdict.verdict, verdict.key
