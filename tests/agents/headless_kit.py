"""What the tests of the headless driver share: agents as scripts, and adapters for them."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from runledger.agents import Asked, Assignment, Post, Said
from runledger.agents.headless import HeadlessDriver
from runledger.errors import AgentError
from runledger.ledger.adapter import Adapter, ErrorRule, EventRule, ResultRules, TextRule, UsageRule
from runledger.ledger.event import FinalOutput, Raw, TaskError
from runledger.ledger.suite import AgentSettings, McpServer
from runledger.ledger.task import Task
from runledger.ledger.trajectory import Exit
from runledger.ledger.value import Json
from runledger.process.deadline import Deadline
from runledger.process.supervisor import Supervisor

PREAMBLE = """
import json, os, signal, subprocess, sys, time

def say(**fields):
    print(json.dumps(fields), flush=True)

"""

LINES = Adapter(
    "lines",
    options={"resume": ("--resume", "{session}"), "mcp_config": ("--mcp", "{file}")},
    events=(
        EventRule({"type": "start"}, "session", {"id": ("session",), "model": ("model",)}),
        EventRule({"type": "say"}, "message", {"text": ("text",), "delta": ("part",)}),
        EventRule({"type": "think"}, "thought", {"text": ("text",), "delta": ("part",)}),
        EventRule({"type": "call"}, "tool_call", {"id": ("id",), "name": ("name",)}),
        EventRule({"type": "called"}, "tool_result", {"id": ("id",), "output": ("output",)}),
    ),
    result=ResultRules(
        text=(TextRule({"type": "end"}, ("text",)),),
        error=(ErrorRule({"type": "error"}, ("message",)),),
        usage=(
            UsageRule({"type": "end"}, {"tokens_in": ("in", "cached"), "tokens_out": ("out",)}),
        ),
    ),
)
"""An adapter for the scripts of these tests."""

TEXT = Adapter("text", lines=False)


@dataclass
class Heard:
    """What a session came to."""

    said: list[Asked | Said]
    exit: Exit
    fault: AgentError | None = None

    @property
    def steps(self) -> list[Asked | Said]:
        """Give what was said, without the lines as they came."""
        return [one for one in self.said if not isinstance(one, Raw)]

    @property
    def raw(self) -> list[Raw]:
        """Give the lines as they came."""
        return [one for one in self.said if isinstance(one, Raw)]

    @property
    def output(self) -> Json:
        """Give the answer."""
        assert isinstance(self.said[-1], FinalOutput), (self.said[-1:], self.fault)
        return self.said[-1].output


@dataclass
class Bench:
    """A place where agents given as Python source are asked things."""

    supervisor: Supervisor
    path: Path

    def agent(self, source: str, adapter: Adapter = LINES, *words: str) -> AgentSettings:
        """Write an agent, and give the settings that start it."""
        script = self.path / "agent.py"
        script.write_text(PREAMBLE + textwrap.dedent(source))
        command = (sys.executable, str(script), *words)
        return AgentSettings(command, "headless", adapter=adapter, grace_ms=2000)

    def driver(self, agent: AgentSettings) -> HeadlessDriver:
        """Make the driver of an agent."""
        env = {"PATH": os.environ["PATH"]}
        return HeadlessDriver(Post(self.supervisor, agent, env, str(self.path)))

    def ask(self, agent: AgentSettings, input: Json = "hi", limit_s: float = 30.0) -> Heard:
        """Ask an agent, and hear it out."""
        deadline = Deadline.after(limit_s)
        assignment = Assignment(Task("t1", input), deadline, str(self.path))
        session = self.driver(agent).start(assignment)
        heard = Heard([], Exit())
        try:
            heard.said.extend(session.begin())
            while not _ended(heard.said):
                heard.said.append(session.next())
            heard.said.extend(session.leave())
        except AgentError as fault:
            heard.fault = fault
        finally:
            heard.exit = session.close()
        return heard


def program(path: Path, source: str) -> Path:
    """Write a program of this Python source, wherever the interpreter is."""
    path.with_suffix(".py").write_text(source)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{path}.py" "$@"\n')
    path.chmod(0o755)
    return path


def _ended(said: list[Asked | Said]) -> bool:
    return bool(said) and isinstance(said[-1], (FinalOutput, TaskError))


@contextmanager
def bench_in(path: Path) -> Iterator[Bench]:
    """Open a bench in a directory."""
    with Supervisor() as supervisor:
        yield Bench(supervisor, path)


def server(name: str) -> McpServer:
    """Make the settings of an MCP server."""
    return McpServer(name, "serve", ("--quiet",), {"KEY": "value"})
