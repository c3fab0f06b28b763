"""runledger report: make all views of a run again from its record."""

from __future__ import annotations

from pathlib import Path

from .app import FILES, app
from .options import OpenIt, OutputDir, RunName


@app.command(rich_help_panel=FILES)
def report(run: RunName, open_it: OpenIt = False, output_dir: OutputDir = None) -> None:
    """Make all views of a run again from its record, and show its result."""
    from ..harness.derive import REPORT, derive_views
    from ..ledger.suite import OUTPUT_DIR
    from ..store.rundir import find_run
    from .exits import put
    from .show import text_of

    path = find_run(run, output_dir or Path(OUTPUT_DIR))
    put(text_of(derive_views(path), path))
    if open_it:
        open_page(path / REPORT)


def open_page(page: Path) -> None:
    """Open a page in the browser of the machine."""
    import webbrowser  # only who asks for it pays for it

    from .exits import say

    if not webbrowser.open(page.resolve().as_uri()):
        say(f"no browser was found; open it yourself: {page}")
