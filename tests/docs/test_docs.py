"""The commands in the documentation do what it says they do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kit import clean_environment

ROOT = Path(__file__).parents[2]
SANDBOX = "docs/how-to/sandbox.md"
PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/how-to.md",
    "docs/reference.md",
    "docs/tutorial-capture.md",
    "docs/how-to/compare.md",
    "docs/how-to/graders.md",
    "docs/how-to/real-agents.md",
    "docs/reference/capture.md",
    "docs/reference/graders.md",
    "docs/how-to/unmodified-agents.md",
    "docs/reference/proxies.md",
    "docs/tutorial-experiment.md",
    "docs/how-to/experiments.md",
    "docs/reference/experiments.md",
    SANDBOX,
]

NEEDS = {SANDBOX: pytest.mark.bwrap}

FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Step:
    """A command of a page, the exit code it announces and the lines that it shows."""

    command: str
    code: int = 0
    shown: list[str] = field(default_factory=list)


def steps_in(block: str) -> list[Step]:
    """Read the commands of a console block: `$ command  # exit N`, then lines of output."""
    steps: list[Step] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            command, _, code = line[2:].partition("  # exit ")
            steps.append(Step(command, int(code or 0)))
        elif line.strip():
            steps[-1].shown.append(line)
    return steps


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Give a directory with the examples, in which `runledger` is a command."""
    shutil.copytree(ROOT / "examples", tmp_path / "work" / "examples")
    script = tmp_path / "bin" / "runledger"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m runledger "$@"\n')
    script.chmod(0o755)
    return tmp_path / "work"


def run(step: Step, place: Path) -> None:
    """Run a command and compare what it printed with what the page shows."""
    path = f"{place.parent / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", step.command],
        cwd=place,
        env=clean_environment(PATH=path),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == step.code, printed
    for line in step.shown:
        pattern = ".*".join(re.escape(part) for part in re.split(r"\s*…\s*", line))
        assert re.search(rf"^{pattern}", printed, re.MULTILINE), (line, printed)


@pytest.mark.parametrize("page", [pytest.param(page, marks=NEEDS.get(page, ())) for page in PAGES])
def test_the_page_is_true(page: str, place: Path) -> None:
    """Files that the page shows are written, its commands are run, and print what it says."""
    for block in FENCE.finditer((ROOT / page).read_text()):
        info, body = block["info"], block["body"]
        if "file=" in info:
            file = place / info.partition("file=")[2]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body)
        if info == "console":
            for step in steps_in(body):
                run(step, place)


def test_the_python_example_works(place: Path) -> None:
    """The library is used as the how-to shows."""
    page = (ROOT / "docs/how-to.md").read_text()
    (source,) = [one["body"] for one in FENCE.finditer(page) if one["info"] == "python"]
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=place, capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("passed .agentci/runs/demo/")


@pytest.mark.parametrize(
    "page", [*PAGES, "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/explanation.md"]
)
def test_links_lead_somewhere(page: str) -> None:
    """Every relative link of a page names a file that exists."""
    source = ROOT / page
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", source.read_text()):
        assert (source.parent / target).exists(), target


def test_the_readme_shows_the_demo_suite_as_it_is() -> None:
    """The suite in the README is the one in the examples."""
    suite = (ROOT / "examples/evals/demo/suite.yaml").read_text()

    assert suite in (ROOT / "README.md").read_text()
