"""Agents that are a Python function, in a process of ours that speaks the protocol for them."""

from __future__ import annotations

from pathlib import Path

from ..wire import messages
from ..wire.host import command_of
from . import Assignment, Post, spawn
from .jsonl import JsonlSession


class PythonDriver:
    """Start a host for each task; it imports the function and calls it."""

    def __init__(self, post: Post) -> None:
        self._post = post

    def start(self, assignment: Assignment) -> JsonlSession:
        """Give the task to a new host, which works in the task's directory."""
        (address,) = self._post.command(assignment)
        home = str(Path(self._post.directory).absolute())
        child = spawn(self._post, command_of("agent", address, home), assignment)
        child.send(messages.task_start(assignment.task.id, assignment.task.input))
        return JsonlSession(child, assignment.deadline, self._post.grace_s)

    def close(self) -> None:
        """Have nothing to end: a host leaves with its task."""
