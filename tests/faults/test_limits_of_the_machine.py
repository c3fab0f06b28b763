"""F38 to F40 and F45: a clock that jumps, few descriptors, little memory, other machines."""

from __future__ import annotations

import json
import shutil

import pytest

from runledger import registry
from scene import Scene, holds

HOUR_MS = 3_600_000
MANY = 10_000
LITTLE_MB = 400


@pytest.mark.parametrize("jump_after", [0, 3, 6, 12])
def test_f38_a_clock_that_jumps_back_changes_no_duration(scene: Scene, jump_after: int) -> None:
    """Durations come from the clock that only goes on: none is negative, none an hour."""
    plan = {"jump_s": -3600, "jump_after": jump_after}
    after = scene.run("-j", "1", plan=plan, cold=True)

    holds(after, code=0, a="passed", b="passed")
    walls = [case["wall_ms"] for case in after.summary["cases"]]
    lines = [json.loads(line) for line in (after.run / "results.jsonl").read_bytes().splitlines()]
    spans = [line["timing"]["end"] - line["timing"]["start"] for line in lines]
    steps = [step["timestamp"] for line in lines for step in line["trajectory"]]
    for ms in (*walls, *spans, *steps, after.summary["totals"]["wall_ms"]):
        assert 0 <= ms < HOUR_MS / 2


def test_f38_a_clock_that_jumps_ahead_lets_nobody_time_out(scene: Scene) -> None:
    """Deadlines do not come from it either."""
    after = scene.run("-j", "1", plan={"jump_s": 3600, "jump_after": 4}, cold=True)

    assert after.code == 0, after.err
    assert {case["status"] for case in after.summary["cases"]} == {"passed"}


def test_f39_many_jobs_with_few_descriptors_come_to_their_end(scene: Scene) -> None:
    """There are fewer jobs than were asked for, and every case passes."""
    scene.quick()
    for number in range(40):
        scene.case(f"more-{number}")
    after = scene.run("-q", "-j", "32", plan={"limits": {"NOFILE": 64}})

    holds(after, code=0, a="passed", b="passed")
    assert after.summary["totals"]["passed"] == 42


def test_f39_too_few_descriptors_for_anything_are_told(scene: Scene) -> None:
    """Nothing hangs, nothing passes unseen."""
    after = scene.run("-q", "-j", "32", plan={"limits": {"NOFILE": 14}})

    holds(after, code=3)
    assert "Too many open files" in after.err + after.out


def test_f40_many_cases_need_little_memory(scene: Scene) -> None:
    """Ten thousand cases pass under a limit of 400 MB."""
    serve = """
        while task := read():
            send("final_output", output={"answer": task["input"]["q"]})
    """
    scene.program(serve, agent_reuse=True, cases_path="cases.jsonl")
    shutil.rmtree(scene.suite.path / "cases")
    cassette = "cassettes/a.jsonl"
    lines = (
        json.dumps({"id": f"c{number}", "input": {"q": "x" * 100}, "cassette": cassette}) + "\n"
        for number in range(MANY)
    )
    (scene.suite.path / "cases.jsonl").write_text("".join(lines))
    after = scene.run("-q", plan={"limits": {"DATA": LITTLE_MB << 20}}, cold=True)

    holds(after, code=0)
    assert after.summary["totals"]["passed"] == MANY


def test_f45_only_this_machine_does_trials() -> None:
    """No worker can be lost: whoever adds an executor that has some brings its test of F45.

    A remote worker lost in the middle of a case is to be run again once, with one ending in the
    record.
    """
    assert set(registry.BUILT_IN["executors"]) == {"local"}
