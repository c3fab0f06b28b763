"""A small experiment on disk that loads, for tests to break in one place each."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from runledger.errors import SuiteError
from runledger.ledger.experiment import Experiment
from runledger.suite.experiment import load_experiment

DROP = object()

EXPERIMENT: dict[str, Any] = {
    "experiment_name": "lens",
    "tasks": "tasks.jsonl",
    "agent": {"command": ["claude", "--model", "sonnet"], "adapter": "claude"},
    "common": {"disallowed_tools": ["Task"], "forbid": {"tools": ["mcp__lens__*"]}},
    "conditions": {
        "without": {"baseline": True, "forbid": {"prompt": ["lens_context"]}},
        "with": {
            "prompt_prefix": {"command": ["{python}", "context.py", "{prompt}"], "tag": "lens"},
            "expect": {"prompt": ["<lens>"]},
        },
    },
    "order": {"seed": 7},
    "gates": [{"metric": "score", "min_difference": 0}],
}

TASK: dict[str, Any] = {
    "id": "t1",
    "input": "Where is the router?",
    "judge_criteria": ["names router.ts", {"id": "line", "text": "says line 7"}],
}


class Bench:
    """Write the files of an experiment and load it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.document = deepcopy(EXPERIMENT)
        self.tasks = [deepcopy(TASK)]
        self.write("context.py", "print('look at router.ts')\n")
        self.save()

    def write(self, path: str, content: str) -> Path:
        """Write a file of the experiment, with the directories it needs."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return file

    def change(self, path: str, value: Any) -> Bench:
        """Set a key of experiment.yaml, written with dots, or drop it."""
        _put(self.document, path.split("."), value)
        return self.save()

    def change_task(self, path: str, value: Any, task: int = 0) -> Bench:
        """Set a key of a task, or drop it."""
        _put(self.tasks[task], path.split("."), value)
        return self.save()

    def add_task(self, **keys: Any) -> Bench:
        """Add a task like the first one, but for these keys."""
        self.tasks.append({**TASK, **keys})
        return self.save()

    def save(self) -> Bench:
        """Write the experiment as it stands; JSON is YAML, too."""
        self.write("experiment.yaml", json.dumps(self.document, indent=1))
        self.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in self.tasks))
        return self

    def load(self) -> Experiment:
        """Load the experiment, which must be sound."""
        return load_experiment(self.root)

    def findings(self) -> list[str]:
        """Load the experiment, which must fail, and give the findings as a user reads them."""
        with pytest.raises(SuiteError) as caught:
            load_experiment(self.root)
        return [str(finding) for finding in caught.value.findings]

    def finding(self) -> str:
        """Load the experiment, which must fail for one reason, and give that."""
        findings = self.findings()
        assert len(findings) == 1, findings
        return findings[0]


def _put(document: Any, steps: list[str], value: Any) -> None:
    *above, last = steps
    for step in above:
        document = (
            document[int(step)] if isinstance(document, list) else document.setdefault(step, {})
        )
    if value is DROP:
        del document[last]
    elif isinstance(document, list):
        document[int(last)] = value
    else:
        document[last] = value
