"""runledger trials: run each prompt through an agent several times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typer import Exit, Option

from .app import CAPTURE, app
from .asking import EXIT_CODES, AskingFlags, ask
from .flags import taking


@dataclass(frozen=True, slots=True)
class TrialFlags(AskingFlags):
    """What is asked, and how often."""

    trials: Annotated[
        int, Option("--trials", "-k", min=1, metavar="N", help="Trials of each prompt.")
    ] = 5


@app.command(rich_help_panel=CAPTURE, epilog=EXIT_CODES)
@taking(TrialFlags)
def trials(flags: TrialFlags) -> None:
    """Run each prompt several times and tell pass@k and pass^k."""
    raise Exit(ask(flags, flags.trials))
