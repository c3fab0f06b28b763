"""F50: a recording that fails half-way."""

from __future__ import annotations

import signal

import pytest

from kit import entry
from scene import Scene, holds

TOOLS = """
import os, time

def search(args):
    if args["q"] == "die":
        os._exit(7)
    if args["q"] == "raise":
        raise ValueError("no index")
    return "found " + args["q"]

TOOLS = {"search": search}
"""

ASK = """
answer = call("search", q="first")
{then}
send("final_output", output={{"answer": "fine"}})
"""

OLD = entry("search", "an older answer", q="first")


def recording(scene: Scene, then: str = "", **keys: object) -> bytes:
    """Write a suite whose case `a` has a cassette and is recorded anew; give the cassette."""
    scene.agent(ASK.format(then=then), tool_module="tools.py", **keys)
    (scene.suite.path / "tools.py").write_text(TOOLS)
    scene.case("a", [OLD], budgets={"max_wall_ms": scene.limits_ms["a"]})
    return cassette(scene)


def cassette(scene: Scene) -> bytes:
    """Read the cassette of case `a`."""
    return (scene.suite.path / "cassettes" / "a.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("then", "end"),
    [
        ('call("search", "c2", q="die"); sys.exit(3)', "agent_exited_early"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "agent_exited_early"),
        ("print('no JSON', flush=True)", "protocol_error"),
        ('call("search", "c2", q="raise"); send("task_error", message="gave up")', "task_error"),
        ('call("other", "c2")', "tool_not_allowed"),
    ],
    ids=["a tool dies", "the agent dies", "a protocol error", "the agent gives up", "not allowed"],
)
def test_f50_a_recording_that_fails_leaves_the_old_cassette(
    scene: Scene, then: str, end: str
) -> None:
    """It is byte-identical, whatever was recorded until then; the other case is recorded."""
    before = recording(scene, then)
    after = scene.run("--mode", "record")

    holds(after, code=1, a=end, b="passed")
    assert cassette(scene) == before


def test_f50_a_recording_that_is_judged_bad_leaves_the_old_cassette(scene: Scene) -> None:
    """The agent came to its end, but its answer is not what was asked for."""
    before = recording(scene, assertions=[{"type": "required_fields", "fields": ["missing"]}])
    after = scene.run("--mode", "record", "--case", "a")

    holds(after, code=1, a="failed")
    assert cassette(scene) == before


@pytest.mark.parametrize("kill", [False, True], ids=["the disk is full", "killed"])
def test_f50_a_cassette_that_cannot_be_put_in_place_is_the_old_one(
    scene: Scene, kill: bool
) -> None:
    """At no step is it anything but the old one or the new one; a full disk leaves the old one."""
    before = recording(scene)
    counted = scene.run("--mode", "record", "--case", "a", plan={"below": "a.jsonl"})
    holds(counted, code=0, a="passed")
    new = cassette(scene)
    assert new != before
    for number in range(1, counted.told["steps"] + 1):
        (scene.suite.path / "cassettes" / "a.jsonl").write_bytes(before)
        plan = {"at": number, "below": "a.jsonl", "kill": kill, "error": "ENOSPC", "for_good": True}
        after = scene.run("--mode", "record", "--case", "a", plan=plan)

        holds(after, code=128 + signal.SIGKILL if kill else 3)
        assert cassette(scene) in ((before, new) if kill else (before,))


def test_f50_a_recording_that_was_killed_leaves_the_old_cassette(scene: Scene) -> None:
    """The runner is killed in the middle of the case."""
    before = recording(scene, "os.kill(os.getppid(), signal.SIGKILL); signal.pause()")
    after = scene.run("--mode", "record", "--case", "a")

    holds(after, code=128 + signal.SIGKILL)
    assert cassette(scene) == before
