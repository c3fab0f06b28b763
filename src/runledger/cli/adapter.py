"""runledger adapter: list the built-in adapters, check an agent speaks ACP, begin a new one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .app import CAPTURE, app
from .options import OutputFile

if TYPE_CHECKING:
    from ..harness.adapters import Met
    from ..ledger.value import Json

adapters = typer.Typer(help="Adapters for agents: list them, check an agent, write a new one.")
app.add_typer(adapters, name="adapter", rich_help_panel=CAPTURE)

Agent = Annotated[
    list[str], typer.Argument(metavar="AGENT", help="The agent's command; its own flags after --.")
]
Cwd = Annotated[
    Path, typer.Option("--cwd", "-c", metavar="CWD", help="Where the agent is to work.")
]
TimeoutMs = Annotated[
    int, typer.Option("--timeout", "-t", min=1, metavar="MS", help="Milliseconds it may take.")
]
Variables = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME[=VALUE]", help="A variable for the agent (repeatable)."),
]
AdapterName = Annotated[
    str, typer.Argument(metavar="NAME", help="The adapter's name, as of the agent's program.")
]

CAPABILITIES = {  # by their place in what an agent says about itself
    "loadSession": "load sessions",
    "promptCapabilities.image": "images",
    "promptCapabilities.audio": "audio",
    "promptCapabilities.embeddedContext": "embedded context",
    "mcpCapabilities.http": "MCP over HTTP",
    "mcpCapabilities.sse": "MCP over SSE",
}
STDERR_LINES = 5


@adapters.callback(invoke_without_command=True)
def top(context: typer.Context) -> None:
    """Adapters for agents: list them, check an agent, write a new one."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@adapters.command("list")
def list_() -> None:
    """List the built-in adapters, and whether their programs are on the PATH."""
    from ..harness.adapters import listed_adapters
    from .exits import put

    rows = [("NAME", "PROGRAM", "PROMPT", "INSTALLED")]
    for one in listed_adapters():
        missing = "no" if one.program else "-"
        rows.append((one.name, one.program or "(any)", one.via, one.found or missing))
    widths = [max(len(row[column]) for row in rows) + 2 for column in range(3)]
    put("\n".join(_row(row, widths) for row in rows))


@adapters.command(epilog="Exit codes: 0 it speaks ACP, 1 it does not, 3 it could not be started.")
def check(
    agent: Agent, cwd: Cwd = Path(), timeout: TimeoutMs = 60_000, env: Variables = None
) -> None:
    """Start an agent, open a session over ACP, and show what it says about itself."""
    from ..harness.adapters import meet
    from ..harness.agent_choice import AgentWords, agent_from, found_from_here
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from .exits import put, say

    words = AgentWords(command=tuple(agent), protocol="acp", env=tuple(env or ()))
    settings = found_from_here(agent_from(words), str(cwd))
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        met = meet(settings, cwd, timeout / 1000, supervisor)
    if met.said:
        put("\n".join(_told(met.said)))
    if met.problem is not None:
        say("\n".join(_refused(met)))
        raise typer.Exit(1)


@adapters.command()
def scaffold(name: AdapterName, output: OutputFile = None) -> None:
    """Write a new adapter to begin with, to a file that is not there yet."""
    from importlib.resources import files

    from ..harness.adapters import scaffolded, write_adapter
    from .exits import put, say

    template = files(__package__) / "templates" / "adapter.json.in"
    content = scaffolded(name, template.read_text("utf-8"))
    if output is None:
        put(content.decode())
        return
    write_adapter(output, content)
    say(f"wrote {output}; try it: runledger capture PROMPTS --adapter {_as_file(output)}")


def _as_file(path: Path) -> str:
    """Write a path so that it is not taken for the name of a built-in adapter."""
    import shlex

    text = str(path)
    return shlex.quote(text if "/" in text or text.endswith(".json") else f"./{text}")


def _row(row: tuple[str, ...], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=False))
    return "".join(padded) + row[-1]


def _told(said: Mapping[str, Json]) -> Iterator[str]:
    from ..ledger.path import find
    from ..ledger.printable import one_line

    names = [find(said, f"agentInfo.{key}") for key in ("title", "name")]
    name = next((one for one in names if isinstance(one, str) and one), "not told")
    version = find(said, "agentInfo.version")
    can = [words for path, words in CAPABILITIES.items() if _has(said, path)]
    yield f"agent:    {one_line(name)}"
    yield f"version:  {one_line(version) if isinstance(version, str) else 'not told'}"
    yield f"protocol: ACP {one_line(str(said.get('protocolVersion')))}"
    yield f"can:      {', '.join(can) or 'nothing beyond text'}"
    yield f"sign-in:  {', '.join(_ways(said)) or 'none offered'}"


def _has(said: Mapping[str, Json], path: str) -> bool:
    from ..ledger.path import find

    return find(said, f"agentCapabilities.{path}") is True


def _ways(said: Mapping[str, Json]) -> Iterator[str]:
    from ..ledger.printable import one_line

    methods = said.get("authMethods")
    for method in methods if isinstance(methods, list) else ():
        if isinstance(method, Mapping):
            yield one_line(str(method.get("id") or method.get("name")))


def _refused(met: Met) -> Iterator[str]:
    from ..ledger.printable import printable

    yield f"no session could be opened: {printable(met.problem or '')}"
    last = met.stderr.splitlines()[-STDERR_LINES:]
    if last:
        yield "its standard error ends with:"
        yield from (f"  {printable(line)}" for line in last)
