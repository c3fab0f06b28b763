"""runledger schemas: the JSON Schema of every format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import FILES, app

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="A format. Without it, all are listed.")
]
AsJson = Annotated[
    bool, typer.Option("--json", "-j", metavar="", help="Print all schemas as one JSON document.")
]
Split = Annotated[
    bool, typer.Option("--split", "-s", metavar="", help="Write one file each, into -o DIR.")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="F", help="Write to this file, or directory."),
]


@app.command(rich_help_panel=FILES)
def schemas(
    name: Name = None, as_json: AsJson = False, split: Split = False, output: Output = None
) -> None:
    """Print the JSON Schema of a format, or list the formats that have one."""
    from ..harness.schemas import known_schemas, schema_of, written

    if split:
        _write_each([name] if name else known_schemas(), output)
    elif name:
        _print(written(schema_of(name)), output)
    elif as_json or output:
        _print(written({one: schema_of(one) for one in known_schemas()}), output)
    else:
        _print(_list(), None)


def _write_each(names: list[str], directory: Path | None) -> None:
    from ..errors import UsageError
    from ..harness.schemas import write_each
    from .exits import say

    if directory is None:
        raise UsageError("--split writes files: name the directory for them with -o DIR")
    count = write_each(names, directory)
    say(f"{directory}: {count} {'schema' if count == 1 else 'schemas'}")


def _list() -> str:
    from ..harness.schemas import listed

    return "".join(f"{name:<17} {said}\n" for name, said in listed())


def _print(text: str, output: Path | None) -> None:
    from ..store.sink import open_sink
    from ..store.whole import write_whole

    if output is None:
        open_sink(None).text(text)
    else:
        write_whole(output, text.encode())
