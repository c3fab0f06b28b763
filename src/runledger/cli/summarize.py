"""runledger summarize: derive short views of results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import CAPTURE, app
from .options import OutputDir, OutputFile, Results

Markdown = Annotated[
    bool,
    typer.Option("--markdown", "-m", metavar="", help="Records in Markdown, for a judge to read."),
]


@app.command(rich_help_panel=CAPTURE)
def summarize(
    results: Results,
    output: OutputFile = None,
    markdown: Markdown = False,
    output_dir: OutputDir = None,
) -> None:
    """Derive a short view of results: one line of JSON each, or records in Markdown."""
    from ..harness.summarize import summarize_results
    from ..ledger.suite import OUTPUT_DIR
    from ..store.results import find_results
    from .exits import say

    def warn(text: str) -> None:
        say(f"warning: {text}")

    path = find_results(results, output_dir or Path(OUTPUT_DIR))
    if not summarize_results(path, output, markdown=markdown, warn=warn):
        warn(f"{results} holds no result")
