"""The commands, grouped by the job they serve."""

from __future__ import annotations

import typer

from . import report, run, validate

HELP = """Record what an agent does once; replay it for nothing, grade it, gate it, compare it."""

GATE = "Gate: suites of cases in CI"
FILES = "Files: look at what a run left"

app = typer.Typer(
    name="runledger",
    help=HELP,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    """Show the help when no command is given."""
    if version:
        from ..ledger.version import VERSION

        typer.echo(f"runledger {VERSION}")
        raise typer.Exit(0)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(0)


top.__doc__ = HELP
app.command("run", rich_help_panel=GATE)(run.run)
app.command("validate", rich_help_panel=GATE)(validate.validate)
app.command("report", rich_help_panel=FILES)(report.report)
