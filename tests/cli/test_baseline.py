"""Baselines through the command: what is refused, what is compared, what the exit code says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kit import ECHO, entry, runledger, write_suite

FAILS = """
read()
send("final_output", output={})
"""


FAILS_ON_A = """
task = read()
send("final_output", output={} if task["input"]["q"] == "a" else {"answer": 1})
"""


def suite(path: Path, *ids: str, agent: str = ECHO, name: str = "demo", **keys: Any) -> None:
    """Write a suite of cases that need an answer."""
    needs = [{"type": "required_fields", "fields": ["answer"]}]
    made = write_suite(path, agent, suite_name=name, assertions=needs, **keys)
    for id in ids:
        made.case(id, [entry("search", "found", q=id)] if agent == ECHO else [])


def promote(cwd: Path, to: str = "b.json", *more: str) -> int:
    """Make the latest run the baseline."""
    words = ("baseline", "promote", "--from", "latest", "--to", to)
    return runledger(*words, *more, cwd=cwd).code


@pytest.fixture
def promoted(tmp_path: Path) -> Path:
    """Give a directory with a suite of two cases and a baseline of it."""
    suite(tmp_path / "suite", "a", "b")
    runledger("run", "suite", "-q", cwd=tmp_path)
    assert promote(tmp_path) == 0
    return tmp_path


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda text: text.replace('"demo"', '"other"'), "other"),
        (lambda text: text.replace('"schema_version": 1', '"schema_version": 2'), "newer"),
        (lambda text: text[:-20], "b.json"),
        (lambda text: "[]", "b.json"),
        (lambda text: text.replace('"cases"', '"case"'), "cases"),
    ],
    ids=["foreign", "future", "torn", "list", "key"],
)
def test_a_baseline_that_cannot_be_used_is_refused_before_any_case_runs(
    promoted: Path, edit: Any, message: str
) -> None:
    """One clear message, exit 2, no new run; `diff` says the same."""
    file = promoted / "b.json"
    file.write_text(edit(file.read_text()))
    done = runledger("run", "suite", "--baseline", "b.json", cwd=promoted)
    diff = runledger("diff", "--baseline", "b.json", "--run", "latest", cwd=promoted)

    assert (done.code, diff.code, len(done.runs)) == (2, 2, 1)
    assert message in done.err
    assert message in diff.err
    assert "Traceback" not in done.err + diff.err


def test_a_baseline_that_is_named_must_be_there(promoted: Path) -> None:
    """A gate without its baseline would always pass."""
    done = runledger("run", "suite", "--baseline", "nope.json", cwd=promoted)

    assert (done.code, len(done.runs)) == (2, 1)
    assert "nope.json" in done.err


def test_a_suite_without_its_baseline_yet_says_how_to_make_one(tmp_path: Path) -> None:
    """The command names this very run, so that it cannot be another suite's."""
    suite(tmp_path / "suite", "a", baseline_path="../b.json")
    done = runledger("run", "suite", "-q", cwd=tmp_path)

    assert done.code == 0
    assert f"runledger baseline promote --from {done.run.relative_to(tmp_path)} --to" in done.err


def test_the_baseline_of_another_suite_is_not_overwritten(promoted: Path) -> None:
    """`latest` may be a run of another suite."""
    before = (promoted / "b.json").read_bytes()
    suite(promoted / "two", "x", name="two")
    runledger("run", "two", "-q", cwd=promoted)

    assert promote(promoted) == 2
    assert (promoted / "b.json").read_bytes() == before


def test_a_case_that_is_gone_fails_the_gate(promoted: Path) -> None:
    """Deleting a failing case is no way to pass; leaving it out with --case is another thing."""
    chosen = runledger("run", "suite", "-q", "--baseline", "b.json", "--case", "a", cwd=promoted)
    (promoted / "suite/cases/b.yaml").unlink()
    gone = runledger("run", "suite", "-q", "--baseline", "b.json", cwd=promoted)

    assert (chosen.code, gone.code) == (0, 1), gone.out
    assert "missing: b" in gone.out


