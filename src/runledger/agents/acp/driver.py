"""Start ACP agents: one process for each task."""

from __future__ import annotations

from ...process.pipes import LineBuffer
from .. import Assignment, Post, spawn
from .session import AcpSession

LINE_CAP = 32 * 1024 * 1024  # an answer may come in one piece
# Of all messages, and of what they make us serve and write down: it goes to disk, and far less is
# kept. An answer of 20 MB in pieces of 48 letters, each in 242 bytes of JSON, takes 121 MB of it.
TOTAL_CAP = 128 * 1024 * 1024


class AcpDriver:
    """Start one process per task."""

    def __init__(self, post: Post) -> None:
        self._post = post

    def start(self, assignment: Assignment) -> AcpSession:
        """Start an agent for the task, which it gets when the session begins."""
        command = self._post.command(assignment)
        lines = LineBuffer(LINE_CAP, TOTAL_CAP)
        child = spawn(self._post, command, assignment, lines)
        return AcpSession(child, self._post, assignment)

    def close(self) -> None:
        """Have nothing to end: an agent leaves with its task."""
