"""What a run that was broken off has finished, and its record made fit to be gone on with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..ledger.manifest import Manifest
from .lines import decode, read_lines
from .manifest import MANIFEST
from .rundir import LOG, RESULTS, Key, finished_in, read_run
from .traces import TraceLog


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run came: its finished trials, and how often the others were attempted."""

    path: Path
    finished: frozenset[Key] = frozenset()
    attempts: Mapping[Key, int] = field(default_factory=dict)


def newest_unfinished(parent: Path, like: Manifest) -> Path | None:
    """Find the newest run in a directory, if it was broken off and does what another would do."""
    runs = sorted((file.parent for file in parent.glob(f"*/{MANIFEST}")), reverse=True)
    if not runs:
        return None
    try:
        record = read_run(runs[0])
    except UsageError:  # damaged: a new run is begun
        return None
    same = _alike(record.manifest, like)
    return runs[0] if record.ending.interrupted and same else None


def _alike(found: Manifest, wanted: Manifest) -> bool:
    """Say whether a run's plan holds all that is wanted, done by the same agent as often."""
    planned = {case.id: case.sha256 for case in found.cases}
    return (
        found.command_sha256 == wanted.command_sha256
        and found.trials == wanted.trials
        and all(planned.get(case.id) == case.sha256 for case in wanted.cases)
    )


def progress_of(path: Path) -> Progress:
    """Read how far a run came."""
    attempts: dict[Key, int] = {}
    for case_id, trial, attempt in TraceLog(path / LOG).places():
        attempts[case_id, trial] = max(attempt, attempts.get((case_id, trial), 0))
    return Progress(path, finished_in(read_run(path)), attempts)


def finished_lines(progress: Progress) -> Iterator[dict[str, Any]]:
    """Yield the results of the finished trials of a run."""
    for line in read_lines(progress.path / RESULTS):
        yield decode(line)
