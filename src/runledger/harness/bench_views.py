"""Make every view of an experiment's run from its record alone; some of them while it runs."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..compare.experiment import findings_of
from ..ledger.attempt import Attempt
from ..ledger.findings import BenchRecord, Findings
from ..store import disk
from ..store.bench import read_bench
from ..store.whole import append_text, write_whole
from ..suite.experiment import load_experiment
from ..views.experiment import answer, html, results, scenarios, summary, timing

REPORT, RUNS, TIMING = "report.html", "runs", "timing.csv"


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
    _write_runs(path, record)
    texts = {
        "scenarios.md": scenarios.render(record),
        "results.md": results.render(record, findings),
        "summary.json": summary.render(record, findings),
        REPORT: html.render(record, findings),
    }
    for name, text in texts.items():
        _write(path / name, text)
    return derived


class LiveFiles:
    """Keep timing.csv and the answers up to date while an experiment runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rounds: dict[tuple[str, int, int], list[Attempt]] = {}

    def begin(self, record: BenchRecord, left: int, path: Path) -> None:
        """Learn which run it is, and write what is known of it."""
        self._runs = path / RUNS
        disk.ensure_directory(self._runs)
        self._record = replace(record, attempts=(), launches=(), firsts=())
        self._first = True
        for attempt in record.attempts:
            self._whole_round(attempt)
        write_whole(self._runs / TIMING, timing.render(record).encode())

    def ended(self, attempt: Attempt, left: int) -> None:
        """Write how long an attempt took, and the answers of its block once all are there."""
        with self._lock:
            alone = timing.render(replace(self._record, attempts=(attempt,)))
            row = alone if self._first else alone.partition("\n")[2]  # the model is told once
            append_text(self._runs / TIMING, row)
            self._first = False
            for one in self._whole_round(attempt):
                _write(self._runs / answer.file_name(one.slot), answer.render(one))

    def finish(self) -> None:
        """Leave the rest to the views of the whole run."""

    def _whole_round(self, attempt: Attempt) -> list[Attempt]:
        """Give all attempts of a round of a block, once the last one of them is there."""
        key = attempt.slot.task_id, attempt.slot.trial, attempt.round
        counting = self._rounds.setdefault(key, [])
        if attempt.standing.state == "counts":
            counting.append(attempt)
        whole = len(counting) == len(self._record.experiment.conditions)
        return self._rounds.pop(key) if whole else []


def _write_runs(path: Path, record: BenchRecord) -> None:
    """Write the answers that count, and no others, and how long all attempts took."""
    runs = path / RUNS
    disk.ensure_directory(runs)
    files = dict(answer.answer_files(record))
    for name, text in files.items():
        _write(runs / name, text)
    for file in runs.glob("*.md"):
        if file.name not in files:
            disk.remove(file)
    write_whole(runs / TIMING, timing.render(record).encode())


def _write(file: Path, text: str) -> None:
    write_whole(file, text.encode("utf-8", "backslashreplace"))
