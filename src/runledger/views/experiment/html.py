"""report.html of an experiment: the verdict, what it rests on, and both answers side by side."""

from __future__ import annotations

from ...ledger.findings import BenchRecord, Findings
from ..report.one_file import Room, Source, assemble, packed
from .report.overview import overview_of
from .report.rows import rows_line, task_rows
from .report.tasks import task_lines

SOURCE = Source(
    "runledger.views.experiment",
    ("experiment", "rows", "list", "answer", "verdicts", "task"),
)
ROOM = Room(packed=8_000_000, plain=100_000_000)


def render(record: BenchRecord, findings: Findings, room: Room = ROOM) -> str:
    """Write report.html; where it has no room, the tasks that differ least lose their answers."""
    return assemble(SOURCE, overview_of(record, findings), _packed(record, findings, room))


def _packed(record: BenchRecord, findings: Findings, room: Room) -> bytes:
    rows = task_rows(record, findings)
    line_of = task_lines(record, findings)
    return packed(rows_line(record, rows), map(line_of, rows), room)
