"""runledger validate-refs: graders tried on answers that are known to be good."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit import Done, runledger

GRADER = """
def grade(input, output, expected):
    if output == "crash":
        raise RuntimeError("cannot judge this")
    return {"pass": expected in output, "score": 0.5, "reasoning": f"{input}: looked"}
"""


def validated(path: Path, *prompts: dict[str, Any]) -> Done:
    """Try the grader on the references of prompts."""
    (path / "check.py").write_text(GRADER)
    (path / "prompts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in prompts))
    return runledger("validate-refs", "prompts.jsonl", "-g", "check.py", cwd=path)


def prompt(id: str, **more: Any) -> dict[str, Any]:
    """Make a prompt that expects a yes."""
    return {"id": id, "input": "q", "expected": "yes", **more}


def test_references_that_pass_are_told_in_lines(tmp_path: Path) -> None:
    """Each line has the reference and the verdict; prompts without one are named."""
    done = validated(tmp_path, prompt("a", reference="oh yes"), prompt("b"))

    assert done.code == 0, done.err
    assert json.loads(done.out) == {
        "id": "a",
        "input": "q",
        "reference": "oh yes",
        "expected": "yes",
        "passes": True,
        "graderResult": {"pass": True, "score": 0.5, "reasoning": "q: looked"},
    }
    assert "without a reference: b" in done.err
    assert "references passed 1, failed 0, grader errors 0" in done.err


def test_a_reference_that_fails_is_exit_1(tmp_path: Path) -> None:
    """The grader or the reference is wrong: it is named."""
    done = validated(tmp_path, prompt("a", reference="oh yes"), prompt("b", reference="no"))

    assert done.code == 1
    assert [json.loads(line)["passes"] for line in done.out.splitlines()] == [True, False]
    assert "b: fails: check.py: q: looked" in done.err


def test_a_grader_error_is_exit_3(tmp_path: Path) -> None:
    """It goes over a reference that fails."""
    done = validated(tmp_path, prompt("a", reference="crash"), prompt("b", reference="no"))

    assert done.code == 3
    first = json.loads(done.out.splitlines()[0])
    assert first["errors"][0].startswith("grader error: check.py: RuntimeError")
    assert "passes" not in first


def test_prompts_without_any_reference_are_exit_2(tmp_path: Path) -> None:
    """There is nothing to try the grader on, and that is to be fixed."""
    done = validated(tmp_path, prompt("a"))

    assert done.code == 2
    assert "no prompt has a reference" in done.err


def test_a_malformed_prompt_is_exit_2(tmp_path: Path) -> None:
    """Its line is named."""
    done = validated(tmp_path, prompt("a", reference="yes"), {"id": "b"})

    assert done.code == 2
    assert "prompts.jsonl:2" in done.err
