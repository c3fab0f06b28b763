"""The shelf of drivers: how we talk to each kind of agent.

A driver starts a session for a task; the session tells what the agent does, one thing at a time,
carries answers back to it, and ends it. Whatever goes wrong on the agent's side is raised as an
AgentError, which the trial writes down as a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..ledger.event import Happening, ToolResult
from ..ledger.task import Task
from ..ledger.trajectory import Exit
from ..process.deadline import Deadline


class Session(Protocol):
    """One task in the hands of one agent."""

    def next(self) -> Happening:
        """Wait for the next thing the agent does; raise AgentError when it fails."""

    def answer(self, result: ToolResult) -> None:
        """Give the agent the answer to a tool call."""

    def leave(self) -> Iterator[Happening]:
        """Let the agent go after its final output, and yield what it still says."""

    def close(self) -> Exit:
        """End the agent, whatever it is doing, and tell how it ended."""


class Driver(Protocol):
    """How one kind of agent is started."""

    def start(self, task: Task, deadline: Deadline) -> Session:
        """Give a task to an agent; raise AgentError when there is none to give it to."""

    def close(self) -> None:
        """End agents that were kept for further tasks."""
