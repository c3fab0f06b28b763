"""Prompts on disk and an agent beside them, for tests that capture."""

from __future__ import annotations

import json
import subprocess
import textwrap
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit import PREAMBLE, Done, clean_environment, runledger
from kit import command as real_command

ECHO = """
task = read()
send("final_output", output={"said": task["input"]})
"""


@dataclass
class Desk:
    """A directory with prompts.jsonl and agent.py, and the command run in it."""

    path: Path

    def prompts(self, *lines: Mapping[str, Any] | str) -> Desk:
        """Write the prompts, each a line; a text is the input of one with an id of its own."""
        written = [
            json.dumps({"id": f"p{number}", "input": line} if isinstance(line, str) else line)
            for number, line in enumerate(lines, start=1)
        ]
        (self.path / "prompts.jsonl").write_text("".join(f"{line}\n" for line in written))
        return self

    def agent(self, source: str) -> Desk:
        """Write the agent, with a few words of protocol before it."""
        (self.path / "agent.py").write_text(PREAMBLE + textwrap.dedent(source))
        return self

    def file(self, name: str, text: str) -> Path:
        """Write a file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def capture(self, *flags: str, env: Mapping[str, str] | None = None) -> Done:
        """Capture all prompts with the agent."""
        return self.run("capture", *flags, env=env)

    def trials(self, *flags: str) -> Done:
        """Try all prompts several times."""
        return self.run("trials", *flags)

    def run(self, command: str, *flags: str, env: Mapping[str, str] | None = None) -> Done:
        """Run a command that asks the agent."""
        words = (command, "prompts.jsonl", "--protocol", "stdio", "python3", "agent.py", *flags)
        return runledger(*words, cwd=self.path, env=env)

    def begin(self, command: str, *flags: str) -> subprocess.Popen[bytes]:
        """Begin a command that asks the agent, as a real process with a group of its own."""
        words = (command, "prompts.jsonl", "--protocol", "stdio", "python3", "agent.py", *flags)
        return subprocess.Popen(
            real_command(*words),
            cwd=self.path,
            env=clean_environment(),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def until(self, name: str, text: str = "") -> None:
        """Wait until an agent has written a file, and a text at its end."""
        file = self.path / name
        while not (file.exists() and file.read_text().endswith(text)):
            time.sleep(0.01)

    def lines(self, name: str = "out.jsonl") -> list[dict[str, Any]]:
        """Read a file of results."""
        return [json.loads(line) for line in (self.path / name).read_text().splitlines()]

    def asked(self) -> list[str]:
        """List what agents were asked, in order, where they wrote it to asked.txt."""
        file = self.path / "asked.txt"
        return file.read_text().split() if file.exists() else []


NOTED_ECHO = """
task = read()
with open("asked.txt", "a") as file:
    file.write(task["task_id"] + "\\n")
send("final_output", output={"said": task["input"]})
"""
