"""The record of one trial, written and read back: what its files say of what happened."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from runledger.harness.grading import row_of
from runledger.ledger.captured import captured_from
from runledger.ledger.clock import Clock
from runledger.ledger.event import Event, Happening
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.result import capture_result
from runledger.ledger.run import TrialRow
from runledger.ledger.task import Task, Trial
from runledger.ledger.trajectory import CassetteUse, Exit, Trajectory
from runledger.ledger.usage import Limits
from runledger.store.record import begin_record
from runledger.store.rundir import LOG, RESULTS, read_run
from runledger.store.traces import TraceLog

ID = "refund-case_1"
SIGNAL = "SIGRTMIN+3"
LIMITS = Limits(max_tokens_out=9, max_cost_usd=1.0)
TRIAL = Trial(Task(ID, {"q": "where is order_nr 77?"}, limits=LIMITS), repeated=True)

_CLOCK = Clock(unix=lambda: 1_700_000_000.0, monotonic=lambda: 5.0)
_PLANNED = Manifest("r1", "demo", "replay", "2023-11-14T22:13:20.000Z", cases=(PlannedCase(ID),))
_ENDED = Exit(signal=SIGNAL), CassetteUse("c.jsonl", "abc", 3, 2, 1)


class ReadBack(NamedTuple):
    """What the files of a run say."""

    row: TrialRow
    events: tuple[Happening, ...]
    line: dict[str, Any]
    text: str  # of both files


def read_back(said: Sequence[Happening], tools: Sequence[str] = ()) -> ReadBack:
    """Write the record of a trial in which this happened, and read all of it back."""
    events = tuple(Event(number, what) for number, what in enumerate(said))
    trajectory = Trajectory(TRIAL, 1_700_000_000_000, 12, events, *_ENDED)
    row = row_of(trajectory)
    with TemporaryDirectory() as folder:
        path = Path(folder)
        writer = begin_record(path, _PLANNED, _CLOCK, (), tools)
        for what in said:
            writer.note(TRIAL, what)
        writer.end_trial(TRIAL, row, capture_result(trajectory, row.status, "agent"))
        writer.close()
        return _read(path)


def _read(path: Path) -> ReadBack:
    (row,) = read_run(path).rows
    (trace,) = TraceLog(path / LOG).of(ID)
    line = json.loads((path / RESULTS).read_text())
    assert [one.id for one in captured_from(line)] == [ID]
    text = (path / LOG).read_text() + (path / RESULTS).read_text()
    return ReadBack(row, tuple(event.what for event in trace.events), line, text)
