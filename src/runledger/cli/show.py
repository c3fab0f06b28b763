"""How a run is shown at its end."""

from __future__ import annotations

import os
from pathlib import Path

from ..ledger.run import Summary
from ..views import github, summary, terminal
from ..views.look import Look

WIDEST = 100


def shown(found: Summary, path: Path, format: str) -> str:
    """Show a run in the format that was asked for."""
    if format == "json":
        return summary.summary_line(found)
    text = text_of(found, path)
    return text if format == "text" else f"{github.render(found)}{text}"


def text_of(found: Summary, path: Path) -> str:
    """Show a run to a person, in the terminal's width and with colours where they are wanted."""
    width = min(_columns(), WIDEST)
    look = Look(width=width, colour=wants_colour(os.isatty(1)))
    return terminal.render(found, str(path), look)


def _columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    return os.get_terminal_size(1).columns if os.isatty(1) else 80


def wants_colour(is_terminal: bool) -> bool:
    """Say whether to use colours: NO_COLOR forbids, FORCE_COLOR demands, else on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal
