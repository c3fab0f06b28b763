"""A small GitHub runner: the steps of our action, in order, in the shell that GitHub uses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from kit import clean_environment

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
SHELL = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
FILES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV", "GITHUB_PATH")

EXPRESSION = re.compile(r"\$\{\{ ([a-z]+)\.([\w.-]+) \}\}")


@dataclass
class Done:
    """What a step came to."""

    code: int
    log: str
    outputs: dict[str, str]


@dataclass
class Runner:
    """A job that uses the action: its workspace, its files, and what its steps gave."""

    home: Path
    inputs: dict[str, str] = field(default_factory=dict)
    steps: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        """Give the directory in which steps run."""
        return self.home / "workspace"

    @property
    def summary(self) -> str:
        """Read the step summary."""
        return (self.home / "GITHUB_STEP_SUMMARY").read_text()

    def step(self, id: str, **more: str) -> Done:
        """Run a step of the action's, and keep its outputs for the next ones."""
        process = self.start(id, **more)
        log, _ = process.communicate(timeout=100)
        return self.ended(id, process.returncode, log)

    def start(self, id: str, **more: str) -> subprocess.Popen[str]:
        """Start a step as GitHub would, with its files fresh."""
        step = next(one for one in STEPS if one.get("id") == id)
        (self.home / "temp").mkdir(exist_ok=True)
        self.workspace.mkdir(exist_ok=True)
        for name in FILES:
            (self.home / name).write_text("")
        script = self.home / "script.sh"
        script.write_text(step["run"])
        return subprocess.Popen(
            [*SHELL, script],
            cwd=self.workspace,
            env={**self._environment(), **self._expanded(step["env"]), **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def ended(self, id: str, code: int, log: str) -> Done:
        """Read what a step that has ended left in its files."""
        self.steps[id] = outputs_in((self.home / "GITHUB_OUTPUT").read_text())
        return Done(code, log, self.steps[id])

    def _environment(self) -> dict[str, str]:
        files = {name: str(self.home / name) for name in FILES}
        return clean_environment(
            **files,
            CI="true",
            GITHUB_ACTIONS="true",
            GITHUB_ACTION_PATH=str(ROOT),
            RUNNER_OS="macOS" if sys.platform == "darwin" else "Linux",
            RUNNER_TEMP=str(self.home / "temp"),
        )

    def _expanded(self, env: Mapping[str, str]) -> dict[str, str]:
        return {name: EXPRESSION.sub(self._value, value) for name, value in env.items()}

    def _value(self, expression: re.Match[str]) -> str:
        if expression[1] == "inputs":
            default = ACTION["inputs"][expression[2]].get("default", "")
            return self.inputs.get(expression[2], default)
        step, _, output = expression[2].partition(".outputs.")
        return self.steps.get(step, {}).get(output, "")


def outputs_in(text: str) -> dict[str, str]:
    """Read outputs as GitHub does: `name=value`, or `name<<mark`, lines, and the mark alone."""
    found = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, marked, mark = line.partition("<<")
        if not marked or "=" in name:
            name, _, found[name] = line.partition("=")
            continue
        value = []
        while (one := next(lines)) != mark:
            value.append(one)
        found[name] = "\n".join(value)
    return found


def run_step(home: Path, python: Path, **inputs: str) -> tuple[Runner, Done]:
    """Run the step that runs suites, in an environment that was installed before."""
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    runner = Runner(home, given, {"install": {"python": str(python)}})
    return runner, runner.step("run")


def interpreter() -> dict[str, str]:
    """Give what setup-python would: the interpreter that runs the tests."""
    return {"python-path": os.path.realpath(sys.executable)}
