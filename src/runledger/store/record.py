"""The record of a run as it is written: begun, or gone on with, and added to as things happen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeAlias

from ..errors import StoreError
from ..ledger.clock import Clock
from ..ledger.event import Happening, Raw, ToolCall, ToolResult, fields_of
from ..ledger.manifest import Manifest, PlannedCase
from ..ledger.run import Ending, TrialRow
from ..ledger.task import Trial
from ..ledger.value import Json
from .ending import ending_fields
from .lines import LineLog, encode
from .manifest import MANIFEST, manifest_fields
from .own_words import laid_over, words_of_event, words_of_result, words_of_row
from .pieces import Held, Pieces
from .redact.memory import Memory
from .rows import row_fields
from .rundir import LOG, RESERVED, RESULTS, timestamp
from .whole import write_whole


class Unfinished(Protocol):
    """A run that can be gone on with: where it is, and where its log ends."""

    @property
    def path(self) -> Path:
        """Give the run's directory."""

    @property
    def size(self) -> int:
        """Count the bytes of the whole lines of its log."""

    @property
    def last_seq(self) -> int:
        """Give the number of the last line of its log."""

    def drop_unended(self) -> None:
        """Drop the results of what will be done again, so that each has one in the end."""


Redact: TypeAlias = Callable[[Json], Json]
"""Take the secrets out of a value."""


def begin_record(
    path: Path,
    manifest: Manifest,
    clock: Clock,
    secrets: Sequence[str] = (),
    names: Sequence[str] = (),
) -> RunWriter:
    """Begin the record of a run in a directory of its own, its manifest first.

    `names` are those of the suite's tools, which no agent can make secrets.
    """
    memory = Memory(secrets, names)
    fields = manifest_fields(_without_secrets(manifest, memory.clean))
    write_whole(path / MANIFEST, encode(fields, indent=True) + b"\n")
    with _held(path / LOG) as log:
        return RunWriter(log, LineLog(path / RESULTS), clock, memory)


def continue_record(
    progress: Unfinished, clock: Clock, secrets: Sequence[str] = (), names: Sequence[str] = ()
) -> RunWriter:
    """Go on with the record of a run that was broken off, made fit for it."""
    path = progress.path
    with _held(path / LOG) as log:
        if log.size != progress.size:
            raise StoreError(f"another process has gone on with the run in {path}; start again")
        progress.drop_unended()
        results = LineLog(path / RESULTS)
        return RunWriter(log, results, clock, Memory(secrets, names), progress.last_seq)


@contextmanager
def _held(path: Path) -> Iterator[LineLog]:
    """Hold a log alone, and let go of it if what follows fails."""
    log = LineLog(path, alone=True)
    try:
        yield log
    except BaseException:
        log.close()
        raise


