"""What tests share: small suites on disk, real agents in them, and the real command run on them."""

from __future__ import annotations

import json
import os
import sys
import textwrap
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warm import run_warm

PREAMBLE = """
import json, os, signal, subprocess, sys, time

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else None

def send(type, **fields):
    print(json.dumps({"type": type, **fields}), flush=True)

def call(name, call_id="c1", **args):
    send("tool_call", name=name, call_id=call_id, args=args)
    return read()
"""

ECHO = """
task = read()
answer = call("search", q=task["input"]["q"])
send("final_output", output={"answer": answer["result"]})
"""


@dataclass
class SuiteOnDisk:
    """A suite in a directory of its own, whose agents carry a mark by which they can be found."""

    path: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def case(self, id: str, cassette: Sequence[Mapping[str, Any]] = (), **keys: Any) -> SuiteOnDisk:
        """Add a case, with its cassette."""
        cassettes = self.path / "cassettes"
        cassettes.mkdir(exist_ok=True)
        lines = "".join(json.dumps(entry) + "\n" for entry in cassette)
        (cassettes / f"{id}.jsonl").write_text(lines)
        document = {"id": id, "input": {"q": id}, "cassette": f"cassettes/{id}.jsonl", **keys}
        (self.path / "cases").mkdir(exist_ok=True)
        (self.path / "cases" / f"{id}.yaml").write_text(json.dumps(document))
        return self


def entry(tool: str, result: Any = None, **args: Any) -> dict[str, Any]:
    """Make a cassette entry."""
    return {"tool": tool, "args": args, "ok": True, "result": result}


def write_suite(path: Path, agent: str, **keys: Any) -> SuiteOnDisk:
    """Write a suite whose agent is this Python source, with a few words of protocol before it."""
    path.mkdir(parents=True, exist_ok=True)
    suite = SuiteOnDisk(path)
    (path / "agent.py").write_text(PREAMBLE + textwrap.dedent(agent))
    document = {
        "suite_name": "demo",
        "agent_command": ["{python}", "agent.py"],
        "mode": "replay",
        "cases_path": "cases",
        "tool_registry": ["search"],
        "env": {"set": {"RL_TEST_MARK": suite.mark}},
        **keys,
    }
    (path / "suite.yaml").write_text(json.dumps(document, indent=1))
    return suite


@dataclass
class Done:
    """What one use of the command came to."""

    code: int
    out: str
    err: str
    runs: list[Path]

    @property
    def run(self) -> Path:
        """Give the only run directory."""
        assert len(self.runs) == 1, (self.runs, self.out, self.err)
        return self.runs[0]

    @property
    def summary(self) -> dict[str, Any]:
        """Read the run's summary."""
        found: dict[str, Any] = json.loads((self.run / "summary.json").read_text())
        return found

    @property
    def events(self) -> list[dict[str, Any]]:
        """Read the run's event log."""
        return [json.loads(line) for line in (self.run / "run.jsonl").read_text().splitlines()]

    def case(self, id: str) -> dict[str, Any]:
        """Find a case in the summary."""
        return next(case for case in self.summary["cases"] if case["id"] == id)

    def failure_types(self, id: str) -> list[str]:
        """List the types of a case's failures."""
        return [failure["type"] for failure in self.case(id)["failures"]]

    def message(self, id: str) -> str:
        """Join the messages of a case's failures."""
        return "\n".join(failure["message"] for failure in self.case(id)["failures"])


def command(*words: str | Path) -> list[str]:
    """Write the command as this interpreter would start it."""
    return [sys.executable, "-m", "runledger", *map(str, words)]


def clean_environment(**more: str) -> dict[str, str]:
    """Give an environment in which no variable changes what the command does."""
    ours = ("RUNLEDGER_", "GITHUB_", "CI", "NO_COLOR", "FORCE_COLOR")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "COLUMNS": "80", **more}


def runledger(*words: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """Run the command in a directory and gather what it printed and wrote."""
    code, out, err = run_warm([*map(str, words)], cwd, clean_environment(**(env or {})))
    runs = sorted(cwd.glob(".agentci/runs/*/*"), key=lambda run: run.stat().st_ctime_ns)
    return Done(code, out, err, runs)


def survivors(mark: str) -> Iterator[int]:
    """Find living processes that carry a mark in their environment."""
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in environ.read_bytes():
                yield int(environ.parent.name)
        except OSError:
            continue
