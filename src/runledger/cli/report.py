"""runledger report: make all views of a run again from its record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run directory, a run id, or 'latest'.")
    ],
    output_dir: Annotated[
        Path, typer.Option(envvar="RUNLEDGER_OUTPUT_DIR", help="Where run directories are made.")
    ] = Path(".agentci/runs"),
) -> None:
    """Make all views of a run again from its record, and show its result."""
    from ..harness.rerender import write_views
    from ..store.rundir import find_run
    from .exits import put
    from .show import text_of

    path = find_run(run, output_dir)
    put(text_of(write_views(path), path))