def test_a_partial_run_is_not_promoted(promoted: Path) -> None:
    """A baseline without some cases would not miss them later."""
    before = (promoted / "b.json").read_bytes()
    runledger("run", "suite", "-q", "--case", "a", cwd=promoted)

    assert promote(promoted) == 2
    assert (promoted / "b.json").read_bytes() == before


def test_percent_means_percent(promoted: Path) -> None:
    """Twice as slow is +100 percent: 99 does not allow it, 101 does."""
    file = promoted / "b.json"
    run = runledger("run", "suite", "-q", "-j", "1", cwd=promoted).runs[-1]
    now = json.loads((run / "summary.json").read_text())["totals"]["avg_wall_ms"]
    baseline = json.loads(file.read_text())
    baseline["aggregates"]["avg_wall_ms"] = now / 2
    file.write_text(json.dumps(baseline))
    manifest = json.loads((run / "manifest.json").read_text())
    codes = []
    for allowed in (99, 101):
        manifest["regression"] = {
            "max_avg_wall_ms_delta_pct": allowed,
            "latency_gate": "fail",
            "abs_floor_ms": 0,
        }
        (run / "manifest.json").write_text(json.dumps(manifest))
        codes.append(runledger("diff", "--baseline", "b.json", "--run", run, cwd=promoted).code)

    assert codes == [1, 0]


def test_some_cases_may_fail_but_not_those_that_passed(tmp_path: Path) -> None:
    """A rate below 1.0 allows a share of failing cases, except where they passed before."""
    half = {"regression": {"min_success_rate": 0.5}}
    suite(tmp_path / "suite", "a", agent=FAILS, **half)
    runledger("run", "suite", "-q", cwd=tmp_path)
    assert promote(tmp_path, "b.json", "--allow-failing") == 0
    suite(tmp_path / "suite", "a", "b", agent=FAILS_ON_A, **half)
    done = runledger("run", "suite", "-q", "--baseline", "b.json", cwd=tmp_path)

    assert done.code == 0, done.out


@pytest.mark.parametrize("format", ["text", "json", "markdown"])
def test_diff_has_three_forms(promoted: Path, format: str) -> None:
    """For people, programs and pull requests; each has the verdict."""
    words = ["diff", "--baseline", "b.json", "--run", "latest", "--format", format]
    done = runledger(*words, cwd=promoted)

    assert done.code == 0
    assert "pass" in done.out.lower()
    if format == "json":
        assert json.loads(done.out)["verdict"] == "pass"


def test_a_pipe_is_no_baseline(promoted: Path) -> None:
    """Reading it would wait for ever."""
    os.mkfifo(promoted / "pipe")
    done = runledger("run", "suite", "--baseline", "pipe", cwd=promoted)

    assert done.code == 2
    assert "plain file" in done.err


@pytest.mark.parametrize("target", ["suite/suite.yaml", "suite/agent.py"])
def test_promote_overwrites_nothing_but_a_baseline(promoted: Path, target: str) -> None:
    """A slip of the hand must not cost a file."""
    before = (promoted / target).read_bytes()

    assert promote(promoted, target) == 2
    assert (promoted / target).read_bytes() == before


def test_recording_with_a_baseline_that_is_not_there_is_told(promoted: Path) -> None:
    """Though a recording is compared with none."""
    (promoted / "suite/tools.py").write_text("TOOLS = {'search': lambda args: 1}\n")
    text = (promoted / "suite/suite.yaml").read_text()
    added = text.replace('"mode"', '"tool_module": "tools.py", "mode"')
    (promoted / "suite/suite.yaml").write_text(added)
    words = ["run", "suite", "--mode", "record", "--baseline", "nope.json"]

    assert runledger(*words, cwd=promoted).code == 2
