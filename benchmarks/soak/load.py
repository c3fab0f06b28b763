"""Much of everything: many cases, many jobs, many calls in a case, many runs at once."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from crowd import many_calls, many_cases, many_runs
from scene import After, Scene, holds

CASES, MOST_JOBS, CALLS, RUNS = 10_000, 64, 2_000, 100
PATIENCE_S = 1800
KEPT_KB = 1.0  # of a finished case in memory


def loads(place: Path) -> Iterator[str]:
    """Bring every load and tell its figures."""
    yield _cases(place / "two-jobs", 2)
    yield _cases(place / "many-jobs", MOST_JOBS)
    yield _calls(place / "calls")
    yield _runs(place / "runs")


def _cases(place: Path, jobs: int) -> str:
    scene, tenth = many_cases(_scene(place), CASES), CASES // 10
    plan = {"weigh": tenth}
    after, cost = _measured(lambda: scene.run("-q", "-j", str(jobs), plan=plan, cold=True))
    holds(after, code=0)
    assert after.summary["totals"]["passed"] == CASES, after.summary["totals"]
    assert after.told["left_open"] == 0, after.told
    first, last = after.told["weights_mb"][0], after.told["weights_mb"][-1]
    kept_kb = (last - first) * 1024 / (CASES - tenth)
    assert kept_kb <= KEPT_KB, after.told
    flat = f"{last:.1f} MB at the last case, {last / first:.3f} of that at case {tenth:,}"
    return (
        f"{CASES:,} cases, {jobs} jobs: {cost}, {flat} ({kept_kb:.3f} KB a case), "
        f"peak {after.told['peak_mb']:.0f} MB with the views, {_files(after)}"
    )


def _calls(place: Path) -> str:
    scene = many_calls(_scene(place), CALLS)
    after, cost = _measured(lambda: scene.run("-q", cold=True))
    holds(after, code=0, a="passed", b="passed")
    assert after.told["left_open"] == 0, after.told
    assert all(case["tool_calls"] == CALLS for case in after.summary["cases"])
    peak = f"peak {after.told['peak_mb']:.0f} MB"
    return f"{CALLS:,} calls in turn, {CALLS:,} at once: {cost}, {peak}, {_files(after)}"


def _runs(place: Path) -> str:
    after, cost = _measured(lambda: many_runs(_scene(place), RUNS))
    holds(after, code=0)
    assert len(after.runs) == RUNS, after.runs
    return f"{RUNS} runs at once: {cost}, {len(after.runs)} directories, {_files(after)}"


def _scene(place: Path) -> Scene:
    place.mkdir()
    return Scene(place, patience_s=PATIENCE_S)


def _measured(work: Callable[[], After]) -> tuple[After, str]:
    """Do it, and tell its cost: the time of all processors, and what a clock says."""
    before, started = _cpu_s(), time.perf_counter()
    after = work()
    wall_s = time.perf_counter() - started
    return after, f"{_cpu_s() - before:.1f} s CPU in {wall_s:.1f} s"


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _files(after: After) -> str:
    files = [file for run in after.runs for file in run.iterdir()]
    lines = sum(file.read_bytes().count(b"\n") for file in files if file.suffix == ".jsonl")
    return f"{len(files)} files, {lines:,} lines"
