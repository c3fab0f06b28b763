"""runledger balance: see how prompts are spread over categories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from typer import Option

from .app import CAPTURE, app
from .options import OutputFile, Prompts


@app.command(rich_help_panel=CAPTURE)
def balance(
    prompts: Prompts,
    key: Annotated[
        str, Option("--key", "-k", metavar="KEY", help="Key of the metadata, dotted too.")
    ] = "category",
    threshold: Annotated[
        float,
        Option(
            "--threshold",
            "-t",
            min=0,
            max=100,
            metavar="PERCENT",
            help="Of an even share; a category with less is underrepresented.",
        ),
    ] = 50.0,
    output: OutputFile = None,
) -> None:
    """Count prompts by a key of their metadata, and name the categories that have too few."""
    from ..compare.balance import balance_of
    from ..store.lines import encode
    from ..store.sink import open_sink
    from ..suite.load import load_prompts
    from ..views.balance import balance_fields, render_balance
    from .exits import say

    found = balance_of((task.metadata for task in load_prompts(prompts)), key, threshold)
    sink = open_sink(output, never=Path(prompts))
    sink.text(encode(balance_fields(found), indent=True).decode() + "\n")
    sink.close()
    if output is not None or os.isatty(1):
        say(render_balance(found))
