"""A suite for an agent as it is: recorded with a scripted model, and replayed without any."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from bench import LIMIT_S, Json, installed
from kit import Done, clean_environment, command, survivors
from suites import MARK

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
_ABOVE_WORKSPACES = re.compile(r"(?:/[\w.-]+)+/(?=runledger-)")


@dataclass(frozen=True)
class Gate:
    """A suite on disk, run each time from a working directory of its own."""

    path: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def document(self) -> Json:
        """Read the suite."""
        found: Json = yaml.safe_load((self.path / "suite.yaml").read_text())
        return found

    def write(self, **keys: Any) -> Gate:
        """Write the suite."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / "suite.yaml").write_text(json.dumps(keys, indent=1))
        return self

    def file(self, name: str, text: str) -> Gate:
        """Write a file of the suite."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return self

    def case(self, id: str, input: str | Sequence[str], **keys: Any) -> Gate:
        """Add a case, with a cassette of its name unless another is meant."""
        document = {"id": id, "input": input, "cassette": f"cassettes/{id}.jsonl", **keys}
        return self.file(f"cases/{id}.yaml", json.dumps(document))

    def cassettes(self) -> dict[str, str]:
        """Read what was recorded."""
        return {path.stem: path.read_text() for path in self.path.glob("cassettes/*.jsonl")}

    def copy(self, path: Path) -> Gate:
        """Copy the suite to another place."""
        shutil.copytree(self.path, path)
        return Gate(path, self.mark)

    def lead_to(self, model: str) -> Gate:
        """Let it ask another model, at the same path."""
        document = self.document
        proxy = document["proxies"]["model"]
        proxy["upstream"] = model + urlsplit(proxy["upstream"]).path
        return self.write(**document)

    def run(self, *flags: str, **env: str) -> Done:
        """Run the suite in a new directory, where only the environment may hold a key."""
        place = self.path.parent / f"cwd-{uuid.uuid4().hex[:8]}"
        (place / "home").mkdir(parents=True)
        done = subprocess.run(
            command("run", self.path, *flags),
            cwd=place,
            env=self._environment(place / "home", env),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr, [*place.glob(".agentci/runs/*/*")])

    def left(self) -> list[int]:
        """List the processes that a run began and left behind."""
        return list(survivors(self.mark))

    def _environment(self, home: Path, more: dict[str, str]) -> dict[str, str]:
        path = f"{installed() / '.bin'}{os.pathsep}{os.environ['PATH']}"
        clean = clean_environment(PATH=path, HOME=str(home))
        kept = {name: value for name, value in clean.items() if name not in KEYS}
        return {**kept, MARK: self.mark, **more}


def results(done: Done) -> dict[str, Json]:
    """Read what each case came to, but for what no two runs share: times, and where it was."""
    text = _ABOVE_WORKSPACES.sub("", (done.run / "results.jsonl").read_text())
    return {line["id"]: _timeless(line) for line in map(json.loads, text.splitlines())}


def _timeless(line: Json) -> Json:
    steps = [
        {name: value for name, value in step.items() if name not in ("timestamp", "duration")}
        for step in line["trajectory"]
    ]
    return {name: value for name, value in line.items() if name != "timing"} | {"trajectory": steps}
