"""The shelf of drivers: how we talk to each kind of agent.

A driver starts a session for a task; the session tells what the agent does, one thing at a time,
carries answers back to it, and ends it. Whatever goes wrong on the agent's side is raised as an
AgentError, which the trial writes down as a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from ..ledger.event import (
    FinalOutput,
    Log,
    Message,
    Plan,
    TaskError,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
)
from ..ledger.task import Task
from ..ledger.trajectory import Exit
from ..process.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Asked:
    """A tool call that the agent waits for us to answer; any other was the agent's own."""

    call: ToolCall


Said: TypeAlias = (
    ToolCall | ToolResult | Message | Thought | Plan | Log | UsageReport | FinalOutput | TaskError
)
"""What an agent tells us that it did."""


class Session(Protocol):
    """One task in the hands of one agent."""

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

    def start(self, task: Task, deadline: Deadline) -> Session:
        """Give a task to an agent; raise AgentError when there is none to give it to."""

    def close(self) -> None:
        """End agents that were kept for further tasks."""
