"""The command that holds the others, grouped by the job they serve."""

from __future__ import annotations

import typer

GATE = "Gate: suites of cases in CI"
CAPTURE = "Capture: real agents, full trajectories"
EXPERIMENT = "Experiment: conditions compared"
FILES = "Files: look at what a run left"

app = typer.Typer(
    name="runledger",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    """Record what an agent does once; replay it for nothing, grade it, gate it, compare it."""
    if version:
        from ..ledger.version import VERSION

        typer.echo(f"runledger {VERSION}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(0)
