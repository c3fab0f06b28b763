"""How a run is shown at its end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import StoreError
from ..ledger.run import Summary
from ..store.whole import append_text
from ..views import github, markdown, regression, summary, terminal
from ..views.look import Look
from .exits import say

if TYPE_CHECKING:
    from ..harness.baselines import Comparison

WIDEST = 100
PAGE_BYTES = 2**20  # beyond it GitHub drops the whole page


def shown(found: Summary, path: Path, format: str) -> str:
    """Show a run in the format that was asked for."""
    if format == "json":
        return summary.summary_line(found)
    text = text_of(found, path)
    return text if format == "text" else f"{github.render(found)}{text}"


def text_of(found: Summary, path: Path) -> str:
    """Show a run to a person, in the terminal's width and with colours where they are wanted."""
    return terminal.render(found, str(path), look_at(1))


def look_at(fd: int) -> Look:
    """Give the width and the colours of what is behind standard output or standard error."""
    return Look(width=min(_columns(fd), WIDEST), colour=wants_colour(os.isatty(fd)))


def comparison_shown(compared: Comparison, format: str) -> str:
    """Show a run beside a baseline in the format that was asked for."""
    if format == "json":
        return regression.render_json(compared.summary, compared.baseline)
    if format == "markdown":
        return regression.render_markdown(compared.regression, compared.baseline)
    return regression.render_text(compared.regression, compared.baseline, look_at(1))


def note_for_github(found: Summary) -> None:
    """Add a run to the summary page of a step of GitHub Actions, if this is one."""
    add_to_page(lambda most: markdown.render(found, min(markdown.MOST_BYTES, most)))


def add_to_page(render: Callable[[int], str]) -> None:
    """Add a text to the summary page of a step, if it fits; `render` is told how much does."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    try:
        taken = Path(file).stat().st_size if Path(file).exists() else 0
        text = render(PAGE_BYTES - taken)
        if taken + len(text.encode("utf-8", "backslashreplace")) <= PAGE_BYTES:
            append_text(Path(file), text)
    except (OSError, StoreError) as error:  # the page is a courtesy; the run stays what it is
        say(f"warning: the step summary could not be written: {error}")


def _columns(fd: int) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    return os.get_terminal_size(fd).columns if os.isatty(fd) else 80


def wants_colour(is_terminal: bool) -> bool:
    """Say whether to use colours: NO_COLOR forbids, FORCE_COLOR demands, else on a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal
