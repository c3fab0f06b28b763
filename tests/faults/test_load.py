"""Load: many cases, many jobs, many calls, many runs; `make soak` does the same with more of all.

The soak's figures are 10 000 cases, 2 000 calls in a case and 100 runs at once.
"""

from __future__ import annotations

import json

import pytest

from crowd import many_calls, many_cases, many_runs
from scene import Scene, holds

CASES = 1000
CALLS = 2000
RUNS = 20
KEPT_KB = 1.0  # of a finished case in memory


@pytest.mark.parametrize("jobs", ["2", "64"])
def test_load_of_many_cases_loses_none_and_keeps_memory_flat(scene: Scene, jobs: str) -> None:
    """Every one of 1 000 cases passes once, and next to nothing of it stays in memory."""
    after = many_cases(scene, CASES).run("-j", jobs, "-q", plan={"weigh": CASES // 2})

    holds(after, code=0)
    assert after.summary["totals"]["passed"] == CASES
    assert after.told["left_open"] == 0
    half, whole = after.told["weights_mb"]
    assert (whole - half) * 1024 <= KEPT_KB * CASES / 2


def test_load_of_many_tool_calls_is_answered_one_by_one(scene: Scene) -> None:
    """Of 2 000 calls, in turn or all open at once, each gets its own answer."""
    after = many_calls(scene, CALLS).run()

    holds(after, code=0, a="passed", b="passed")
    assert [case["tool_calls"] for case in after.summary["cases"]] == [CALLS, CALLS]
    assert [case["cassette"]["unused"] for case in after.summary["cases"]] == [0, 0]


@pytest.mark.timeout(300)  # on a machine that others share, twenty at once take their time
def test_load_of_many_runs_at_once_gives_each_a_directory_of_its_own(scene: Scene) -> None:
    """Twenty runs that are started together in one output directory are all whole."""
    after = many_runs(scene, RUNS)

    holds(after, code=0)
    assert len(after.runs) == RUNS
    summaries = [json.loads((run / "summary.json").read_text()) for run in after.runs]
    assert {summary["run_id"] for summary in summaries} == {run.name for run in after.runs}
    assert all(summary["totals"]["passed"] == 2 for summary in summaries)
