"""A run's directory: made exclusively, found again, and its record read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import StoreError, UsageError
from ..ledger.clock import Clock
from ..ledger.grade import Failure
from ..ledger.manifest import Manifest
from ..ledger.run import UNENDED, RunRecord, TrialRow
from ..ledger.value import Json
from . import disk
from .each_line import each_line
from .ending import ending_from
from .lines import decode, read_lines
from .manifest import MANIFEST, read_manifest
from .rows import failure_from, row_from

LOG, RESULTS = "run.jsonl", "results.jsonl"
PLAN = "plan.jsonl"  # only experiments have one
TRIES = 100
_TYPES = ("run_start", "failure", "case_end", "run_end")
_MARKS = tuple(f'"type":"{type}"'.encode() for type in _TYPES)
RESERVED = frozenset({"seq", "ts", "case_id", "trial", "attempt", "condition", "type"})
"""The keys of a log's lines that are the record's own."""

Key: TypeAlias = tuple[str, int]  # a case, and the number of a trial of it


def timestamp(unix: float) -> str:
    """Write a moment as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def make_run_directory(parent: Path, clock: Clock) -> Path:
    """Make a directory of its own for a run, named after the moment and six random digits."""
    moment = datetime.fromtimestamp(clock.unix(), UTC).strftime("%Y%m%d-%H%M%S")
    for _ in range(TRIES):
        path = parent / f"{moment}-{clock.draw()}"
        try:
            disk.make_directory(path, parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise StoreError(f"could not make {path}: {error.strerror or error}") from error
        return path
    raise StoreError(f"could not make a directory for this run in {parent}: all names are taken")


def finished_in(record: RunRecord) -> frozenset[Key]:
    """List the trials that need not be run again: all that ended, but for faults of the world."""
    return frozenset((row.case_id, row.trial) for row in record.rows if not is_void(row))


def is_void(row: TrialRow) -> bool:
    """Say whether a trial told nothing of the agent, since the world outside failed."""
    return any(one.type in ("spawn_failed", "internal_error") for one in row.failures)


def find_run(name: str, output_dir: Path, of: str = "*") -> Path:
    """Find a run by its directory or a file in it, by its id, or the latest one; `of` a suite."""
    given = Path(name) if Path(name).is_dir() else Path(name).parent
    if Path(name).exists() and (given / MANIFEST).is_file():
        return given
    runs = {file.parent.name: file.parent for file in output_dir.glob(f"{of}/*/{MANIFEST}")}
    if Path(name).is_file():
        return _run_of(Path(name), sorted(runs.values(), key=moment, reverse=True), output_dir)
    if name == "latest" and runs:
        return max(runs.values(), key=moment)
    if name in runs:
        return runs[name]
    if name == "latest":
        raise UsageError(f"there is no run in {output_dir if of == '*' else output_dir / of}")
    raise UsageError(f"no such run: {name} (a run directory, a run id in {output_dir}, or latest)")


def _run_of(results: Path, runs: Sequence[Path], output_dir: Path) -> Path:
    """Find the run that a file of results is a view of: by when its first trial began."""
    wanted = _beginning(next(read_lines(results), b""))
    for run in runs if wanted else ():
        if any(_beginning(line) == wanted for line in read_lines(run / RESULTS)):
            return run
    raise UsageError(f"{results} is of no run in {output_dir}: name a run, or use --output-dir")


def _beginning(line: bytes) -> tuple[Json, Json] | None:
    """Give which task a result is of, and when it began; of trials, there is no telling."""
    try:
        result = decode(line)
        return result["id"], result["timing"]["start"]
    except (ValueError, KeyError, TypeError):
        return None


def moment(run: Path) -> tuple[str, int]:
    """Give the second of a run's name and, among equal ones, when its manifest was written."""
    return run.name[: len("YYYYMMDD-HHMMSS")], (run / MANIFEST).stat().st_mtime_ns


def read_run(path: Path) -> RunRecord:
    """Read what a run's record says about it, without the events of its trials."""
    if (path / PLAN).exists():
        raise UsageError(f"{path} is a run of an experiment: use runledger bench report {path}")
    return record_from(path, read_lines(path / LOG))


def refuse_links(path: Path) -> None:
    """Refuse a run directory in which a name leads elsewhere: what is written there is not ours."""
    for file in (*path.glob("*"), *path.glob("runs/*")):
        if file.is_symlink():
            raise UsageError(
                f"{file} is a symbolic link to {file.readlink()}: a run's files must be its own; "
                "put a copy in its place"
            )


def record_from(path: Path, lines: Iterable[bytes]) -> RunRecord:
    """Make the record of a run of its manifest and the lines of its log."""
    refuse_links(path)
    manifest = read_manifest(path)
    gathering = _Gathering(manifest)
    try:
        for _ in each_line(lines, path / LOG, "event of a run", gathering.take):
            pass
    except FileNotFoundError:
        raise UsageError(f"{path} holds no run: it has no {LOG}") from None
    return RunRecord(manifest, gathering.rows(), gathering.ending)


class _Gathering:
    """What a record of a run is made of, while the lines of its log pass by."""

    def __init__(self, manifest: Manifest) -> None:
        self.ending = UNENDED
        self._planned = {case.id: index for index, case in enumerate(manifest.cases)}
        self._rows: dict[tuple[int, int], TrialRow] = {}
        self._failures: dict[tuple[str, int, int], list[Failure]] = {}

    def rows(self) -> tuple[TrialRow, ...]:
        """Give the trials that ended, in the plan's order."""
        return tuple(self._rows[place] for place in sorted(self._rows))

    def take(self, line: bytes) -> None:
        """Take what a line tells of the record; most are passed over unparsed."""
        if any(mark in line for mark in _MARKS):
            self._take(decode(line))

    def _take(self, event: Mapping[str, Any]) -> None:
        key = (event.get("case_id", ""), event.get("trial", 0), event.get("attempt", 0))
        match event["type"]:
            case "failure":
                self._failures.setdefault(key, []).append(failure_from(event["failure"]))
            case "case_end":
                row = row_from(event, tuple(self._failures.pop(key, ())))
                self._rows[self._planned.get(row.case_id, len(self._planned)), row.trial] = row
            case "run_start":  # one that is gone on with has yet to end again
                self.ending = UNENDED
            case "run_end":
                self.ending = ending_from(event)
