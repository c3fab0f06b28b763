"""report.html of an experiment: the verdict, what it rests on, and both answers side by side."""

from __future__ import annotations

from ...ledger.findings import BenchRecord, Findings
from ..report.one_file import SHARED, Room, Source, assemble, assets, packed, scripts
from .report.overview import overview_of
from .report.rows import rows_line, task_rows
from .report.tasks import task_lines

OWN = "runledger.views.experiment"
ROOM = Room(packed=8_000_000, plain=100_000_000)
SHARED_SCRIPTS = ("text", "blocks", "unpack", "frame")
OWN_SCRIPTS = ("rows", "list", "answer", "verdicts", "task", "page")


def render(record: BenchRecord, findings: Findings, room: Room = ROOM) -> str:
    """Write report.html; where it has no room, the tasks that differ least lose their answers."""
    source = Source(
        template=assets(OWN, "page.html"),
        style=assets(SHARED, "look.css") + "\n" + assets(OWN, "page.css"),
        script=scripts(SHARED, SHARED_SCRIPTS) + "\n" + scripts(OWN, OWN_SCRIPTS),
    )
    return assemble(source, overview_of(record, findings), _packed(record, findings, room))


def _packed(record: BenchRecord, findings: Findings, room: Room) -> bytes:
    rows = task_rows(record, findings)
    line_of = task_lines(record, findings)
    return packed(rows_line(record, rows), map(line_of, rows), room)
