"""runledger cassette: look at cassettes, and look after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import FILES, app
from .options import OutputDir

if TYPE_CHECKING:
    from ..harness.cassettes import Linted
    from ..store.cassette.pruning import Pruned

cassettes = typer.Typer(help="Look at cassettes, and look after them.")
app.add_typer(cassettes, name="cassette", rich_help_panel=FILES)

UNREADABLE = 2
NAMED = 10  # lines
LONGEST_NAME = 4096  # of a file


class ShowFormat(StrEnum):
    """How a cassette is shown."""

    text = "text"
    json = "json"


CassetteFile = Annotated[Path, typer.Argument(metavar="FILE", help="A cassette.")]
CassetteFiles = Annotated[list[Path], typer.Argument(metavar="FILE", help="Cassettes.")]
EntryLine = Annotated[
    int | None,
    typer.Option("--entry", min=1, metavar="N", help="Only the entry on this line, whole."),
]
RunChoice = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="Also what this run left unused: a directory, id, or 'latest'."
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", metavar="", help="Only tell; leave the file as it is.")
]


@cassettes.callback(invoke_without_command=True)
def top(context: typer.Context) -> None:
    """Look at cassettes, and look after them."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cassettes.command()
def show(
    file: CassetteFile,
    entry: EntryLine = None,
    format: Annotated[
        ShowFormat, typer.Option("--format", help="How to show it.")
    ] = ShowFormat.text,
) -> None:
    """Tell what is in a cassette: what was asked, and what was answered, in short."""
    from ..errors import CassetteError
    from ..store.cassette.load import all_entries, open_cassette
    from ..views import cassette as view
    from .exits import put
    from .show import look_at

    opened = open_cassette(file)
    if entry is None:
        put(view.render_json(opened) if format == "json" else view.render(opened, look_at(1)))
        return
    found = next((one for one in all_entries(opened.cassette) if one.line == entry), None)
    if found is None:
        lines = _named([one.line for one in all_entries(opened.cassette)])
        raise CassetteError(str(file), entry, f"there is no entry on this line (on: {lines})")
    as_json = format == "json"
    put(view.render_entry_json(found) if as_json else view.render_entry(found, look_at(1)))


@cassettes.command(
    epilog="Exit codes: 0 nothing to mend (warnings may be), 1 flaws found, 2 a file is unreadable."
)
def lint(files: CassetteFiles) -> None:
    """Find secrets, also those split over a stream, and unused blobs; warn of half answers."""
    from ..harness.cassettes import lint_cassettes
    from .exits import put, say, worst

    codes = []
    for linted in lint_cassettes(files):
        if linted.problem is not None:
            say(str(linted.problem))
            codes.append(UNREADABLE)
            continue
        put("\n".join(_told(linted)))
        codes.append(int(any(not flaw.is_warning for flaw in linted.flaws)))
    raise typer.Exit(worst(codes))


@cassettes.command()
def prune(
    file: CassetteFile, run: RunChoice = None, dry_run: DryRun = False, output_dir: OutputDir = None
) -> None:
    """Take out blobs that nobody uses and, with --run, the entries that this run left unused."""
    from ..harness.cassettes import prune_cassette
    from ..ledger.suite import OUTPUT_DIR
    from ..store.rundir import find_run
    from .exits import put

    path = find_run(run, output_dir or Path(OUTPUT_DIR)) if run is not None else None
    pruned = prune_cassette(file, path, dry_run=dry_run)
    put("\n".join(_taken_out(file, pruned, dry_run=dry_run)))


def _told(linted: Linted) -> Iterator[str]:
    from ..ledger.printable import one_line

    file = one_line(str(linted.file), LONGEST_NAME)
    for flaw in linted.flaws:
        place = f" {one_line(flaw.place)}:" if flaw.place else ""
        kind = " warning:" if flaw.is_warning else ""
        told = f"{one_line(flaw.what)}; {one_line(flaw.advice, 4096)}"
        yield f"{file}:{flaw.line}:{kind}{place} {told}"
    if not linted.flaws:
        yield f"{file}: nothing to mend"


def _taken_out(path: Path, pruned: Pruned, *, dry_run: bool) -> Iterator[str]:
    from ..ledger.printable import one_line

    file = one_line(str(path), LONGEST_NAME)
    if pruned.is_nothing:
        yield f"{file}: nothing to take out"
        return
    verb = "would take out" if dry_run else "took out"
    for what, lines in (("unused entries", pruned.unused), ("unused blobs", pruned.blobs)):
        if lines:
            yield f"{file}: {verb} {what}: {len(lines)} (lines {_named(lines)})"
    became = "would become" if dry_run else "became"
    yield f"{file}: {pruned.before:,} bytes {became} {pruned.after:,}"


def _named(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:NAMED]))
    return f"{shown}, …" if len(lines) > NAMED else shown or "none"
