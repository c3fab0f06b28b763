"""examples/bench, driven from its plan to its verdict, and killed on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from kit import clean_environment, command, runledger

EXAMPLE = Path(__file__).parents[2] / "examples" / "bench"
HANGS_AT_THE_SEVENTH = """
import os, time
with open("../asked.txt", "a+") as asked:
    asked.write("x")
    asked.flush()
    asked.seek(0)
    if len(asked.read()) == 7:
        open("../hangs", "w").close()
        time.sleep(1000)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Give a copy of the example."""
    shutil.copytree(EXAMPLE, tmp_path / "bench-example")
    return tmp_path


def bench(place: Path, step: str, *flags: str) -> str:
    """Run a step, which must work, and give what it printed."""
    done = runledger("bench", step, "bench-example", *flags, cwd=place)
    assert done.code == 0, (step, done.out, done.err)
    return done.out + done.err


def the_run(place: Path) -> Path:
    """Give the only run."""
    (run,) = (place / "bench").iterdir()
    return run


def summary(place: Path) -> dict[str, Any]:
    """Read the summary of the only run."""
    found: dict[str, Any] = json.loads((the_run(place) / "summary.json").read_text())
    return found


def attempts(place: Path) -> list[dict[str, Any]]:
    """Read the attempts of the only run."""
    return [json.loads(one) for one in (the_run(place) / "results.jsonl").read_text().splitlines()]


def test_the_example_goes_from_its_plan_to_its_verdict(place: Path) -> None:
    """Every step works, and the verdict is what the agent was scripted for."""
    bench(place, "plan", "--dry-run")
    assert "12 runs" in bench(place, "plan")
    bench(place, "run")
    assert "12 of 12" in bench(place, "status")
    bench(place, "judge")
    report = bench(place, "report")

    found = summary(place)
    assert report.startswith("GO")
    assert (found["verdict"], found["status"], found["unjudged"]) == ("pass", "done", 0)
    scores = {one["name"]: one["score"] for one in found["conditions"]}
    assert scores["with"] > scores["without"] + 40
    (agreement,) = found["agreements"]
    assert 0 < agreement["kappa"] < 1


def test_the_example_killed_half_way_goes_on(place: Path) -> None:
    """Nothing that had finished is run again, and the verdict is the same."""
    agent = place / "bench-example" / "agent.py"
    agent.write_text(HANGS_AT_THE_SEVENTH + agent.read_text().replace("from __future__", "#"))
    words = command("bench", "run", "bench-example")
    process = subprocess.Popen(
        words, cwd=place, env=clean_environment(), stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not (place / "bench-example" / "hangs").exists():
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = attempts(place)

    bench(place, "run")
    bench(place, "judge")
    bench(place, "report")

    after = attempts(place)
    assert len(before) == 6
    assert after[:6] == before
    assert len(after) == 12
    assert len((place / "bench-example" / "asked.txt").read_text()) == 13
    assert summary(place)["verdict"] == "pass"
