"""The files of an experiment's run: its plan, its attempts, and how far it came."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..ledger.attempt import Attempt, PlannedRun, Slot
from ..ledger.experiment import Experiment
from ..ledger.findings import BenchRecord, BenchStatus, Launch
from ..ledger.fingerprint import preview
from ..ledger.run import UNENDED, Ending
from ..ledger.settled import settle
from ..ledger.sound import sound
from ..ledger.value import Json
from .attempts import Tried, attempt_from, tried_in
from .each_line import each_line
from .ending import ending_from
from .lines import decode, encode_line, is_held, read_lines
from .manifest import read_manifest
from .resume import drop_results
from .rundir import LOG, PLAN, RESULTS, moment, refuse_links
from .spans import Spans
from .verdicts import VERDICTS, read_verdicts
from .whole import write_whole_lines

DISCARDS, DECIDED, MONEY = "too many discards", "decided early", "the money is spent"
_TYPES = ("run_start", "case_end", "run_end")
_MARKS = tuple(f'"type":"{type}"'.encode() for type in _TYPES)
_SEQ = re.compile(rb'\{"seq":(\d+),')
_PLACE = re.compile(
    rb'\{"seq":\d+,"ts":"[^"]*","case_id":"([^"]*)","trial":(\d+),"attempt":(\d+),'
    rb'"condition":"([^"]*)",'
)


@dataclass(frozen=True, slots=True)
class BenchLog:
    """What the event log of an experiment's run tells of its course."""

    path: Path
    ended: frozenset[Tried] = frozenset()
    tries: Mapping[Slot, int] = field(default_factory=dict)  # the last number, ended or not
    launches: tuple[Launch, ...] = ()
    firsts: tuple[int, ...] = ()
    sequential: bool = False
    ending: Ending = UNENDED
    wall_ms: int = 0  # of all launches together
    last_seq: int = 0
    size: int = 0

    def drop_unended(self) -> None:
        """Drop the results of attempts whose end is not in the log."""
        drop_results(self.path, lambda _, line: tried_in(line) not in self.ended)


def write_plan(path: Path, plan: Iterable[PlannedRun]) -> None:
    """Write plan.jsonl, before anything runs."""
    write_whole_lines(path / PLAN, (encode_line(_plan_fields(run)) for run in plan))


def read_plan(path: Path) -> tuple[PlannedRun, ...]:
    """Read plan.jsonl."""
    file = path / PLAN
    try:
        return tuple(each_line(read_lines(file), file, "run of a plan", _planned))
    except FileNotFoundError:
        raise UsageError(f"{path} is no run of an experiment: it has no {PLAN}") from None


def find_benches(output_dir: Path, name: str, sha256: str | None = None) -> list[Path]:
    """List the runs of an experiment that are planned at least, the newest first.

    With a hash, only those of that very protocol.
    """
    planned = (file.parent for file in output_dir.glob(f"*/{PLAN}"))
    found = [path for path in planned if _is_of(path, name, sha256)]
    return sorted(found, key=moment, reverse=True)


def read_bench(path: Path, experiment: Experiment) -> BenchRecord:
    """Read what the files of a run say, or say which of them is damaged."""
    refuse_links(path)
    log, plan = read_log(path), read_plan(path)
    if experiment.seed is None:
        raise UsageError(f"{path} does not tell the seed of its plan")
    _refuse_torn_plan(path, plan, experiment)
    attempts = tuple(_attempts(path, log, experiment))
    return BenchRecord(
        run_id=path.name,
        experiment=experiment,
        seed=experiment.seed,
        plan=plan,
        attempts=attempts,
        verdicts=read_verdicts(path / VERDICTS),
        launches=log.launches,
        firsts=log.firsts,
        status=_status(log, attempts, plan),
        sequential=log.sequential,
        stopped=log.ending.stopped,
        wall_ms=log.wall_ms,
    )


def read_log(path: Path) -> BenchLog:
    """Read how far a run came, its log once."""
    reading = _Reading()
    file = path / LOG
    for _ in each_line(_lines_of(file), file, "event of a run", reading.read):
        pass
    return BenchLog(
        path=path,
        ended=frozenset(reading.ended),
        tries=reading.tries,
        launches=tuple(reading.launches),
        firsts=tuple(reading.firsts),
        sequential=reading.sequential,
        ending=reading.ending,
        wall_ms=reading.spans.wall_ms(),
        last_seq=reading.last_seq,
        size=reading.size,
    )


