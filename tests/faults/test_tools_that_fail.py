"""F42: tools of the user's that do what no tool should."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scene import WELL, Scene, holds

TOOLS = """
import os, subprocess, sys, time

def raises(args):
    raise ValueError("refused: " + os.environ["PLANTED_TOKEN"])

def returns_a_set(args):
    return {1, 2}

def exits(args):
    sys.exit(0)

def dies(args):
    os._exit(0)

def leaves(args):
    return subprocess.Popen(["sleep", "1000"], start_new_session=True).pid

def sleeps(args):
    while True:
        time.sleep(1000)

def search(args):
    return ["found"]

TOOLS = [raises, returns_a_set, exits, dies, leaves, sleeps, search]
"""

# All calls in one case: the process of the tools lives on, or is replaced, from each to the next.
CALLS = """
names = ["raises", "returns_a_set", "exits", "dies", "leaves", "search"]
heard = [call(name, call_id=name) for name in names]
send("final_output", output={one["call_id"]: one.get("error") for one in heard})
"""

GOOD = f'assert call("search")["ok"]\n{WELL}'


def staged(scene: Scene, fault: str, **keys: Any) -> Scene:
    """Write a suite with these tools; case `b` uses the one that is well."""
    names = ["raises", "returns_a_set", "exits", "dies", "leaves", "sleeps", "search"]
    scene.agent(fault, well=GOOD, tool_registry=names, tool_module="tools.py", **keys)
    (scene.suite.path / "tools.py").write_text(TOOLS)
    return scene


@pytest.mark.parametrize("mode", ["live", "record"])
def test_f42_whatever_a_tool_does_wrong_is_a_tool_error(scene: Scene, mode: str) -> None:
    """The agent is told in a few words, and neither the runner nor the case ends of it."""
    after = staged(scene, CALLS, mode=mode).run("--mode", mode)

    holds(after, code=0, a="passed", b="passed")
    told = after.result("a")["output"]
    assert told["raises"].startswith("ValueError: refused: [REDACTED")
    assert "not JSON: a value of type set" in told["returns_a_set"]
    assert "SystemExit: the code called sys.exit(0)" in told["exits"]
    assert "its process exited with status 0" in told["dies"]
    assert (told["leaves"], told["search"]) == (None, None)
    assert after.case("a")["tool_errors"] == 4


def test_f42_what_was_recorded_of_such_tools_is_replayed(scene: Scene) -> None:
    """Their errors are answers like any other, and hold no secret."""
    staged(scene, CALLS, mode="record").run("--mode", "record")
    lines = (scene.suite.path / "cassettes" / "a.jsonl").read_text().splitlines()
    recorded = [json.loads(line) for line in lines if '"tool"' in line]
    assert [one["ok"] for one in recorded] == [False, False, False, False, True, True]

    after = scene.command("run", "suite", "--mode", "replay", "--output-dir", ".agentci/again")

    holds(after, code=0)
    assert '"passed"' in next(scene.path.glob(".agentci/again/*/*/summary.json")).read_text()


def test_f42_a_tool_that_sleeps_for_ever_is_an_error_at_its_own_limit(scene: Scene) -> None:
    """The case goes on with the error, and the next call finds tools that work."""
    fault = 'slept = call("sleeps", call_id="s")\nassert call("search")["ok"]\n'
    answer = 'send("final_output", output={"told": slept["error"]})'
    after = staged(scene, fault + answer, mode="live", tool_timeout_s=2).run()

    holds(after, code=0, a="passed", b="passed")
    assert "timed out after 2 s" in after.result("a")["output"]["told"]


def test_f42_a_tool_that_runs_at_the_cases_limit_ends_the_case(scene: Scene) -> None:
    """A tool may not make a case last longer than it may."""
    after = staged(scene, 'call("sleeps")', mode="live", limit_ms=1500).run()

    holds(after, code=1, a="timeout", b="passed")


def test_f42_a_tool_module_that_exits_is_told_before_any_agent_starts(scene: Scene) -> None:
    """What cannot be imported is the user's to fix."""
    staged(scene, CALLS, mode="live")
    (scene.suite.path / "tools.py").write_text("import sys\nsys.exit(0)")

    after = scene.run()

    holds(after, code=2)
    assert "tools.py" in after.err
    assert "sys.exit(0)" in after.err
    assert not after.runs
