"""F44 and its kin: a run that was broken off is gone on with, if nothing changed since."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scene import After, Scene, holds

ONCE = """
if not os.path.exists(os.environ["SPARED"]):
    open(os.environ["SPARED"], "w").close()
    os.kill(os.getppid(), signal.SIGKILL)  # the runner, in the middle of a case
    signal.pause()
send("final_output", output={"answer": "fine"})
"""
COUNT = """
with open(os.environ["STARTS"], "a") as starts:
    starts.write(task["input"]["q"] + "\\n")
"""


def broken_off(scene: Scene, *flags: str, **keys: Any) -> After:
    """Kill the runner in the middle of case `a`, when case `0` has ended and `b` not begun."""
    spared, starts = scene.path / "spared", scene.path / "starts"
    scene.agent(
        COUNT + ONCE,
        well=COUNT + 'send("final_output", output={"answer": "fine"})',
        set={"SPARED": str(spared), "STARTS": str(starts)},
        **keys,
    ).case("0")
    after = scene.command("run", "suite", "-j", "1", *flags)
    holds(after, code=128 + 9)
    return after


def starts(scene: Scene) -> list[str]:
    """List the cases that agents were started for, in order."""
    return (scene.path / "starts").read_text().split()


def test_a_killed_run_is_gone_on_with_and_finished_work_is_not_done_twice(scene: Scene) -> None:
    """What was broken off is a new attempt in the record, and there is one run in the end."""
    broken_off(scene)
    after = scene.run("--resume", "latest")

    holds(after, code=0, a="passed", b="passed", **{"0": "passed"})
    assert sorted(starts(scene)) == ["0", "a", "a", "b"]
    ends = {event["case_id"]: event for event in after.events if event["type"] == "case_end"}
    assert {id: event["attempt"] for id, event in ends.items()} == {"0": 1, "a": 2, "b": 1}


def test_a_run_of_which_nothing_is_left_is_shown_again(scene: Scene) -> None:
    """Going on with a finished run starts nothing and changes no record."""
    before = scene.run()
    log = (before.run / "run.jsonl").read_bytes()
    after = scene.run("--resume", before.run.name)

    holds(after, code=0, a="passed", b="passed")
    assert "nothing is left to do" in after.err
    assert (after.run / "run.jsonl").read_bytes() == log


def test_the_latest_run_is_that_of_the_suite(scene: Scene) -> None:
    """A newer run of another suite in the same place is not meant."""
    broken_off(scene)
    other = Scene(scene.path / "other")
    other.command("run", "suite", "--output-dir", scene.path / ".agentci" / "runs" / "x", "-q")
    (scene.path / ".agentci/runs/x/demo").rename(scene.path / ".agentci/runs/another")
    after = scene.command("run", "suite", "--resume", "latest")

    assert after.code == 0, after.err


def edit_case(suite: Path) -> None:
    """Change what a case asks."""
    change(suite / "cases" / "b.yaml", input={"q": "other"})


def edit_cassette(suite: Path) -> None:
    """Change what a tool answers."""
    line = {"tool": "search", "args": {}, "ok": True, "result": 1}
    (suite / "cassettes" / "0.jsonl").write_text(json.dumps(line) + "\n")


def edit_agent(suite: Path) -> None:
    """Change the agent's program."""
    (suite / "agent.py").write_text("another\n")


def edit_command(suite: Path) -> None:
    """Change how the agent is started."""
    change(suite / "suite.yaml", agent_command=["{python}", "-u", "agent.py"])


def edit_limits(suite: Path) -> None:
    """Change a budget, which is part of every case."""
    change(suite / "suite.yaml", budgets={"max_tool_calls": 7})


def edit_thresholds(suite: Path) -> None:
    """Change something that changes no case."""
    change(suite / "suite.yaml", regression={"max_avg_wall_ms_delta_pct": 50})


def change(file: Path, **keys: object) -> None:
    """Set keys of a suite or a case."""
    file.write_text(json.dumps({**json.loads(file.read_text()), **keys}))


def add_case(suite: Path) -> None:
    """Write one more case."""
    shutil.copy(suite / "cases" / "b.yaml", suite / "cases" / "z.yaml")
    change(suite / "cases" / "z.yaml", id="z")


