"""Those who are told how a run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from ..ledger.run import TrialRow
from ..ledger.suite import Suite
from ..ledger.value import Json


class Watcher(Protocol):
    """Somebody who is told how a run goes on."""

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Learn that a run of so many trials begins."""

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Learn how a trial ended, and its line of results.jsonl; called from its own thread."""

    def finish(self) -> None:
        """Learn that no more trials will end."""


class Unwatched:
    """Watch nothing."""

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Ignore that a run begins."""

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Ignore that a trial has ended."""

    def finish(self) -> None:
        """Ignore that no more trials will end."""


class Watchers:
    """Tell several, one after the other."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = watchers

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Tell all that a run begins."""
        for watcher in self._watchers:
            watcher.begin(suite, trials, path)

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Tell all how a trial ended."""
        for watcher in self._watchers:
            watcher.ended(row, line)

    def finish(self) -> None:
        """Tell all that no more trials will end."""
        for watcher in self._watchers:
            watcher.finish()


UNWATCHED = Unwatched()
