"""runledger report: make all views of a run again from its record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run directory.", show_default=False)
    ],
) -> None:
    """Make all views of a run again from its record, and show its result."""
    from ..harness.rerender import write_views
    from .exits import put
    from .show import text_of

    summary = write_views(run)
    put(text_of(summary, run))
