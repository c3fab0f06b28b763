"""runledger baseline: keep the run that later ones are measured against."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import GATE, app
from .options import OutputDir

baselines = typer.Typer(help="Keep the run that later ones are measured against.")
app.add_typer(baselines, name="baseline", rich_help_panel=GATE)

From = Annotated[
    str, typer.Option("--from", metavar="RUN", help="A run directory, a run id, or 'latest'.")
]
To = Annotated[Path, typer.Option("--to", metavar="F", help="The baseline file to write.")]
AllowFailing = Annotated[
    bool, typer.Option("--allow-failing", metavar="", help="Even if cases of the run failed.")
]


@baselines.callback(invoke_without_command=True)
def top(context: typer.Context) -> None:
    """Keep the run that later ones are measured against."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@baselines.command()
def promote(
    run: From, to: To, allow_failing: AllowFailing = False, output_dir: OutputDir = None
) -> None:
    """Write a baseline from a finished run of a whole suite."""
    from ..harness import baselines as harness
    from ..ledger.printable import one_line
    from ..ledger.suite import OUTPUT_DIR
    from ..store.rundir import find_run
    from .exits import say

    path = find_run(run, output_dir or Path(OUTPUT_DIR))
    baseline = harness.promote(path, to, allow_failing=allow_failing)
    passed = sum(case.passed for case in baseline.cases)
    cases = "1 case" if len(baseline.cases) == 1 else f"{len(baseline.cases)} cases"
    say(f"{to}: {passed} of {cases} passed in {one_line(baseline.run_id)}")