def remove_case(suite: Path) -> None:
    """Take a case away that has not been run."""
    (suite / "cases" / "b.yaml").unlink()


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (edit_case, "case b was edited"),
        (edit_cassette, "cassettes/0.jsonl, the cassette of case 0, was changed"),
        (edit_agent, "agent.py was edited"),
        (edit_command, "the way the agent is started was changed"),
        (edit_limits, "case 0 was edited"),
        (edit_thresholds, "suite.yaml was edited"),
        (add_case, "case z was added"),
        (remove_case, "case b was removed"),
    ],
)
def test_f44_a_suite_that_was_edited_is_not_gone_on_with(
    scene: Scene, edit: Callable[[Path], None], told: str
) -> None:
    """What changed is named, nothing is started, and the record stays as it is."""
    before = broken_off(scene)
    log, begun = (before.run / "run.jsonl").read_bytes(), starts(scene)
    edit(scene.suite.path)
    after = scene.run("--resume", str(before.run))

    holds(after, code=2)
    assert told in after.err
    assert (after.run / "run.jsonl").read_bytes() == log
    assert starts(scene) == begun


def edit_grader(suite: Path) -> None:
    """Change a program that judges."""
    (suite / "grader.py").write_text("another\n")


def edit_template(suite: Path) -> None:
    """Change what an agent finds in its workspace."""
    (suite / "repo" / "new.txt").write_text("x")


@pytest.mark.parametrize(
    ("edit", "told"), [(edit_grader, "grader.py was edited"), (edit_template, "repo was edited")]
)
def test_f44_files_that_judge_or_are_worked_on_count_too(
    scene: Scene, edit: Callable[[Path], None], told: str
) -> None:
    """A grader or a workspace that was edited is named like an agent."""
    (scene.suite.path / "repo").mkdir()
    grader = "import json; print(json.dumps({'pass': True, 'score': 1.0}))"
    (scene.suite.path / "grader.py").write_text(grader)
    keys = {"workspace": {"from": "repo"}, "agent_command": ["{python}", "{suite}/agent.py"]}
    broken_off(scene, assertions=[{"type": "script", "command": ["python3", "grader.py"]}], **keys)
    edit(scene.suite.path)
    after = scene.run("--resume", "latest")

    holds(after, code=2)
    assert told in after.err


def test_a_first_recording_is_gone_on_with_in_its_own_mode(scene: Scene) -> None:
    """The suite says replay, and has no cassettes yet; in CI the mode must be said."""
    keys = {"tool_registry": [], "agent_command": ["{python}", "{suite}/agent.py"]}
    broken_off(scene, "--mode", "record", **keys)
    for id in "ab":
        (scene.suite.path / "cassettes" / f"{id}.jsonl").unlink()
    after = scene.run("--resume", "latest")

    holds(after, code=0, a="passed", b="passed")
    assert after.summary["mode"] == "record"


def test_the_gate_is_not_lost_by_going_on(scene: Scene) -> None:
    """A run that was begun with a baseline is held against it, and against no other edition."""
    scene.case("0").run("-q")
    baseline = scene.path / "baseline.json"
    scene.command("baseline", "promote", "--from", "latest", "--to", baseline)
    before = broken_off(scene, "--baseline", str(baseline))
    run = before.runs[-1]
    text = baseline.read_text()
    baseline.write_text(text.replace('"passed"', '"failed"', 1))
    refused = scene.run("--resume", str(run))
    baseline.write_text(text)
    after = scene.run("--resume", str(run))

    assert refused.code == 2
    assert f"{baseline}, the baseline, was changed" in refused.err
    assert json.loads((run / "summary.json").read_text())["regression"]
    assert after.code == 0, after.err


def test_what_was_spent_before_is_spent(scene: Scene) -> None:
    """A limit on the cost holds over all launches together, and so does the time."""
    costly = 'send("usage", cost_usd=1); send("final_output", output={})'
    scene.agent(costly, well=costly)
    first = scene.command("run", "suite", "-j", "1", "--max-total-cost-usd", "1")
    wall_ms = first.summary["totals"]["wall_ms"]
    second = scene.command("run", "suite", "--resume", "latest", "--max-total-cost-usd", "1")

    holds(second, code=3, a="passed", b="unfinished")
    assert second.summary["totals"]["cost_usd"] == 1
    assert second.summary["totals"]["wall_ms"] >= wall_ms // 2


def test_results_that_are_no_file_are_refused(scene: Scene) -> None:
    """A pipe in their place is not waited for."""
    run = broken_off(scene).run
    (run / "results.jsonl").unlink()
    os.mkfifo(run / "results.jsonl")
    after = scene.run("--resume", "latest")

    assert after.code == 2
    assert "results.jsonl cannot be read: it is not a plain file" in after.err


def test_not_every_change_of_many_is_listed(scene: Scene) -> None:
    """What was edited for all cases at once is named first, and the rest is counted."""
    for number in range(20):
        scene.case(f"c{number}")
    broken_off(scene)
    edit_limits(scene.suite.path)
    after = scene.run("--resume", "latest")

    assert after.code == 2
    assert "since it began:\n  suite.yaml was edited\n" in after.err
    assert "and 14 more" in after.err
