"""What `capture` and `trials` write as their trials end: a line for each result or prompt."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..ledger.result import published
from ..ledger.run import TrialRow
from ..ledger.suite import Suite
from ..ledger.value import Json
from ..store.rundir import is_void
from ..store.sink import Sink


class ResultLines:
    """Write a line for each trial; one that could not begin has none, and is tried again."""

    def __init__(self, sink: Sink, carried: Iterable[Mapping[str, Any]] = ()) -> None:
        self._sink = sink
        self._carried = carried

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Write what the run that is gone on with has already, now that it is ours."""
        for line in self._carried:
            self._sink.append(published(line))

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Write the line of a trial."""
        if not is_void(row):
            self._sink.append(published(line))

    def finish(self) -> None:
        """Have nothing to say after the last result."""


class TrialLines:
    """Write a line for each prompt, once all of its trials have ended."""

    def __init__(self, sink: Sink, k: int, carried: Iterable[Mapping[str, Any]] = ()) -> None:
        self._sink = sink
        self._k = k
        self._carried = carried
        self._open: dict[str, list[Mapping[str, Any]]] = {}
        self._given_up: set[str] = set()
        self._lock = threading.Lock()

    def begin(self, suite: Suite, trials: int, path: Path) -> None:
        """Take what the run that is gone on with has already, now that it is ours."""
        for line in self._carried:
            self._add(line)

    def ended(self, row: TrialRow, line: Mapping[str, Json]) -> None:
        """Keep the result of a trial, and write the line of a prompt that is through.

        A prompt of which one trial could not begin gets no line, and nothing of it is kept: the
        run has it all for whoever goes on.
        """
        if is_void(row):
            with self._lock:
                self._given_up.add(row.case_id)
                self._open.pop(row.case_id, None)
        else:
            self._add(line)

    def finish(self) -> None:
        """Leave prompts that are not through to whoever goes on."""

    def _add(self, line: Mapping[str, Any]) -> None:
        with self._lock:
            if line["id"] in self._given_up:
                return
            results = self._open.setdefault(line["id"], [])
            results.append(line)
            if len(results) < self._k:
                return
            del self._open[line["id"]]
        from ..views.trial_line import trial_line  # a capture pays nothing for it

        self._sink.append(trial_line(results, self._k))
