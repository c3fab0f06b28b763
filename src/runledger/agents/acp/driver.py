"""Start ACP agents: one process for each task."""

from __future__ import annotations

from ...process.pipes import LineBuffer
from .. import Assignment, Post, spawn
from .session import AcpSession

LINE_CAP = 32 * 1024 * 1024  # an answer may come in one piece
TOTAL_CAP = 256 * 1024 * 1024  # of messages, which go to disk; what is kept of them is far less


class AcpDriver:
    """Start one process per task."""

    def __init__(self, post: Post) -> None:
        self._post = post

    def start(self, assignment: Assignment) -> AcpSession:
        """Start an agent for the task, which it gets when the session begins."""
        command = self._post.command(assignment)
        lines = LineBuffer(LINE_CAP, TOTAL_CAP)
        child = spawn(self._post, command, assignment.directory, lines)
        return AcpSession(child, self._post, assignment)

    def close(self) -> None:
        """Have nothing to end: an agent leaves with its task."""
