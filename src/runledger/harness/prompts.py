"""Make a suite of a file of prompts and the agent that the command line names."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import UsageError
from ..ledger.suite import Suite
from ..suite.load import STDIN, SUITE_FILE, load_prompts, load_suite
from .agent_choice import AgentWords, agent_from, found_from_here


@dataclass(frozen=True, slots=True)
class Places:
    """Where the caller wants things: the agent's directory, its workspaces, the results."""

    cwd: Path | None = None
    workspace_dir: Path | None = None
    output: Path | None = None


def suite_of(prompts: str, words: AgentWords, places: Places) -> Suite:
    """Make a suite of prompts and an agent; a suite that is named stays what it is."""
    _keep_apart(prompts, places.output)
    if _is_suite(Path(prompts)):
        return _own_suite(Path(prompts), words, places)
    directory = (places.cwd or Path()).resolve()
    if not directory.is_dir():
        raise UsageError(f"there is no directory {places.cwd}")
    elsewhere = places.workspace_dir or directory
    agent = found_from_here(agent_from(words), str(elsewhere))
    asked = None if agent.protocol == "stdio" else agent.protocol  # which takes texts, too
    tasks = load_prompts(prompts, asked)
    return Suite(_name(prompts), str(directory), agent, tasks, mode="live")


def _is_suite(path: Path) -> bool:
    return path.name == SUITE_FILE or (path / SUITE_FILE).is_file()


def _own_suite(path: Path, words: AgentWords, places: Places) -> Suite:
    """Load a suite; its agent may be replaced as a whole, but not in parts."""
    suite = load_suite(path)
    if places.cwd is not None:
        raise UsageError(f"-c does not go with a suite: {path} says where its agent works")
    if words.command:
        elsewhere = places.workspace_dir or Path(suite.directory)
        return replace(suite, agent=found_from_here(agent_from(words), str(elsewhere)))
    flags: dict[str, object] = {
        "--protocol": words.protocol,
        "--adapter": words.adapter,
        "--env": words.env,
        "--permissions": words.permissions,
        "--fs": words.fs,
        "--terminal": words.terminal,
        "--mcp-server": words.servers,
    }
    for flag, value in flags.items():
        if value:
            raise UsageError(f"{flag} says how to start AGENT; {path} has an agent of its own")
    return suite


def _name(prompts: str) -> str:
    """Name the run after the file of prompts, in words that a directory may have."""
    if prompts == STDIN:
        return "stdin"
    return re.sub(r"[^A-Za-z0-9._-]", "-", Path(prompts).stem).strip(".")[:100] or "prompts"


def _keep_apart(prompts: str, output: Path | None) -> None:
    """Refuse to write results over the prompts."""
    source = Path(prompts)
    if output is not None and output.exists() and source.exists() and output.samefile(source):
        raise UsageError(f"{output} holds the prompts, and cannot hold results; choose another -o")
