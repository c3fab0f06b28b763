"""Make every view of a run from its record alone."""

from __future__ import annotations

from pathlib import Path

from ..compare.rates import summarize
from ..ledger.run import Summary
from ..store.rundir import LOG, read_run
from ..store.traces import TraceLog
from ..store.whole import write_whole
from ..views import html, junit, summary

REPORT = "report.html"


def derive_views(path: Path) -> Summary:
    """Write the views of the run in this directory, and give its summary."""
    found = summarize(read_run(path))
    write_whole(path / "summary.json", summary.render(found).encode())
    write_whole(path / "junit.xml", junit.render(found).encode())
    write_whole(path / REPORT, html.render(found, TraceLog(path / LOG).of).encode())
    return found
