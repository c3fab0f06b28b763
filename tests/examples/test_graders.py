"""The example graders judge what they say they judge."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kit import runledger

GRADERS = Path(__file__).resolve().parents[2] / "examples" / "graders"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Give a git repository with one commit."""
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "page.html").write_text("<p>hello</p>\n")
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "start")
    return repository


def git(repository: Path, *words: str) -> None:
    """Run git as somebody, whatever the machine's own settings say."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=repository, check=True)


def graded(cwd: Path, grader: str, **more: Any) -> tuple[int, dict[str, Any]]:
    """Grade one result in a directory."""
    line = {
        "id": "a",
        "input": "Add a button",
        "output": "I added the button",
        "trajectory": [],
        "metadata": {},
        "timing": {"start": 0, "end": 1},
        "toolErrors": False,
        **more,
    }
    results = (cwd.parent.parent if cwd.name == "src" else cwd.parent) / "results.jsonl"
    results.write_text(json.dumps(line) + "\n")
    done = runledger("grade", results, "-g", GRADERS / grader, cwd=cwd)
    return done.code, json.loads(done.out)


def test_an_answer_that_contains_what_is_expected_passes(tmp_path: Path) -> None:
    """Letter case aside."""
    (tmp_path / "here").mkdir()
    code, line = graded(tmp_path / "here", "contains_expected.py", expected="THE button")
    assert (code, line["score"]["pass"]) == (0, True)

    code, line = graded(tmp_path / "here", "contains_expected.py", expected="the menu")
    assert (code, line["score"]["pass"]) == (0, False)


def test_a_prompt_that_expects_nothing_cannot_be_judged(tmp_path: Path) -> None:
    """That is a fault, neither a pass nor a failure."""
    (tmp_path / "here").mkdir()
    code, line = graded(tmp_path / "here", "contains_expected.py")

    assert code == 3
    assert "score" not in line


def test_an_agent_that_only_says_it_changed_something_fails(repository: Path) -> None:
    """What counts is what git sees."""
    _, line = graded(repository, "git_grader.py", expected="<button")

    assert not line["score"]["pass"]
    assert "no file was changed" in line["score"]["reasoning"]


def test_a_change_of_the_right_file_passes(repository: Path) -> None:
    """The files are told as the outcome."""
    (repository / "page.html").write_text("<p>hello</p>\n<button>ok</button>\n")
    metadata = {"files": ["page.html"]}
    _, line = graded(repository, "git_grader.py", expected="<button", metadata=metadata)

    assert line["score"] == {"pass": True, "score": 1.0, "reasoning": "changed: page.html"}
    assert line["outcome"] == {"changed": {"page.html": "M"}}


def test_a_new_file_counts_from_any_directory_of_the_repository(repository: Path) -> None:
    """It need not be added to the index."""
    (repository / "src").mkdir()
    (repository / "src" / "button.html").write_text("<button>ok</button>\n")
    metadata = {"files": ["src/button.html"]}
    _, line = graded(repository / "src", "git_grader.py", expected="<button", metadata=metadata)

    assert line["score"]["pass"], line


def test_a_change_of_a_file_that_nobody_asked_for_fails(repository: Path) -> None:
    """It is named."""
    (repository / "page.html").write_text("<button>ok</button>\n")
    (repository / "odd.txt").write_text("x")
    _, line = graded(repository, "git_grader.py", metadata={"files": ["page.html"]})

    assert not line["score"]["pass"]
    assert "changed although nobody asked: odd.txt" in line["score"]["reasoning"]


def test_an_agent_cannot_make_the_grader_run_a_program(repository: Path) -> None:
    """What stands in the repository's own settings is not started."""
    trap = repository.parent / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {repository.parent}/sprung\n")
    trap.chmod(0o755)
    for setting in ("core.fsmonitor", "diff.external", "core.pager"):
        git(repository, "config", setting, str(trap))
    (repository / "page.html").write_text("<button>ok</button>\n")
    _, line = graded(repository, "git_grader.py", expected="<button")

    assert line["score"]["pass"], line
    assert not (repository.parent / "sprung").exists()


def test_outside_of_a_repository_the_grader_is_at_fault(tmp_path: Path) -> None:
    """It cannot judge there, and says what git said."""
    (tmp_path / "plain").mkdir()
    code, line = graded(tmp_path / "plain", "git_grader.py")

    assert code == 3
    assert "not a git repository" in line["errors"][0]
