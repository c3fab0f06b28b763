"""The acceptance criteria of the original backlog, tasks 17 to 25, each a test of its own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kit import ECHO, Done, entry, runledger, write_suite

EXAMPLES = Path(__file__).parents[2] / "examples"
ROOT = Path(__file__).parents[2]

SEARCH = "TOOLS = {'search': lambda args: 'found ' + args['q']}\n"

WRONG_ON_E = """
task = read()
answer = call("search", q=task["input"]["q"])
good = task["input"]["q"] != "e"
send("final_output", output={"answer": answer["result"]} if good else {})
"""


def five_cases(path: Path, agent: str = ECHO) -> None:
    """Write a suite of five cases that all need an answer."""
    needs = [{"type": "required_fields", "fields": ["answer"]}]
    suite = write_suite(path, agent, assertions=needs, regression={"min_success_rate": 1.0})
    for id in "abcde":
        suite.case(id, [entry("search", "found", q=id)])


@pytest.fixture
def regressed(tmp_path: Path) -> Done:
    """Run a suite whose success rate was 1.0 in the baseline and is 0.8 now."""
    five_cases(tmp_path / "suite")
    runledger("run", "suite", "-q", cwd=tmp_path)
    promoted = runledger("baseline", "promote", "--from", "latest", "--to", "b.json", cwd=tmp_path)
    assert promoted.code == 0, promoted.err
    shutil.rmtree(tmp_path / ".agentci")
    five_cases(tmp_path / "suite", WRONG_ON_E)
    return runledger("run", "suite", "-q", "--baseline", "b.json", cwd=tmp_path)


def test_task_17_a_baseline_is_written_from_a_run_and_loaded_later(tmp_path: Path) -> None:
    """A run held against its own baseline passes."""
    first = runledger("run", EXAMPLES / "evals/demo", "-q", cwd=tmp_path)
    promoted = runledger("baseline", "promote", "--from", "latest", "--to", "b.json", cwd=tmp_path)
    done = runledger("diff", "--baseline", "b.json", "--run", "latest", cwd=tmp_path)

    baseline = json.loads((tmp_path / "b.json").read_text())
    assert (first.code, promoted.code, done.code) == (0, 0, 0), promoted.err + done.err
    assert baseline["suite_name"] == "demo"
    assert baseline["schema_version"] == 1
    assert {*baseline["cases"][0]} == {"id", "passed", "wall_ms", "tool_calls", "tool_errors"}
    assert {"success_rate", "avg_wall_ms", "p95_wall_ms"} <= {*baseline["aggregates"]}


def test_task_18_a_success_rate_that_drops_fails_with_a_clear_diff(regressed: Done) -> None:
    """From 1.0 to 0.8: the run fails, and the console says what changed and in which case."""
    assert regressed.code == 1
    assert "100%" in regressed.out
    assert "80%" in regressed.out
    assert "e" in regressed.summary["regression"]["cases"]["newly_failing"]


def test_task_18_the_diff_is_in_the_summary_too(regressed: Done) -> None:
    """Programs read the same verdict and the same figures."""
    regression = regressed.summary["regression"]
    checks = {check["id"]: check for check in regression["checks"]}

    assert regression["verdict"] == "fail"
    assert checks["min_success_rate"]["status"] == "fail"
    assert (checks["min_success_rate"]["baseline"], checks["min_success_rate"]["current"]) == (
        1,
        0.8,
    )


def test_task_19_diff_prints_a_regression_report(regressed: Done, tmp_path: Path) -> None:
    """It reads like the gate's own, and exits like it."""
    done = runledger("diff", "--baseline", "b.json", "--run", regressed.run, cwd=tmp_path)

    assert done.code == 1
    assert "80%" in done.out


def test_task_19_promote_writes_version_and_metrics(regressed: Done, tmp_path: Path) -> None:
    """A failing run is promoted only by somebody who says so."""
    words = ["baseline", "promote", "--from", regressed.run, "--to", "new.json"]
    refused = runledger(*words, cwd=tmp_path)
    done = runledger(*words, "--allow-failing", cwd=tmp_path)

    assert (refused.code, done.code) == (2, 0), done.err
    assert "--allow-failing" in refused.err
    assert json.loads((tmp_path / "new.json").read_text())["aggregates"]["success_rate"] == 0.8


