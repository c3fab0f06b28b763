"""Make every view of an experiment's run from its record alone; some of them while it runs."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..compare.experiment import findings_of
from ..errors import StoreError
from ..ledger.attempt import Attempt
from ..ledger.findings import BenchRecord, Findings, Launch
from ..store.bench import read_bench
from ..store.lines import write_whole
from ..suite.experiment import load_experiment
from ..views.experiment import answer, html, results, scenarios, summary, timing

REPORT = "report.html"


class Derived(NamedTuple):
    """A run as its record tells it, and what it shows."""

    record: BenchRecord
    findings: Findings


def read_derived(path: Path) -> Derived:
    """Read a run by the protocol it was run by, and find out what it shows."""
    record = read_bench(path, load_experiment(path, to_run=False))
    return Derived(record, findings_of(record))


def derive_bench(path: Path) -> Derived:
    """Write the views of the run in this directory."""
    derived = read_derived(path)
    record, findings = derived
    _write_runs(path, record, answer.answer_files(record))
    texts = {
        "scenarios.md": scenarios.render(record),
        "results.md": results.render(record, findings),
        "summary.json": summary.render(record, findings),
        REPORT: html.render(record, findings),
    }
    for name, text in texts.items():
        write_whole(path / name, text.encode("utf-8", "backslashreplace"))
    return derived


class LiveFiles:
    """Keep timing.csv and the answers up to date while an experiment runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rounds: dict[tuple[str, int, int], list[Attempt]] = {}

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Learn which run it is; this launch is not in its record yet."""
        self._path = path
        self._record = replace(
            record,
            launches=(*record.launches, Launch("")),
            firsts=(*record.firsts, len(record.attempts)),
        )
        for attempt in record.attempts:
            self._counting(attempt)

    def ended(self, attempt: Attempt) -> None:
        """Write how long an attempt took, and the answers of its block once all are there."""
        with self._lock:
            self._record = replace(self._record, attempts=(*self._record.attempts, attempt))
            counting = self._counting(attempt)
            whole = len(counting) == len(self._record.experiment.conditions)
            files = ((answer.file_name(one.slot), answer.render(one)) for one in counting)
            _write_runs(self._path, self._record, files if whole else ())

    def finish(self) -> None:
        """Leave the rest to the views of the whole run."""

    def _counting(self, attempt: Attempt) -> list[Attempt]:
        """List the attempts of the same round of the same block that count."""
        key = attempt.slot.task_id, attempt.slot.trial, attempt.round
        counting = self._rounds.setdefault(key, [])
        if attempt.standing.state == "counts":
            counting.append(attempt)
        return counting


def _write_runs(path: Path, record: BenchRecord, files: Iterable[tuple[str, str]]) -> None:
    runs = path / "runs"
    try:
        runs.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"could not make {runs}: {error.strerror or error}") from error
    for name, text in files:
        write_whole(runs / name, text.encode("utf-8", "backslashreplace"))
    write_whole(runs / "timing.csv", timing.render(record).encode())
