"""The experiment of examples/bench, with claude in the place of its agent."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bench import HERE, LIMIT_S, echo_server, installed
from kit import Done, clean_environment, command
from lab import Lab
from peers import anthropic
from scripted_model.investigation import INVESTIGATE

EXAMPLE = HERE.parent / "examples" / "bench"
MCP_TOOL = "mcp__echo__echo_text"
SUFFIX = f"""\
When you are done, tell how many tools you called, how many files you read, and what you found.
SCRIPT: {INVESTIGATE}
"""


class ClaudeLab(Lab):
    """A copy of the example whose agent is claude, with an MCP server and a home of its own."""

    def __init__(self, path: Path, model: str) -> None:
        super().__init__(path)
        shutil.copytree(EXAMPLE, path, dirs_exist_ok=True)
        self.file("report.md", SUFFIX)
        self.file("mcp.json", json.dumps({"mcpServers": {"echo": json.loads(echo_server())}}))
        self._env = {
            "PATH": f"{installed() / '.bin'}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(path / "home"),
            "CLAUDE_CONFIG_DIR": str(path / "home" / "claude"),
            **anthropic(model),
        }
        self.document = yaml.safe_load((path / "experiment.yaml").read_text())
        config = ["--mcp-config", "{suite}/mcp.json", "--strict-mcp-config"]
        self.set(
            agent={
                "command": ["claude", "--model", "sonnet", *config],
                "adapter": "claude",
                "env": {"set": {"RL_TEST_MARK": self.mark}},
            },
            common={
                "disallowed_tools": ["Task", MCP_TOOL],
                "expect": {"tools": ["Read", "Bash"], "mcp_servers": ["echo"]},
                "prompt_suffix": "report.md",
            },
            order={"parallel_tasks": 2},
        )

    def only(self, *ids: str) -> ClaudeLab:
        """Leave out all tasks but these."""
        kept = (json.dumps(task) + "\n" for task in self.questions if task["id"] in ids)
        self.file("tasks.jsonl", "".join(kept))
        return self

    @property
    def questions(self) -> list[dict[str, Any]]:
        """Read the tasks."""
        return [json.loads(line) for line in (self.path / "tasks.jsonl").read_text().splitlines()]

    def bench(self, step: str, *flags: str, env: Mapping[str, str] | None = None) -> Done:
        """Run a step of `bench` as a process of its own."""
        done = subprocess.run(
            command("bench", step, self._written(), *flags),
            cwd=self.path,
            env=clean_environment(**self._env, **(env or {})),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr, self.runs)

    def begin(self, step: str, *flags: str) -> subprocess.Popen[bytes]:
        """Begin a step, and do not wait for it."""
        return subprocess.Popen(
            command("bench", step, self._written(), *flags),
            cwd=self.path,
            env=clean_environment(**self._env),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def sessions(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Give what claude told of each session, by task and condition."""
        return {
            (event["case_id"], event["condition"]): event["data"]
            for event in self.events
            if event["type"] == "log" and event["message"] == "session"
        }