def test_task_20_tools_run_without_any_service(tmp_path: Path) -> None:
    """Live mode calls the functions of a Python module."""
    suite = write_suite(tmp_path / "suite", ECHO, mode="live", tool_module="tools.py").case("a")
    (suite.path / "tools.py").write_text(SEARCH)
    done = runledger("run", "suite", "-q", cwd=tmp_path)

    assert done.code == 0, done.out + done.err
    assert '"answer":"found a"' in (done.run / "results.jsonl").read_text()


def test_task_20_the_mock_tool_answers_when_a_suite_names_it(tmp_path: Path) -> None:
    """A demo needs no tool of its own."""
    agent = ECHO.replace('"search"', '"mock_search_docs"')
    write_suite(tmp_path / "suite", agent, mode="live", tool_registry=["mock_search_docs"]).case(
        "a"
    )
    done = runledger("run", "suite", "-q", cwd=tmp_path)

    assert done.code == 0, done.out + done.err
    assert '"hits"' in (done.run / "results.jsonl").read_text()


def test_task_21_a_recorded_cassette_replays_with_the_same_results(tmp_path: Path) -> None:
    """Recording makes the cassette file; replay gives the same answers without the tools."""
    suite = write_suite(tmp_path / "suite", ECHO, tool_module="tools.py").case("a")
    (suite.path / "tools.py").write_text(SEARCH)
    (suite.path / "cassettes/a.jsonl").unlink()
    recorded = runledger("run", "suite", "--mode", "record", "-q", cwd=tmp_path)
    (suite.path / "tools.py").unlink()
    shutil.move(tmp_path / ".agentci", tmp_path / "recorded")
    replayed = runledger("run", "suite", "-q", cwd=tmp_path)

    (line,) = (suite.path / "cassettes/a.jsonl").read_text().splitlines()
    assert (recorded.code, replayed.code) == (0, 0), recorded.err + replayed.out
    assert json.loads(line) == entry("search", "found a", q="a")
    assert '"answer":"found a"' in (replayed.run / "results.jsonl").read_text()


def test_task_22_the_report_is_one_file_without_references(tmp_path: Path) -> None:
    """It needs no server and no network; what it shows in a browser is tested in tests/browser."""
    done = runledger("run", EXAMPLES / "evals/regression", "-q", cwd=tmp_path)
    page = (done.run / "report.html").read_text()

    assert page.startswith("<!doctype html>")
    assert "Content-Security-Policy" in page
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in page


def test_task_23_the_action_installs_runs_and_uploads() -> None:
    """What its steps do is tested in tests/action; this is the file that users refer to."""
    text = (ROOT / "action.yml").read_text()

    assert "using: composite" in text
    assert "upload-artifact" in text


def test_task_24_an_api_key_in_the_input_is_redacted_everywhere(tmp_path: Path) -> None:
    """Run directory, console and cassette show a placeholder in its place."""
    secret = "-".join(["correct", "horse", "battery", "staple"])
    agent = """
    task = read()
    answer = call("search", api_key=task["input"]["api_key"])
    print(task, file=sys.stderr)
    said = f"api_key={task['input']['api_key']}"
    send("final_output", output={"answer": answer["result"], "said": said})
    """
    suite = write_suite(tmp_path / "suite", agent, tool_module="tools.py")
    suite.case("a", input={"api_key": secret})
    (suite.path / "tools.py").write_text(
        "TOOLS = {'search': lambda args: {'token': args['api_key']}}\n"
    )
    done = runledger("run", "suite", "--mode", "record", cwd=tmp_path)

    assert done.code == 0, done.out + done.err
    written = [*done.run.iterdir(), suite.path / "cassettes/a.jsonl"]
    assert not [file.name for file in written if secret in file.read_text()]
    assert secret not in done.out + done.err
    assert "[REDACTED]" in (done.run / "run.jsonl").read_text()
    assert "[REDACTED:" in (suite.path / "cassettes/a.jsonl").read_text()
