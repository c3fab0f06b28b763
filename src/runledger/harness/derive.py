"""Make every view of a run from its record alone."""

from __future__ import annotations

from pathlib import Path

from ..compare.rates import summarize
from ..ledger.run import Summary
from ..store.lines import write_whole
from ..store.rundir import read_run
from ..views import junit, summary

FILES = {"summary.json": summary.render, "junit.xml": junit.render}


def derive_views(path: Path) -> Summary:
    """Write the views of the run in this directory, and give its summary."""
    found = summarize(read_run(path))
    for name, render in FILES.items():
        write_whole(path / name, render(found).encode())
    return found
