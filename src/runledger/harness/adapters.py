"""Adapters for agents: which there are, whether an agent speaks ACP, and how to begin a new one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json import dumps
from pathlib import Path

from ..agents import Assignment, Post
from ..agents.acp import AcpDriver
from ..errors import AgentError, OutsideError, UsageError
from ..ledger.adapter import Via
from ..ledger.suite import AgentSettings
from ..ledger.task import Task
from ..ledger.value import Json
from ..process.deadline import Deadline
from ..process.supervisor import Supervisor
from ..store.whole import write_new
from ..suite.adapter import BUILT_IN, load_adapter, read_adapter
from .furnish import agent_environment


@dataclass(frozen=True, slots=True)
class Listed:
    """A built-in adapter, and where its program is on this machine."""

    name: str
    program: str | None
    found: str | None
    via: Via


@dataclass(frozen=True, slots=True)
class Met:
    """What an agent said about itself, and why no session could be opened, if none could."""

    said: Mapping[str, Json]
    problem: str | None = None
    stderr: str = ""


def listed_adapters() -> Iterator[Listed]:
    """List the built-in adapters by name."""
    for name in BUILT_IN:
        adapter = load_adapter(name)
        found = shutil.which(adapter.program) if adapter.program else None
        yield Listed(name, adapter.program, found, adapter.prompt.via)


def meet(agent: AgentSettings, directory: Path, timeout_s: float, supervisor: Supervisor) -> Met:
    """Start an agent, agree on the protocol, open a session, and end it again."""
    place = str(directory.absolute())
    post = Post(supervisor, agent, agent_environment(agent, os.environ), place)
    assignment = Assignment(Task("check", ""), Deadline.after(timeout_s), place)
    try:
        session = AcpDriver(post).start(assignment)
    except AgentError as error:
        raise OutsideError(str(error)) from error
    problem = None
    try:
        for _ in session.greet():
            pass
    except AgentError as error:
        problem = str(error)
    finally:
        exit = session.close()
    said = session.met if isinstance(session.met, Mapping) else {}
    return Met(said, problem, exit.stderr if problem else "")


def scaffolded(name: str, template: str) -> bytes:
    """Make a new adapter of its template, or say why it cannot have that name."""
    content = template.replace("@name@", dumps(name)[1:-1]).encode()
    read_adapter(content, "the new adapter")
    return content


def write_adapter(path: Path, content: bytes) -> None:
    """Write a new adapter file, and harm none that is there."""
    if path.exists() or not write_new(path, content):
        raise UsageError(f"{path} exists, and is left as it is; choose another file with -o")
