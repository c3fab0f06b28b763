"""A run's directory: made exclusively, its event log appended to, its record read back."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import StoreError, UsageError
from ..ledger.clock import Clock
from ..ledger.event import Happening, ToolCall, ToolResult, fields_of
from ..ledger.manifest import Manifest, PlannedCase
from ..ledger.run import UNENDED, Ending, RunRecord, TrialRow
from ..ledger.task import Trial
from ..ledger.value import Json
from .ending import ending_fields, ending_from
from .lines import LineLog, decode, encode, read_lines, write_whole
from .manifest import MANIFEST, manifest_fields, read_manifest
from .redact.memory import Memory
from .rows import failure_from, row_fields, row_from

LOG, RESULTS = "run.jsonl", "results.jsonl"
TRIES = 100
_SEQ = re.compile(rb'\{"seq":(\d+),')

Key: TypeAlias = tuple[str, int]  # a case, and the number of a trial of it

Redact: TypeAlias = Callable[[Json], Json]
"""Take the secrets out of a value."""


def timestamp(unix: float) -> str:
    """Write a moment as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(unix, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def make_run_directory(parent: Path, clock: Clock) -> Path:
    """Make a directory of its own for a run, named after the moment and six random digits."""
    moment = datetime.fromtimestamp(clock.unix(), UTC).strftime("%Y%m%d-%H%M%S")
    for _ in range(TRIES):
        path = parent / f"{moment}-{clock.draw()}"
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise StoreError(f"could not make {path}: {error.strerror or error}") from error
        return path
    raise StoreError(f"could not make a directory for this run in {parent}: all names are taken")


class RunWriter:
    """The one door through which a run's record reaches the disk.

    With a manifest it begins the record; without one, it goes on with the record that is there.
    """

    def __init__(
        self, path: Path, manifest: Manifest | None, clock: Clock, secrets: Sequence[str] = ()
    ) -> None:
        self.path = path
        self._clock = clock
        self._memory = Memory(secrets)
        self._lock = threading.Lock()
        if manifest is not None:
            fields = manifest_fields(_without_secrets(manifest, self._memory.clean))
            write_whole(path / MANIFEST, encode(fields, indent=True) + b"\n")
        self._log = LineLog(path / LOG, alone=True)
        if manifest is None:
            _drop_unended(path)
        self._results = LineLog(path / RESULTS)
        self._seq = 0 if manifest is not None else _last_seq(path / LOG)

    def start(self, fields: Mapping[str, Json]) -> None:
        """Note that the run begins."""
        self._append({"type": "run_start", **fields})

    def note(self, trial: Trial, what: Happening) -> None:
        """Note that something happened in a trial."""
        ids = ("call_id",) if isinstance(what, (ToolCall, ToolResult)) else ()
        own = _own(self._clean(trial, fields_of(what), ids))
        self._append({**_place(trial), "type": what.type, **own})

    def end_trial(
        self, trial: Trial, row: TrialRow, result: Mapping[str, Json]
    ) -> Mapping[str, Json]:
        """Note how a trial ended: its result first, so that an ending always has one.

        Give the result as it was written, without its secrets.
        """
        line = self._clean(trial, result, ("id",))
        self._results.append(line)
        self._append({**_place(trial), "type": "case_end", **self._clean(trial, row_fields(row))})
        self._memory.forget(_key(trial))
        return line

    def end(self, ending: Ending) -> None:
        """Note that the run ends, and make sure that all of it is on the disk."""
        self._append({"type": "run_end", **ending_fields(ending)})
        self._results.sync()
        self._log.sync()

    def close(self) -> None:
        """Let go of the files, however the run went."""
        self._results.close()
        self._log.close()

    def clean(self, value: Json) -> Json:
        """Take out of a value what no record may hold."""
        return self._memory.clean(value)

    def _clean(
        self, trial: Trial, fields: Mapping[str, Json], ids: Sequence[str] = ()
    ) -> dict[str, Json]:
        """Take the secrets out; the ids by which things are found again stay as they are."""
        clean = self._memory.clean(fields, _key(trial))
        assert isinstance(clean, Mapping)
        return {**clean, **{name: fields[name] for name in ids}}

    def _append(self, fields: Mapping[str, Json]) -> None:
        with self._lock:  # so that the numbers stand in the order of the lines
            self._seq += 1
            moment = timestamp(self._clock.unix())
            self._log.append({"seq": self._seq, "ts": moment, **fields})


def finished_in(record: RunRecord) -> frozenset[Key]:
    """List the trials that need not be run again: all that ended, but for faults of the world."""
    return frozenset((row.case_id, row.trial) for row in record.rows if not is_void(row))


def is_void(row: TrialRow) -> bool:
    """Say whether a trial told nothing of the agent, since the world outside failed."""
    return any(one.type in ("spawn_failed", "internal_error") for one in row.failures)


def _drop_unended(path: Path) -> None:
    """Drop the results of trials that will be run again, so that each has one in the end."""
    finished = finished_in(read_run(path))
    results = path / RESULTS
    if not results.exists() or all(_result_key(line) in finished for line in read_lines(results)):
        return
    kept = (line for line in read_lines(results) if _result_key(line) in finished)
    write_whole(results, b"".join(kept))


def _result_key(line: bytes) -> Key:
    result = decode(line)
    return result["id"], result["trial"]


def _last_seq(path: Path) -> int:
    last = 0
    for line in read_lines(path):
        if found := _SEQ.match(line):
            last = int(found[1])
    return last


def _without_secrets(manifest: Manifest, redact: Redact) -> Manifest:
    """Take the secrets out of what a person wrote; ids, tags and hashes are compared later."""
    command = redact(list(manifest.command))
    assert isinstance(command, list)
    cases = [replace(case, description=_told(case, redact)) for case in manifest.cases]
    return replace(manifest, command=tuple(map(str, command)), cases=tuple(cases))


def _told(case: PlannedCase, redact: Redact) -> str | None:
    return None if case.description is None else str(redact(case.description))


def find_run(name: str, output_dir: Path) -> Path:
    """Find a run by its directory or a file in it, by its id, or the latest one."""
    given = Path(name) if Path(name).is_dir() else Path(name).parent
    if Path(name).exists() and (given / MANIFEST).is_file():
        return given
    runs = {file.parent.name: file.parent for file in output_dir.glob(f"*/*/{MANIFEST}")}
    if name == "latest" and runs:
        return max(runs.values(), key=_moment)
    if name in runs:
        return runs[name]
    if name == "latest":
        raise UsageError(f"there is no run in {output_dir}")
    raise UsageError(f"no such run: {name} (a run directory, a run id in {output_dir}, or latest)")


def _moment(run: Path) -> tuple[str, int]:
    """Give the second of a run's name and, among equal ones, when its manifest was written."""
    return run.name[: len("YYYYMMDD-HHMMSS")], (run / MANIFEST).stat().st_mtime_ns


def read_run(path: Path) -> RunRecord:
    """Read what a run's record says about it, without the events of its trials."""
    try:
        return _read_run(path)
    except OSError as error:
        raise UsageError(f"the record in {path} cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the record in {path} is damaged: {error}") from error


def _read_run(path: Path) -> RunRecord:
    manifest = read_manifest(path)
    planned = {case.id: index for index, case in enumerate(manifest.cases)}
    rows: dict[tuple[int, int], TrialRow] = {}
    failures: dict[tuple[str, int, int], list[Mapping[str, Json]]] = {}
    ending = UNENDED
    for event in _events(path / LOG):
        key = (event.get("case_id", ""), event.get("trial", 0), event.get("attempt", 0))
        match event["type"]:
            case "failure":
                failures.setdefault(key, []).append(event["failure"])
            case "case_end":
                found = tuple(failure_from(one) for one in failures.pop(key, []))
                rows[planned.get(key[0], len(planned)), key[1]] = row_from(event, found)
            case "run_end":
                ending = ending_from(event)
    return RunRecord(manifest, tuple(rows[place] for place in sorted(rows)), ending)


def _events(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events that a record of a run is made of, passing over the rest unparsed."""
    for line in read_lines(path):
        if b'"type":"case_end"' in line or b'"type":"failure"' in line or b'"run_end"' in line:
            event = decode(line)
            if event["type"] in ("case_end", "failure", "run_end"):
                yield event


def _key(trial: Trial) -> tuple[str, int, int, str | None]:
    return trial.task.id, trial.number, trial.attempt, trial.condition


def _place(trial: Trial) -> dict[str, Json]:
    place: dict[str, Json] = {
        "case_id": trial.task.id,
        "trial": trial.number,
        "attempt": trial.attempt,
    }
    return place if trial.condition is None else {**place, "condition": trial.condition}


RESERVED = frozenset({"seq", "ts", "case_id", "trial", "attempt", "condition", "type"})


def _own(fields: dict[str, Json]) -> dict[str, Json]:
    """Keep an agent's extra keys from taking the place of ours."""
    if RESERVED.isdisjoint(fields):
        return fields
    return {f"x_{key}" if key in RESERVED else key: value for key, value in fields.items()}
