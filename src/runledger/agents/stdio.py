"""Agents that speak our JSONL protocol on standard input and output."""

from __future__ import annotations

import contextlib
import threading
from functools import partial

from ..process.child import Child
from ..process.pipes import TooLarge
from ..wire import messages
from . import LAST_GRACE_S, Assignment, Post, spawn
from .jsonl import JsonlSession


class StdioDriver:
    """Start one process per task, or keep processes for the next task where the suite says so."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._idle: list[Child] = []
        self._lock = threading.Lock()

    def start(self, assignment: Assignment) -> JsonlSession:
        """Give the task to an idle agent if one is kept, else to a new one."""
        idle = self._take_living()
        begin = partial(self._begin, assignment)
        session = JsonlSession(idle or begin(), assignment.deadline, self._post.grace_s)
        if self._post.agent.reuse:
            session.keep = self._keep
        if idle:
            idle.send(_opening(assignment))
            session.replace = begin
        return session

    def close(self) -> None:
        """End the agents that were kept."""
        while child := self._take_idle():
            child.end(LAST_GRACE_S, patience_s=self._post.grace_s)

    def _begin(self, assignment: Assignment) -> Child:
        child = spawn(self._post, self._post.command(assignment), assignment)
        child.send(_opening(assignment))
        return child

    def _take_idle(self) -> Child | None:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _take_living(self) -> Child | None:
        """Take an idle agent that is alive and silent: what was said late answers nothing."""
        while child := self._take_idle():
            with contextlib.suppress(TooLarge):
                if child.line_at_hand() is None and not child.has_exited():
                    return child
            child.end(0)
        return None

    def _keep(self, child: Child) -> None:
        with self._lock:
            self._idle.append(child)


def _opening(assignment: Assignment) -> bytes:
    return messages.task_start(assignment.task.id, assignment.task.input)
