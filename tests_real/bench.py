"""Asking a real agent through the real command, and what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from kit import clean_environment, command, survivors

HERE = Path(__file__).parent
LIMIT_S = 400

Json = dict[str, Any]


def installed() -> Path:
    """Give the directory that `make test-agents` installed the npm packages in."""
    if "RUNLEDGER_AGENTS" not in os.environ:
        pytest.fail("RUNLEDGER_AGENTS does not say where the agents are: run make test-agents")
    return Path(os.environ["RUNLEDGER_AGENTS"]) / "node_modules"


def ask(script: str, *more: str, **keys: Any) -> Json:
    """Write a prompt that names a script, or several in turn."""
    turns = [f"Do as the script says.\nSCRIPT: {one}" for one in (script, *more)]
    return {"id": script, "input": turns if more else turns[0], **keys}


def echo_server() -> str:
    """Write the MCP server that the tests bring along as the value of --mcp-server."""
    script = str(HERE / "echo_server.py")
    return json.dumps({"name": "echo", "command": sys.executable, "args": [script]})


@dataclass(frozen=True)
class Answers:
    """What a capture came to: its exit code, its lines by id, and the files that agents made."""

    code: int
    err: str
    lines: Mapping[str, Json]
    workspaces: Path
    survivors: Sequence[int]

    def __getitem__(self, id: str) -> Json:
        assert id in self.lines, (self.code, self.err)
        return self.lines[id]

    def steps(self, id: str, type: str = "tool_call") -> list[Json]:
        """List the steps of one type."""
        return [step for step in self[id]["trajectory"] if step["type"] == type]

    def files(self, id: str) -> dict[str, str]:
        """Read the files that the agent left in its workspace."""
        found = (self.workspaces / id).glob("*.txt")
        return {path.name: path.read_text() for path in found}


@dataclass(frozen=True)
class Bench:
    """An agent on the bench: its command, the flags it needs, and a home of its own."""

    place: Path
    agent: Sequence[str] = ()  # the words of AGENT
    flags: Sequence[str] = ()  # of capture
    own_flags: Sequence[str] = ()  # of the agent, after --
    env: Mapping[str, str] = field(default_factory=dict)  # of whoever calls the command
    passed: Sequence[str] = ()  # names of it that the agent gets

    def but(self, **changes: Any) -> Bench:
        """Change something about it."""
        return replace(self, **changes)

    def capture(self, *prompts: Json, flags: Sequence[str] = ()) -> Answers:
        """Ask the agent some prompts, each in a workspace of its own that stays."""
        place = self.place / uuid.uuid4().hex
        (place / "home").mkdir(parents=True)
        (place / "prompts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in prompts))
        mark = uuid.uuid4().hex
        done = subprocess.run(
            self._words(mark, flags),
            cwd=place,
            env=self._environment(place / "home"),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        lines = _lines(place / "out.jsonl")
        left = list(survivors(mark))
        return Answers(done.returncode, done.stderr, lines, place / "workspaces", left)

    def _words(self, mark: str, flags: Sequence[str]) -> list[str]:
        ours = ["-o", "out.jsonl", "--workspace-dir", "workspaces", "--keep"]
        names = [f"--env={name}" for name in (*self.passed, f"RL_TEST_MARK={mark}")]
        rest = ["--", *self.agent, *self.own_flags]
        return command("capture", *ours, *names, *self.flags, *flags, "prompts.jsonl", *rest)

    def _environment(self, home: Path) -> dict[str, str]:
        path = f"{installed() / '.bin'}{os.pathsep}{os.environ['PATH']}"
        return clean_environment(PATH=path, HOME=str(home), **self.env)


def _lines(path: Path) -> dict[str, Json]:
    if not path.exists():
        return {}
    found = [json.loads(line) for line in path.read_text().splitlines()]
    return {line["id"]: line for line in found}
