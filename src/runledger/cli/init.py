"""runledger init: a working suite, agent, cassettes, baseline and workflow to begin with."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import GATE, app

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from ..harness.scaffold import Layout

SUFFIX = ".in"  # of templates, so that nobody takes them for parts of the program
FALLBACK = "support"
WORKFLOW = ".github/workflows/runledger.yml"


class Lang(StrEnum):
    """What the agent is written in."""

    python = "python"
    node = "node"


AGENTS = {Lang.python: "['{python}', agent.py]", Lang.node: "[node, agent.mjs]"}

Root = Annotated[
    Path, typer.Argument(metavar="PATH", help="The repository, or any other directory.")
]
SuiteName = Annotated[
    str | None,
    typer.Option("--suite", metavar="NAME", help="The suite's name. Default: the directory's."),
]
LangChoice = Annotated[Lang, typer.Option("--lang", help="What the agent is written in.")]
Force = Annotated[
    bool,
    typer.Option("--force", metavar="", help="Renew files that are still as init wrote them."),
]


@app.command(rich_help_panel=GATE)
def init(
    path: Root = Path(),
    suite: SuiteName = None,
    lang: LangChoice = Lang.python,
    force: Force = False,
) -> None:
    """Write a working suite, agent, cassettes, baseline and GitHub workflow; overwrite nothing."""
    from ..harness.scaffold import NewFile, check_suite_name, files_of_suite, lay_out
    from .exits import put

    name = suite if suite is not None else _named_after(path)
    check_suite_name(name)
    workflow = NewFile(WORKFLOW, _workflow().encode(), offered=True)
    files = [*files_of_suite(name, dict(_suite_texts(name, lang))), workflow]
    put("\n".join(_told(path, name, lay_out(path, files, force=force))))


def _named_after(path: Path) -> str:
    """Name the suite like its directory, if a suite can have that name."""
    from ..errors import UsageError
    from ..harness.scaffold import check_suite_name

    try:
        check_suite_name(path.resolve().name)
    except UsageError:
        return FALLBACK
    return path.resolve().name


def _suite_texts(name: str, lang: Lang) -> Iterator[tuple[str, str]]:
    values = {"@suite@": name, "@agent@": AGENTS[lang]}
    for directory in (_templates() / "suite", _templates() / lang):
        for path, text in _texts_in(directory):
            for mark, value in values.items():
                text = text.replace(mark, value)
            yield path, text


def _texts_in(directory: Traversable, below: str = "") -> Iterator[tuple[str, str]]:
    for entry in sorted(directory.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _texts_in(entry, f"{below}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield below + entry.name.removesuffix(SUFFIX), entry.read_text("utf-8")


def _workflow() -> str:
    from ..ledger.version import VERSION

    text = (_templates() / f"workflow.yml{SUFFIX}").read_text("utf-8")
    return text.replace("@version@", VERSION)


def _templates() -> Traversable:
    from importlib.resources import files

    return files(__package__) / "templates"


def _told(root: Path, name: str, layout: Layout) -> Iterator[str]:
    from ..ledger.printable import one_line

    for path in layout.written:
        yield f"wrote {one_line(str(root / path), 4096)}"
    for path in layout.kept:
        yield f"kept  {one_line(str(root / path), 4096)}"
    place = shlex.quote(one_line(str(root / "evals" / name), 4096))
    yield ""
    yield f"  runledger run {place}  # replay: no network, no keys, no cost"
    yield f"  runledger run {place} --mode record  # call tools.py, write the cassettes anew"
    yield f"  runledger baseline promote --from latest --to {place}/baselines/{name}.json"
    yield ""
    yield f"Put your agent in place of the one in {place}; keep .agentci/ out of version control."
