"""The example suites do what their README says, by the command that a user would type."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from runledger.ledger.assertion import Assertion, Custom

EVALS = Path(__file__).resolve().parents[2] / "examples" / "evals"


def run_suite(name: str, cwd: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Run an example suite and return its exit code and summary."""
    command = [sys.executable, "-m", "runledger", "run", EVALS / name, "--output-dir", "runs"]
    done = subprocess.run([*command, *options], cwd=cwd, capture_output=True, text=True)
    found = list(cwd.glob("runs/*/*/summary.json"))
    assert len(found) == 1, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.returncode, json.loads(found[0].read_text("utf-8"))


def failures_of(summary: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """List the failures of each case."""
    return {case["id"]: case["failures"] for case in summary["cases"]}


@pytest.mark.parametrize(
    ("suite", "cases"), [("demo", 3), ("support", 10), ("node", 3), ("library", 2)]
)
def test_an_example_suite_passes(suite: str, cases: int, tmp_path: Path) -> None:
    """Every case of a suite that is meant to pass does, and its whole cassette is used."""
    if suite == "node":
        assert shutil.which("node"), "the node suite needs Node 20 or newer on PATH"

    code, summary = run_suite(suite, tmp_path)

    assert failures_of(summary) == {case["id"]: [] for case in summary["cases"]}
    assert (code, summary["totals"]["passed"]) == (0, cases)


def test_one_case_of_the_demo_runs_alone(tmp_path: Path) -> None:
    """`--case t1` runs t1 and nothing else."""
    code, summary = run_suite("demo", tmp_path, "--case", "t1")

    assert code == 0
    assert [case["id"] for case in summary["cases"]] == ["t1"]


def test_the_support_agent_reports_what_it_used(tmp_path: Path) -> None:
    """Tokens and cost of the usage messages reach the summary."""
    _, summary = run_suite("support", tmp_path, "--tag", "refund")

    assert {case["id"] for case in summary["cases"]} == {"refund", "refund_too_large"}
    assert all(case["tokens_out"] > 0 and case["cost_usd"] > 0 for case in summary["cases"])


def test_the_regression_suite_fails_for_its_three_reasons(tmp_path: Path) -> None:
    """Each careless change of its agent is caught by one case, and the fourth still passes."""
    code, summary = run_suite("regression", tmp_path)
    failures = failures_of(summary)
    types = {case: {failure["type"] for failure in found} for case, found in failures.items()}

    assert code == 1
    assert "cassette_miss" in types["changed_query"]
    assert "assertion_failed" in types["empty_reply"] & types["skipped_search"]
    assert "json_schema" in json.dumps(failures["empty_reply"])
    assert "must_call" in json.dumps(failures["skipped_search"])
    assert types["unharmed"] == set()


def test_the_support_suite_shows_every_assertion() -> None:
    """Each assertion type, and each form of tool_args, occurs in the support suite."""
    documents = [EVALS / "support" / "suite.yaml", *(EVALS / "support" / "cases").glob("*.yaml")]
    shown = [
        assertion
        for path in documents
        for assertion in yaml.safe_load(path.read_text("utf-8")).get("assertions", [])
    ]
    forms = {key for one in shown if one["type"] == "tool_args" for key in one}

    assert {one["type"] for one in shown} == {
        kind.type
        for kind in get_args(Assertion)
        if kind is not Custom  # of the command line
    }
    assert {"schema_path", "equals", "contains"} <= forms


def test_the_library_records_what_is_in_its_cassettes(tmp_path: Path) -> None:
    """Its tools, in Python and on an MCP server, still answer as they did."""
    shutil.copytree(EVALS / "library", tmp_path / "library")
    command = [sys.executable, "-m", "runledger", "run", "library", "--mode", "record"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)

    for file in (EVALS / "library" / "cassettes").iterdir():
        assert (tmp_path / "library" / "cassettes" / file.name).read_bytes() == file.read_bytes()
