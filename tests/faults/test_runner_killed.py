"""F29: the runner is killed with SIGKILL, again and again, and the run is resumed each time."""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import plant
from scene import PLANTED, After, Scene, holds

CASES = [f"case-{number}" for number in range(12)]
KILLED = 128 + signal.SIGKILL
ROUNDS, KILLS = 5, 10  # which makes 50

# Each agent notes that it was started. The bomb names a case and a moment in it; whoever finds
# its own name in it kills the runner then, once.
AGENT = f"""
secret = os.environ["{PLANTED}"]
task = read()
me = task["input"]["q"]
with open("../starts", "a") as starts:
    starts.write(me + "\\n")

def moment(number):
    with open("../bomb") as file:
        if file.read() != f"{{me}} {{number}}":
            return
    os.rename("../bomb", "../gone-off")
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()

moment(0)
subprocess.Popen(["sleep", "1000"], start_new_session=True) if me == "case-3" else None
moment(1)
send("log", level="info", message="prose with " + secret)
moment(2)
send("final_output", output={{"echo": secret}})
moment(3)
"""


@pytest.fixture
def many(scene: Scene) -> Scene:
    """Give a suite of twelve quick cases."""
    scene.program(AGENT, agent_command=["{python}", "-I", "-S", "agent.py"])
    shutil.rmtree(scene.suite.path / "cases")
    for id in CASES:
        scene.case(id)
    prepare(scene)
    return scene


def prepare(scene: Scene) -> None:
    """Forget all earlier runs."""
    shutil.rmtree(scene.path / ".agentci", ignore_errors=True)
    (scene.path / "starts").write_text("")
    (scene.path / "bomb").write_text("")


def go_on(scene: Scene, plan: plant.Plan | None = None) -> After:
    """Begin the run, or resume it; what was killed before its manifest was there is none."""
    runs = list(scene.path.glob(".agentci/runs/*/*"))
    begun = [run for run in runs if (run / "manifest.json").exists()]
    for run in set(runs) - set(begun):
        shutil.rmtree(run)
    flags = ["--resume", begun[0].name] if begun else []
    return scene.run("-q", *flags, plan=plan)


def starts(scene: Scene) -> Counter[str]:
    """Count how often each case was started."""
    return Counter((scene.path / "starts").read_text().split())


def ended(scene: Scene) -> set[str]:
    """List the cases that have ended in the record."""
    found = set()
    for log in scene.path.glob(".agentci/runs/*/*/run.jsonl"):
        events = map(json.loads, log.read_bytes().splitlines())
        found |= {event["case_id"] for event in events if event["type"] == "case_end"}
    return found


def strike(scene: Scene, chance: random.Random) -> After:
    """Go on until the runner is killed: at a step of the disk, or by an agent at some moment."""
    left = [id for id in CASES if id not in ended(scene)]
    if chance.random() < 0.5 or not left:
        return go_on(scene, {"kill": True, "at": chance.randint(1, 60), "below": ".agentci"})
    (scene.path / "bomb").write_text(f"{chance.choice(left)} {chance.randint(0, 3)}")
    after = go_on(scene)
    (scene.path / "bomb").write_text("")
    return after


def completed(scene: Scene, after: After) -> None:
    """Check that a run that was killed and resumed is as whole as one that was not."""
    holds(after, code=0, **dict.fromkeys(CASES, "passed"))
    run = after.run
    lines = [json.loads(line) for line in (run / "results.jsonl").read_bytes().splitlines()]
    assert Counter(line["id"] for line in lines) == Counter(CASES)
    assert starts(scene).keys() == set(CASES)
    log = [json.loads(line) for line in (run / "run.jsonl").read_bytes().splitlines()]
    for line in lines:
        attempts = [event["attempt"] for event in log if event.get("case_id") == line["id"]]
        assert attempts == sorted(attempts)
        assert set(attempts) == set(range(1, line["attempt"] + 1))


@pytest.mark.parametrize("part", range(ROUNDS))
def test_f29_a_killed_runner_is_resumed_until_all_is_done(many: Scene, part: int) -> None:
    """After each kill agents are dead, what had ended is not run again, and the rest is done."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 (shown when the test fails)
    chance, kills = random.Random(seed), 0
    while kills < KILLS:
        done, before = ended(many), starts(many)
        after = strike(many, chance)
        again = starts(many) - before
        assert not done & again.keys(), (done, again)
        if after.code == KILLED:
            holds(after, code=KILLED)
            kills += 1
        else:
            completed(many, after)
            prepare(many)
    completed(many, go_on(many))


def runner_below(process: subprocess.Popen[bytes]) -> int:
    """Find the runner, which is the guard's only child."""
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())


@pytest.fixture
def paused(scene: Scene) -> tuple[Scene, subprocess.Popen[bytes]]:
    """Start a run without a terminal, as CI does, and wait until its first case waits for good."""
    ready = scene.path / "ready"
    os.mkfifo(ready)
    fault = f"""
        if os.path.exists("met"):
            send("final_output", output={{}})
        else:
            open("met", "w").close()
            subprocess.Popen(["sleep", "1000"], start_new_session=True)
            open({str(ready)!r}, "w").close()
            signal.pause()
    """
    process = scene.agent(fault).start("run", "suite", "-j", "1")
    ready.read_bytes()
    return scene, process


def test_f29_the_guard_works_without_a_terminal(
    paused: tuple[Scene, subprocess.Popen[bytes]],
) -> None:
    """It ends what a killed runner leaves, and tells of it by its exit code."""
    scene, process = paused
    os.kill(runner_below(process), signal.SIGKILL)

    holds(scene.ended(process), code=KILLED)
    holds(scene.run("--resume", "latest"), code=0, a="passed", b="passed")


def test_f29_a_killed_guard_takes_the_runner_with_it(
    paused: tuple[Scene, subprocess.Popen[bytes]],
) -> None:
    """The runner ends its agents and its record in good order, and the run can be resumed."""
    scene, process = paused
    runner = os.pidfd_open(runner_below(process))
    process.kill()
    poll = select.poll()
    poll.register(runner, select.POLLIN)
    assert poll.poll(60_000), "the runner is still there"
    os.close(runner)
    after = scene.ended(process)

    holds(after, code=-signal.SIGKILL, a="unfinished", b="unfinished")
    assert after.summary["status"] == "interrupted"
    holds(scene.run("--resume", "latest"), code=0, a="passed", b="passed")
