"""runs/timing.csv: how long every attempt took, under the model that its launch was answered by."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from ...ledger.attempt import Attempt
from ...ledger.findings import BenchRecord
from ...ledger.printable import one_line

MODEL_ROW = "model_mapping"
UNKNOWN = "unknown"


def render(record: BenchRecord) -> str:
    """Write a row for the model of each launch, and below it one for each of its attempts."""
    text = StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for attempts in _by_launch(record):
        rows.writerow([MODEL_ROW, _no_formula(one_line(_model(attempts)))])
        rows.writerows(map(_row, attempts))
    return text.getvalue()


def _by_launch(record: BenchRecord) -> Iterator[Sequence[Attempt]]:
    """Yield the attempts of each launch that had any."""
    others = record.firsts[1:]
    starts, ends = [0, *others], [*others, len(record.attempts)]
    for start, end in zip(starts, ends, strict=True):
        if attempts := record.attempts[start:end]:
            yield attempts


def _model(attempts: Sequence[Attempt]) -> str:
    return next((one.model for one in attempts if one.model), UNKNOWN)


def _no_formula(text: str) -> str:
    """Keep a table's program from reckoning with what an agent calls its model."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def _row(attempt: Attempt) -> Sequence[str]:
    slot = attempt.slot
    return slot.task_id, slot.condition, f"{attempt.duration_s:.3f}", str(attempt.number)