class _Reading:
    """What the lines of a log tell while they pass by."""

    def __init__(self) -> None:
        self.ended: set[Tried] = set()
        self.tries: dict[Slot, int] = {}
        self.launches: list[Launch] = []
        self.firsts: list[int] = []
        self.sequential = False
        self.ending = UNENDED
        self.last_seq = self.size = 0
        self.spans = Spans()

    def read(self, line: bytes) -> None:
        """Take note of a line."""
        self.size += len(line)
        self.spans.add(line)
        found = _SEQ.match(line)
        if found is None or int(found[1]) <= self.last_seq:
            raise ValueError(f"after event {self.last_seq} comes no further one")
        self.last_seq = int(found[1])
        place = _place(line)
        if place is not None:
            slot, attempt = place
            self.tries[slot] = max(attempt, self.tries.get(slot, 0))
        if any(mark in line for mark in _MARKS):
            self._read_event(decode(line), place)

    def _read_event(self, event: Mapping[str, Any], place: Tried | None) -> None:
        match event["type"]:
            case "case_end" if place is not None:
                self.ended.add(place)
            case "run_start":
                self.launches.append(sound(Launch(event["ts"], event.get("pid"))))
                self.firsts.append(len(self.ended))
                self.sequential = self.sequential or event.get("sequential") is True
                self.ending = UNENDED
            case "run_end":
                self.ending = ending_from(event)


def _lines_of(file: Path) -> Iterable[bytes]:
    """Give the lines of a file that may not be there yet."""
    return read_lines(file) if file.exists() else ()


def _place(line: bytes) -> Tried | None:
    found = _PLACE.match(line)
    if found is None:
        return None
    return Slot(found[1].decode(), found[4].decode(), int(found[2])), int(found[3])


def _attempts(path: Path, log: BenchLog, experiment: Experiment) -> Iterator[Attempt]:
    """Yield the attempts whose end is in the log; a kill may leave few results without theirs."""
    file = path / RESULTS
    slots = _slots(experiment)
    unended = 0

    def read(line: bytes) -> Attempt:
        return _of_plan(attempt_from(decode(line)), slots)

    for attempt in each_line(_lines_of(file), file, "result of the experiment", read):
        if (attempt.slot, attempt.number) in log.ended:
            yield attempt
        else:
            unended += 1
    if unended > experiment.parallel_tasks:
        raise UsageError(
            f"{path / LOG} is damaged: it does not know of {unended} results in {RESULTS}"
        )


def _refuse_torn_plan(path: Path, plan: Sequence[PlannedRun], experiment: Experiment) -> None:
    wanted = _slots(experiment)
    if {run.slot for run in plan} != wanted:
        told = f"it has {len(plan)} runs, and the experiment {len(wanted)}"
        raise UsageError(f"{path / PLAN} is damaged: {told}")


def _slots(experiment: Experiment) -> set[Slot]:
    return {
        Slot(task.id, condition.name, trial)
        for task in experiment.tasks
        for condition in experiment.conditions
        for trial in range(1, experiment.trials + 1)
    }


def _of_plan(attempt: Attempt, slots: Collection[Slot]) -> Attempt:
    """Give an attempt that the plan knows of: files are named after its task and condition."""
    if attempt.slot not in slots:
        raise ValueError(f"it is of {preview(attempt.slot)}, which is not in the plan")
    return attempt


def _status(log: BenchLog, attempts: Iterable[Attempt], plan: Sequence[PlannedRun]) -> BenchStatus:
    if is_held(log.path / LOG):
        return "running"
    if not log.launches:
        return "planned"
    if log.ending.stopped == DISCARDS:
        return "invalid"
    if log.ending.stopped == DECIDED:
        return "done"
    counting = settle(attempts, sorted({run.slot.condition for run in plan})).counting
    return "done" if all(run.slot in counting for run in plan) else "interrupted"


def _is_of(path: Path, name: str, sha256: str | None) -> bool:
    try:
        manifest = read_manifest(path)
    except UsageError:  # damaged, or of another version: none to go on with
        return False
    return manifest.suite_name == name and sha256 in (None, manifest.suite_sha256)


def _plan_fields(run: PlannedRun) -> dict[str, Json]:
    return {
        "run": run.number,
        "task_id": run.slot.task_id,
        "condition": run.slot.condition,
        "trial": run.slot.trial,
        "place": run.place,
    }


def _planned(raw: bytes) -> PlannedRun:
    line = decode(raw)
    slot = Slot(line["task_id"], line["condition"], line["trial"])
    return sound(PlannedRun(line["run"], slot, line["place"]))
