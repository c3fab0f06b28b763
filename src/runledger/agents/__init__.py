"""The shelf of drivers: how we talk to each kind of agent.

A driver starts a session for an assignment; the session tells what the agent does, one thing at a
time, carries answers back to it, and ends it. Whatever goes wrong on the agent's side is raised as
an AgentError, which the trial writes down as a failure.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ..errors import AgentError, SpawnFailed
from ..ledger.event import Said as Said  # part of the contract of a session
from ..ledger.event import ToolCall, ToolResult
from ..ledger.suite import AgentSettings, McpServer, fill_in
from ..ledger.task import Task
from ..ledger.trajectory import Exit
from ..process.bell import Bell
from ..process.child import Child
from ..process.deadline import Deadline
from ..process.fate import last_words
from ..process.pipes import LineBuffer
from ..process.sandbox import Bridge, Sandbox, Sight
from ..process.supervisor import Launch, Supervisor

LAST_GRACE_S = 0.5  # after its own grace an agent is asked once more, then killed


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task for an agent: when it has to be done, where it works, and what it gets for it."""

    task: Task
    deadline: Deadline
    directory: str
    env: Mapping[str, str] = field(default_factory=dict)  # over that of its post
    servers: tuple[McpServer, ...] = ()  # beside those that it always has
    bell: Bell | None = None  # rings when nothing that it says can count any more
    bridges: tuple[Bridge, ...] = ()  # to its model, where it has no network


@dataclass(frozen=True, slots=True)
class Post:
    """What the agents of a run have in common: who starts them, how, and with what."""

    supervisor: Supervisor
    agent: AgentSettings
    env: Mapping[str, str]
    directory: str  # of the suite, or where the prompts are asked
    sandbox: Sandbox | None = None  # that agents are started in

    @property
    def grace_s(self) -> float:
        """Give the seconds in which an agent may leave by itself."""
        return self.agent.grace_ms / 1000

    def command(self, assignment: Assignment) -> list[str]:
        """Give the agent's command, its placeholders filled in but for {prompt}, {mcp_config}."""
        places = {"suite": self.directory, "workspace": assignment.directory}
        return fill_in(self.agent.command, python=sys.executable, **places)


def spawn(
    post: Post,
    argv: Sequence[str],
    assignment: Assignment,
    lines: LineBuffer | None = None,
    named: Sequence[str] | None = None,
) -> Child:
    """Start a process of an agent; raise AgentError when there is none.

    `named` are the words of its command that a sandbox shows it the files of: all, unless said.
    """
    env = {**post.env, **assignment.env}
    launch = Launch(argv, assignment.directory, env, agent=True)
    try:
        if post.sandbox is not None:
            from ..process.sandbox.enclosing import enclose  # most suites pay nothing for it

            sight = _sight(post, assignment, argv if named is None else named)
            launch = enclose(launch, post.sandbox, sight)
        child = post.supervisor.start(launch, lines)
    except SpawnFailed as error:
        raise AgentError("spawn_failed", str(error), error.details) from error
    if assignment.bell is not None:
        child.heed(assignment.bell)
    return child


def _sight(post: Post, assignment: Assignment, named: Sequence[str]) -> Sight:
    """Say what an agent sees in a sandbox; what all agents share it does not write to."""
    servers = [word for one in assignment.servers for word in (one.command, *one.args)]
    own = [assignment.env[name] for name in ("HOME", "TMPDIR") if name in assignment.env]
    if not _is_same(assignment.directory, post.directory):
        own.append(assignment.directory)
    hidden = (post.directory,)
    return Sight((*named, *servers), tuple(own), hidden, assignment.bridges)


def _is_same(one: str, other: str) -> bool:
    return Path(one).resolve() == Path(other).resolve()


def exit_of(child: Child, grace_s: float, *, timed_out: bool, stop_reason: str | None) -> Exit:
    """End a process of an agent, and tell how it ended."""
    ended = child.end(grace_s)
    return Exit(
        code=ended.code,
        signal=ended.signal,
        timed_out=timed_out,
        stop_reason=stop_reason,
        stderr=child.stderr,
        leaky=ended.leaky,
    )


def fault_of(
    child: Child, kind: str, message: str, details: Mapping[str, object] | None = None
) -> AgentError:
    """Make an agent's error, with the last of what it wrote on standard error."""
    return AgentError(kind, message, {**(details or {}), **last_words(child)})


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool call that the agent waits for us to answer; any other was the agent's own."""

    call: ToolCall


class Session(Protocol):
    """One task in the hands of one agent."""

    def begin(self) -> Iterator[Said]:
        """Make the agent ready, yield what is said until then, and give it the task."""

    def next(self) -> Asked | Said:
        """Wait for the next thing the agent does; raise AgentError when it fails."""

    def answer(self, result: ToolResult) -> None:
        """Give the agent the answer to a call that it asked for."""

    def leave(self) -> Iterator[Said]:
        """Let the agent go after its final output, and yield what it still says."""

    def close(self) -> Exit:
        """End the agent, whatever it is doing, and tell how it ended."""


class Driver(Protocol):
    """How one kind of agent is started."""

    def start(self, assignment: Assignment) -> Session:
        """Give a task to an agent; raise AgentError when there is none to give it to."""

    def close(self) -> None:
        """End agents that were kept for further tasks."""
