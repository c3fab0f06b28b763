"""runledger compare: lay captures, trials or runs side by side, task by task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import CAPTURE, app
from .options import CompareFormat, OutputDir, OutputFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ledger.comparison import Comparison

EXIT_CODES = "Exit codes: 0 whatever is found, 2 when something cannot be read or compared."

Sides = Annotated[
    list[str],
    typer.Argument(
        metavar="SIDE",
        help="A, B and more: results or trials files, run directories, run ids, 'latest', or '-'.",
    ),
]


@app.command(rich_help_panel=CAPTURE, epilog=EXIT_CODES)
def compare(
    sides: Sides,
    format: Annotated[
        CompareFormat, typer.Option("--format", help="How to show it.")
    ] = CompareFormat.text,
    output: OutputFile = None,
    output_dir: OutputDir = None,
) -> None:
    """Compare captures, trials or runs over the tasks they share; each further one with A."""
    from ..harness.compare_runs import compare_results
    from ..ledger.suite import OUTPUT_DIR
    from .exits import put, say

    found = compare_results(
        sides,
        output_dir or Path(OUTPUT_DIR),
        warn=lambda text: say(f"warning: {text}"),
        never=output,
    )
    if output is None:
        put(_shown(found, format))
        return
    from ..store.whole import write_whole

    write_whole(output, _shown(found, format, plain=True).encode("utf-8", "backslashreplace"))


def _shown(found: Sequence[Comparison], format: str, plain: bool = False) -> str:
    from ..views import comparison
    from ..views.look import PLAIN
    from .show import look_at

    if format == "json":
        return comparison.render_json(found)
    if format == "markdown":
        return comparison.render_markdown(found)
    return comparison.render_text(found, PLAIN if plain else look_at(1))
