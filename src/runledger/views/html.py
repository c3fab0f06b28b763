"""report.html: the run for a person who wants to know why, in one file that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from ..ledger.run import Summary
from ..store.traces import Trace
from .report.one_file import SHARED, Room, Source, assemble, packed
from .report.overview import overview_of
from .report.rows import by_need, rows_line
from .report.trials import case_line

PACKED_BYTES = 8_000_000  # of all traces
PLAIN_BYTES = 100_000_000
SOURCE = Source(SHARED, ("run", "rows", "plots", "list", "json", "trace", "case"))

Traces: TypeAlias = Callable[[str], Iterable[Trace]]
"""Give the traces of a case by its id."""


def no_traces(case_id: str) -> Iterable[Trace]:
    """Be the traces of a run whose log is not at hand."""
    return ()


def render(summary: Summary, traces: Traces = no_traces) -> str:
    """Write report.html; traces beyond its bounds are left out, those of passing cases first."""
    return assemble(SOURCE, overview_of(summary), _packed(summary, traces))


def _packed(summary: Summary, traces: Traces) -> bytes:
    cases = by_need(summary)
    lines = (case_line(case, traces(case.id)) for case in cases)
    return packed(rows_line(summary, cases), lines, Room(PACKED_BYTES, PLAIN_BYTES))
