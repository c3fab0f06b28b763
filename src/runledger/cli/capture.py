"""runledger capture: run prompts through an agent and keep full trajectories."""

from __future__ import annotations

from typer import Exit

from .app import CAPTURE, app
from .asking import EXIT_CODES, AskingFlags, ask
from .flags import taking


@app.command(rich_help_panel=CAPTURE, epilog=EXIT_CODES)
@taking(AskingFlags)
def capture(flags: AskingFlags) -> None:
    """Run prompts through a real agent and keep the full trajectory of each."""
    raise Exit(ask(flags, None))
