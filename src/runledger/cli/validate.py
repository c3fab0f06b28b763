"""runledger validate: every check that can be made before an agent starts."""

from __future__ import annotations

from .app import GATE, app
from .options import SuitePaths


@app.command(rich_help_panel=GATE)
def validate(suites: SuitePaths) -> None:
    """Check suites and all that they read, without starting an agent; list all findings."""
    from ..harness.validate import validate_suites
    from ..views.look import count
    from .exits import put

    for suite in validate_suites(suites):
        put(f"{suite.name}: {count(len(suite.tasks), 'case')}, nothing to fix")
