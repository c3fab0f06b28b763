"""Experiments on disk, with a scripted agent that speaks a few JSON lines, for tests of `bench`."""

from __future__ import annotations

import csv
import json
import subprocess
import textwrap
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kit import Done, clean_environment, command, runledger

PREAMBLE = """
import json, os, signal, sys, time

prompt = sys.stdin.read()
task = prompt.partition("task ")[2].split()[0].strip(".")  # "this is task t1."
context = "<ctx>" in prompt

def say(type, **fields):
    print(json.dumps({"type": type, **fields}), flush=True)

def session(model="model-1", version="1.0", tools=("Read", "Grep"), servers=()):
    say("session", model=model, version=version, tools=list(tools), mcp_servers=list(servers))

def call(name, id="c1", **args):
    say("tool_call", id=id, name=name, input=args)
    say("tool_result", id=id, output="fine")

def answer(text, cost=0.01):
    say("answer", text=text, tokens_in=100, tokens_out=20, cost_usd=cost)

def times(name):
    "Count how often this has been asked before, over all processes."
    with open(name, "a+") as file:
        file.write("x")
        file.flush()
        file.seek(0)
        return len(file.read())

with open("asked.txt", "a") as asked:
    asked.write(f"{task} {'with' if context else 'without'}\\n")
"""

HONEST = """
session()
call("Read", file_path="notes.txt")
facts = "alpha beta" if context else "alpha"
answer(f"The answer to {task} is {facts}.\\nTotal tool calls made: 1\\nFiles read: 1")
"""

ADAPTER = {
    "schema_version": 1,
    "name": "lab",
    "prompt": {"via": "stdin"},
    "options": {"disallowed_tools": ["--without", "{value}"]},
    "events": [
        {
            "when": {"type": "session"},
            "step": "session",
            "fields": {
                name: name for name in ("model", "version", "tools", "mcp_servers")
            },
        },
        {
            "when": {"type": "tool_call"},
            "step": "tool_call",
            "fields": {"id": "id", "name": "name", "input": "input"},
        },
        {
            "when": {"type": "tool_result"},
            "step": "tool_result",
            "fields": {"id": "id", "output": "output"},
        },
    ],
    "result": {
        "text": {"when": {"type": "answer"}, "path": "text"},
        "usage": {
            "when": {"type": "answer"},
            "fields": {
                "tokens_in": "tokens_in", "tokens_out": "tokens_out", "cost_usd": "cost_usd"
            },
        },
    },
}  # fmt: skip

CRITERIA = [
    {"id": "alpha", "text": "It names alpha.", "check": {"contains": "alpha"}},
    {"id": "beta", "text": "It names beta.", "check": {"contains": "beta"}},
]


class Lab:
    """A directory with an experiment, and the commands run on it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.mark = uuid.uuid4().hex
        self.document: dict[str, Any] = {
            "experiment_name": "lab",
            "tasks": "tasks.jsonl",
            "agent": {
                "command": ["{python}", "agent.py"],
                "adapter": "adapter.json",
                "timeout_s": 30,
                "env": {"set": {"RL_TEST_MARK": self.mark}},
            },
            "conditions": {
                "without": {"baseline": True},
                "with": {"prompt_prefix": {"command": ["echo", "some context"], "tag": "ctx"}},
            },
            "order": {"seed": 11},
            "gates": [{"metric": "score", "min_difference": 0}],
        }
        self.file("adapter.json", json.dumps(ADAPTER))
        self.agent(HONEST).tasks(2)

    def set(self, **keys: Any) -> Lab:
        """Set keys of the experiment; objects are laid over what is there."""
        for key, value in keys.items():
            before = self.document.get(key)
            both = isinstance(value, Mapping) and isinstance(before, Mapping)
            self.document[key] = {**before, **value} if both and before else value
        return self

    def agent(self, source: str) -> Lab:
        """Write the agent, with a few words before it."""
        return self.file("agent.py", PREAMBLE + textwrap.dedent(source))

    def tasks(self, number: int, **keys: Any) -> Lab:
        """Write so many tasks."""
        lines = [
            {"id": f"t{n}", "input": f"this is task t{n}.", "judge_criteria": CRITERIA, **keys}
            for n in range(1, number + 1)
        ]
        return self.file("tasks.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def file(self, name: str, text: str) -> Lab:
        """Write a file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return self

    def bench(self, step: str, *flags: str, env: Mapping[str, str] | None = None) -> Done:
        """Run a step of `bench` on the experiment."""
        return runledger("bench", step, self._written(), *flags, cwd=self.path, env=env)

    def all_steps(self) -> Done:
        """Run, judge and report, all of which must work."""
        for step in ("run", "judge"):
            done = self.bench(step)
            assert done.code == 0, (step, done.out, done.err)
        return self.bench("report")

    def begin(self, step: str, *flags: str) -> subprocess.Popen[bytes]:
        """Begin a step as a real process with a group of its own."""
        return subprocess.Popen(
            command("bench", step, self._written(), *flags),
            cwd=self.path,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def until(self, name: str, lines: int) -> None:
        """Wait until a file has so many lines."""
        file, end = self.path / name, time.monotonic() + 60
        while not (file.exists() and len(file.read_text().splitlines()) >= lines):
            assert time.monotonic() < end, f"{name} never had {lines} lines"
            time.sleep(0.01)

    def _written(self) -> str:
        self.file("experiment.yaml", json.dumps(self.document, indent=1))
        return "experiment.yaml"

    @property
    def runs(self) -> list[Path]:
        """List the run directories, the oldest first."""
        return sorted(self.path.glob("bench/*"), key=lambda run: run.stat().st_ctime_ns)

    @property
    def run(self) -> Path:
        """Give the only run directory."""
        (run,) = self.runs
        return run

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Read results.jsonl."""
        return [json.loads(line) for line in (self.run / "results.jsonl").read_text().splitlines()]

    @property
    def plan(self) -> list[dict[str, Any]]:
        """Read plan.jsonl."""
        return [json.loads(line) for line in (self.run / "plan.jsonl").read_text().splitlines()]

    @property
    def summary(self) -> dict[str, Any]:
        """Read summary.json."""
        found: dict[str, Any] = json.loads((self.run / "summary.json").read_text())
        return found

    @property
    def timing(self) -> list[list[str]]:
        """Read timing.csv."""
        with (self.run / "runs" / "timing.csv").open(newline="") as file:
            return list(csv.reader(file))

    @property
    def asked(self) -> list[str]:
        """List what the agents were asked, in order: task and condition."""
        file = self.path / "asked.txt"
        return file.read_text().splitlines() if file.exists() else []

    @property
    def events(self) -> list[dict[str, Any]]:
        """Read the event log."""
        return [json.loads(line) for line in (self.run / "run.jsonl").read_text().splitlines()]

    def prompts(self) -> dict[tuple[str, str], str]:
        """Give the prompt that was sent, by task and condition."""
        return {
            (event["case_id"], event["condition"]): event["input"]
            for event in self.events
            if event["type"] == "task_start"
        }

    def causes(self) -> list[str]:
        """List the causes of all attempts that were discarded."""
        return [
            line["standing"]["cause"]
            for line in self.lines
            if line["standing"]["state"] == "discarded"
        ]
