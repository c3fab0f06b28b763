"""F35 and F37: many runs at once in one place, and what the dead leave locked there."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kit import command
from runledger.store.lines import is_held
from scene import After, Scene, holds

AT_ONCE = 6

# A clock that stands still, and a draw from few numbers: every name is wanted several times.
MAKE = """
import random, sys
from pathlib import Path
from runledger.ledger.clock import Clock
from runledger.store.rundir import make_run_directory
sys.stdin.readline()
clock = Clock(lambda: 1_700_000_000.123, lambda: 0.0, lambda: f"{random.randrange(400):06x}")
for _ in range(25):
    print(make_run_directory(Path("runs"), clock).name)
"""


def test_f35_runs_of_the_same_millisecond_get_distinct_directories(tmp_path: Path) -> None:
    """A hundred runs of several processes draw the same names and share none."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", MAKE],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    names = [name for process in processes for name in process.communicate()[0].split()]

    assert len(names) == 100
    assert len(set(names)) == 100
    assert set(names) == {path.name for path in (tmp_path / "runs").iterdir()}


def test_f35_commands_at_once_do_not_meet(scene: Scene) -> None:
    """Each has a directory and a whole record of its own."""
    started = [
        subprocess.Popen(
            command("run", "suite", "-q", "-j", "1", "--case", "b"),
            cwd=scene.path,
            env=scene.environment(),
            stdout=subprocess.DEVNULL,
        )
        for _ in range(AT_ONCE)
    ]
    codes = [process.wait(100) for process in started]
    after = After(scene, max(codes), "", "", 0.0, {})

    assert codes == [0] * AT_ONCE
    assert len(after.runs) == AT_ONCE
    holds(after, code=0)


HOLD = """
import signal, sys
from pathlib import Path
from runledger.store.lines import LineLog
log = LineLog(Path(sys.argv[1]), alone=True)
print("held", flush=True)
signal.pause()
"""


@pytest.fixture
def holder(scene: Scene) -> tuple[subprocess.Popen[str], Path]:
    """Leave a run that was broken off, and have another process hold its log."""
    plan = {"kill": True, "at": 1, "steps": ["write"], "below": "results.jsonl"}
    killed = scene.run("-q", plan=plan)
    holds(killed, code=128 + signal.SIGKILL)
    log = killed.run / "run.jsonl"
    words = [sys.executable, "-c", HOLD, str(log)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    process.stdout.close()
    return process, log


def test_f37_what_a_dead_process_held_is_taken_at_once(
    scene: Scene, holder: tuple[subprocess.Popen[str], Path]
) -> None:
    """As long as it lives, the run is refused; killed, it is in nobody's way."""
    process, log = holder
    before = log.read_bytes()
    refused = scene.run("-q", "--resume", "latest")
    assert is_held(log)
    process.kill()
    process.wait()

    assert not is_held(log)
    holds(refused, code=3)
    assert "is being written by another process" in refused.err
    assert log.read_bytes() == before
    holds(scene.run("-q", "--resume", "latest"), code=0, a="passed", b="passed")


def test_f37_a_killed_runner_holds_nothing_through_its_agents(scene: Scene) -> None:
    """A child that outlived the runner for a moment has no lock of it."""
    fault = """
        fds = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")
               if os.path.exists(f"/proc/self/fd/{fd}")]
        send("final_output", output={"files": [name for name in fds if name.endswith("jsonl")]})
    """
    after = scene.agent(fault).run("-q")

    holds(after, code=0, a="passed", b="passed")
    lines = [json.loads(line) for line in (after.run / "results.jsonl").read_bytes().splitlines()]
    assert [line["output"] for line in lines if line["id"] == "a"] == [{"files": []}]
    assert not is_held(after.run / "run.jsonl")