class RunWriter:
    """The one door through which a run's record reaches the disk."""

    def __init__(
        self, log: LineLog, results: LineLog, clock: Clock, memory: Memory, last_seq: int = 0
    ) -> None:
        self.path = log.path.parent
        self.clock = clock
        self._memory = memory
        self._pieces = Pieces(memory.clean)
        self._lock = threading.Lock()
        self._log = log
        self._results = results
        self._seq = last_seq

    def start(self, fields: Mapping[str, Json]) -> None:
        """Note that the run begins."""
        self._append({"type": "run_start", **fields})

    def note(self, trial: Trial, what: Happening) -> None:
        """Note that something happened in a trial; pieces of a text wait until it is whole."""
        key = _key(trial)
        if isinstance(what, Raw) and self._pieces.wants(key, what):
            for held in self._pieces.hold(key, Held(self._now(), what)):
                self._write(trial, held.raw, held.moment)
            return
        self._release(trial)
        self._write(trial, what, self._now())

    def _release(self, trial: Trial) -> None:
        for held in self._pieces.release(_key(trial)):
            self._write(trial, held.raw, held.moment)

    def _write(self, trial: Trial, what: Happening, moment: str) -> None:
        fields = fields_of(what)
        clean = self._clean(trial, fields)
        if clean is not fields:
            words = words_of_event(what, self._memory.clean)
            ids = {"call_id": fields["call_id"]} if self._has_clean_id(trial, what) else {}
            clean = laid_over(clean, {**words, **ids})
        self._append({**_place(trial), "type": what.type, **_own(clean)}, moment)

    def _has_clean_id(self, trial: Trial, what: Happening) -> bool:
        """Say whether this is of a call whose id may be told; an agent can choose any."""
        if not isinstance(what, (ToolCall, ToolResult)):
            return False
        return not self._memory.knows(what.call_id, _key(trial))

    def end_trial(
        self,
        trial: Trial,
        row: TrialRow,
        result: Mapping[str, Json],
        own: Mapping[str, Json] = MappingProxyType({}),
    ) -> Mapping[str, Json]:
        """Note how a trial ended: its result first, so that an ending always has one.

        Give the result as it was written, without its secrets; `own` are words of ours beside it,
        by which things are found again.
        """
        self._release(trial)
        line = laid_over(self._cleaned_result(trial, result), own)
        self._results.append(line)
        self._append({**_place(trial), "type": "case_end", **self._cleaned_row(trial, row)})
        self._memory.forget(_key(trial))
        return line

    def _cleaned_result(self, trial: Trial, result: Mapping[str, Json]) -> Mapping[str, Json]:
        clean = self._clean(trial, result)
        if clean is result:
            return result
        return laid_over(clean, words_of_result(result, clean, self._memory.clean))

    def _cleaned_row(self, trial: Trial, row: TrialRow) -> Mapping[str, Json]:
        fields = row_fields(row)
        clean = self._clean(trial, fields)
        return fields if clean is fields else laid_over(clean, words_of_row(fields))

    def end(self, ending: Ending) -> None:
        """Note that the run ends, once all of it is on the disk: else it has not ended."""
        self._results.sync()
        with self._lock:
            self._log.conclude(self._numbered({"type": "run_end", **ending_fields(ending)}))
            self._seq += 1

    def close(self) -> None:
        """Let go of the files, however the run went."""
        self._results.close()
        self._log.close()

    def _clean(self, trial: Trial, fields: Mapping[str, Json]) -> Mapping[str, Json]:
        """Take the secrets out; the same object comes back when there are none."""
        clean = self._memory.clean(fields, _key(trial))
        assert isinstance(clean, Mapping)
        return clean

    def _append(self, fields: Mapping[str, Json], moment: str | None = None) -> None:
        with self._lock:  # so that the numbers stand in the order of the lines
            self._log.append(self._numbered(fields, moment))
            self._seq += 1  # not before: what could not be written leaves no gap

    def _numbered(self, fields: Mapping[str, Json], moment: str | None = None) -> dict[str, Json]:
        return {"seq": self._seq + 1, "ts": moment or self._now(), **fields}

    def _now(self) -> str:
        return timestamp(self.clock.unix())


def _without_secrets(manifest: Manifest, redact: Redact) -> Manifest:
    """Take the secrets out of what a person wrote; ids, tags and hashes are compared later."""
    command = redact(list(manifest.command))
    assert isinstance(command, list)
    cases = [replace(case, description=_told(case, redact)) for case in manifest.cases]
    return replace(manifest, command=tuple(map(str, command)), cases=tuple(cases))


def _told(case: PlannedCase, redact: Redact) -> str | None:
    return None if case.description is None else str(redact(case.description))


def _key(trial: Trial) -> tuple[str, int, int, str | None]:
    return trial.task.id, trial.number, trial.attempt, trial.condition


def _place(trial: Trial) -> dict[str, Json]:
    place: dict[str, Json] = {
        "case_id": trial.task.id,
        "trial": trial.number,
        "attempt": trial.attempt,
    }
    return place if trial.condition is None else {**place, "condition": trial.condition}


def _own(fields: Mapping[str, Json]) -> Mapping[str, Json]:
    """Keep an agent's extra keys from taking the place of ours."""
    if RESERVED.isdisjoint(fields):
        return fields
    return {f"x_{key}" if key in RESERVED else key: value for key, value in fields.items()}
