"""What a run that was broken off has finished, and its record made fit to be gone on with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..ledger.fingerprint import hash_changes
from ..ledger.manifest import Manifest, PlannedCase
from ..ledger.suite import Mode
from .each_line import each_line
from .lines import decode, is_held, read_lines
from .manifest import MANIFEST
from .rundir import LOG, RESULTS, Key, finished_in, moment, record_from
from .spans import Spans
from .traces import place_of
from .whole import write_whole_lines

MOST_CHANGES = 10  # that are named

_SEQ = re.compile(rb'\{"seq":(\d+),')


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run came: its finished trials, and how often the others were attempted."""

    path: Path
    manifest: Manifest
    finished: frozenset[Key] = frozenset()
    attempts: Mapping[Key, int] = field(default_factory=dict)
    interrupted: bool = False  # or it never ended
    last_seq: int = 0  # the number of the last line of its log
    size: int = 0  # of the whole lines of its log, in bytes
    wall_ms: int = 0  # of all its launches together
    spent_usd: float = 0.0

    def drop_unended(self) -> None:
        """Drop the results of trials that will be run again, so that each has one in the end."""
        drop_results(self.path, lambda key, _: key not in self.finished)


def newest_unfinished(parent: Path, like: Manifest, tell: Callable[[str], None]) -> Progress | None:
    """Find the newest run in a directory, if it has trials left and does what another would do.

    One that is still being written is none to go on with. If it is only changes that keep it from
    being gone on with, they are told.
    """
    newest = max((file.parent for file in parent.glob(f"*/{MANIFEST}")), key=moment, default=None)
    if newest is None or is_held(newest / LOG):
        return None
    try:
        progress = progress_of(newest)
    except UsageError:  # damaged: a new run is begun
        return None
    if not is_unfinished(progress):
        return None
    if changes := changes_since(progress.manifest, like):
        tell(f"{newest} is not gone on with: since it began, {', '.join(changes)}")
        return None
    return progress


def progress_of(path: Path) -> Progress:
    """Read how far a run came, its log once; killed early, it may have none yet."""
    passing = _Passing()
    lines = read_lines(path / LOG) if (path / LOG).exists() else ()
    record = record_from(path, passing.through(lines))
    told = {key for key, _ in _results(path / RESULTS)}  # an ending whose result is lost is none
    return Progress(
        path=path,
        manifest=record.manifest,
        finished=finished_in(record) & told,
        attempts=passing.attempts,
        interrupted=record.ending.interrupted,
        last_seq=passing.last_seq,
        size=passing.size,
        wall_ms=passing.spans.wall_ms(),
        spent_usd=sum(row.tally.usage.cost_usd or 0.0 for row in record.rows),
    )


def finished_lines(progress: Progress) -> Iterator[dict[str, Any]]:
    """Yield the results of the finished trials of a run."""
    for key, line in _results(progress.path / RESULTS):
        if key in progress.finished:
            yield line


def drop_results(path: Path, unwanted: Callable[[Key, dict[str, Any]], bool]) -> None:
    """Drop lines of a run's results, all in one step."""
    results = path / RESULTS
    numbered = enumerate(_results(results))
    dropped = {number for number, (key, line) in numbered if unwanted(key, line)}
    if dropped:
        lines = enumerate(read_lines(results))
        write_whole_lines(results, (line for number, line in lines if number not in dropped))


def is_unfinished(progress: Progress) -> bool:
    """Say whether a run was broken off, or the world outside spoilt some of its trials."""
    manifest = progress.manifest
    ids = (case.id for case in manifest.cases)
    planned = product(ids, range(1, manifest.trials + 1))
    return progress.interrupted or any(key not in progress.finished for key in planned)


def changes_since(found: Manifest, wanted: Manifest, *, whole: bool = False) -> tuple[str, ...]:
    """Tell what keeps a run from being gone on with as something that is wanted now.

    What is wanted may be a part of what the run planned, unless it is to be the whole.
    """
    changes = [*_changes_of_agent(found, wanted), *_changes_of_cases(found, wanted, whole)]
    if whole and found.suite_sha256 != wanted.suite_sha256:
        changes.insert(0, "suite.yaml was edited")
    more = len(changes) - MOST_CHANGES
    return (*changes[:MOST_CHANGES], *([f"and {more} more"] if more > 0 else []))


def _changes_of_agent(found: Manifest, wanted: Manifest) -> Iterator[str]:
    if found.mode != wanted.mode:
        yield f"its mode was changed from {found.mode} to {wanted.mode}"
    if found.trials != wanted.trials:
        yield f"the trials of each case were changed from {found.trials} to {wanted.trials}"
    if found.agent_sha256 != wanted.agent_sha256:
        yield "the way the agent is started was changed (command, variables or directory)"
    if found.versions.get("runledger") != wanted.versions.get("runledger"):
        yield "RunLedger is of another version"
    if found.baseline is not None and found.baseline_sha256 != wanted.baseline_sha256:
        yield f"{found.baseline}, the baseline, was changed"
    yield from hash_changes(found.programs, wanted.programs)


def _changes_of_cases(found: Manifest, wanted: Manifest, whole: bool) -> Iterator[str]:
    before, now = ({case.id: case for case in plan.cases} for plan in (found, wanted))
    others = [id for id in wanted.not_chosen if whole and id not in found.not_chosen]
    yield from (f"case {id} was added" for id in (*now, *others) if id not in before)
    yield from (f"case {id} was removed" for id in before if whole and id not in now)
    for id in filter(now.get, before):
        yield from _changes_of_case(before[id], now[id], wanted.mode)


def _changes_of_case(before: PlannedCase, now: PlannedCase, mode: Mode) -> Iterator[str]:
    if before.sha256 != now.sha256:
        yield f"case {now.id} was edited"
    elif mode != "record" and before.cassette_sha256 != now.cassette_sha256:
        yield f"{before.cassette}, the cassette of case {now.id}, was changed"


class _Passing:
    """What the lines of a log tell while they pass by on their way into a record."""

    def __init__(self) -> None:
        self.attempts: dict[Key, int] = {}
        self.last_seq = 0
        self.size = 0
        self.spans = Spans()

    def through(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the lines as they are, and note what they tell."""
        for line in lines:
            self._note(line)
            yield line

    def _note(self, line: bytes) -> None:
        self.size += len(line)
        self.spans.add(line)
        if found := _SEQ.match(line):
            self.last_seq = int(found[1])
        if place := place_of(line):
            case_id, (trial, attempt) = place
            self.attempts[case_id, trial] = max(attempt, self.attempts.get((case_id, trial), 0))


def _results(path: Path) -> Iterator[tuple[Key, dict[str, Any]]]:
    """Yield the results of a run, each with the trial it tells of; there may be none yet."""
    lines = read_lines(path) if path.exists() else ()
    return each_line(lines, path, "result of a run", _result)


def _result(line: bytes) -> tuple[Key, dict[str, Any]]:
    result = decode(line)
    return (str(result["id"]), int(result["trial"])), result
