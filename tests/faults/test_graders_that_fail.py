"""F48: graders that cannot judge; what was captured stays."""

from __future__ import annotations

import json
import sys

from scene import After, Scene, holds

# What a grader in sh does in place of a verdict, and what is told of it.
IN_SH = {
    "crashes": ('echo "$PLANTED_TOKEN is refused" >&2; exit 3', "it exited with status 3"),
    "dies": ("kill -SEGV $$", "it was ended by SIGSEGV"),
    "rubbish": ("echo fine", "not one JSON object"),
    "silent": ("true", "not one JSON object"),
    "seven": ("""echo '{"pass": true, "score": 7}'""", "7"),
    "no-score": ("""echo '{"pass": true}'""", "score"),
    "flood": ("cat /dev/zero", "it printed more than 1048576 bytes"),
}

IN_PYTHON = """
import os, sys, time

def grade(input, output, **rest):
    match input:
        case {"q": "crashes"}: raise ValueError("refused: " + os.environ["PLANTED_TOKEN"])
        case {"q": "exits"}: sys.exit(0)
        case {"q": "dies"}: os._exit(0)
        case {"q": "rubbish"}: return "fine"
        case {"q": "seven"}: return {"pass": True, "score": 7}
    return {"pass": True, "score": 1}
"""

ANSWER = 'send("final_output", output={"answer": "fine"})'


def script(text: str) -> dict[str, object]:
    """Write an assertion that is a program in sh."""
    command = ["sh", "-c", f"cat >/dev/null; {text}"]
    return {"assertions": [{"type": "script", "command": command}]}


def test_f48_a_program_that_cannot_judge_is_at_fault(scene: Scene) -> None:
    """Whatever it does, the run is not valid, the answer is kept and the other cases are judged."""
    scene.agent(ANSWER, well=ANSWER)
    for id, (text, _) in IN_SH.items():
        scene.case(id, **script(text))

    after = scene.run()

    holds(after, code=3, a="passed", b="passed", **dict.fromkeys(IN_SH, "grader_error"))
    for id, (_, words) in IN_SH.items():
        assert words in after.failure(id)["message"], id
        assert after.case(id)["status"] == "error"
        assert after.result(id)["output"] == {"answer": "fine"}
    assert after.summary["status"] == "invalid"


def test_f48_a_program_that_hangs_is_ended_and_at_fault(scene: Scene) -> None:
    """It is given its time and no more, with all that it started."""
    hang = "sleep 1000 & trap '' TERM; while true; do sleep 1000; done"
    after = scene.agent(ANSWER).case("a", **script(hang)).run("--grader-timeout", "1")

    holds(after, code=3, a="grader_error", b="passed")
    assert "did not finish within 1 s" in after.failure("a")["message"]
    assert after.result("a")["output"] == {"answer": "fine"}


def test_f48_a_function_that_cannot_judge_is_at_fault(scene: Scene) -> None:
    """It is asked anew for the next answer, and costs none of what was captured."""
    ids = ["crashes", "exits", "dies", "rubbish", "seven", "well"]
    after = captured(scene, IN_PYTHON, ids)

    holds(after, code=3, well="passed", **dict.fromkeys(ids[:-1], "grader_error"))
    lines = [json.loads(line) for line in after.out.splitlines()]
    assert {line["id"] for line in lines} == set(ids)
    assert all(line["output"] == {"answer": "fine"} for line in lines)


def test_f48_a_function_that_hangs_is_ended_and_at_fault(scene: Scene) -> None:
    """Its process is replaced for the next answer."""
    hang = "import time\ndef grade(input, **rest):\n"
    hang += "    while input['q'] == 'hangs': time.sleep(1000)\n"
    hang += "    return {'pass': True, 'score': 1}"
    after = captured(scene, hang, ["hangs", "well"], "--grader-timeout", "3")

    holds(after, code=3, hangs="grader_error", well="passed")


def captured(scene: Scene, grader: str, ids: list[str], *flags: str) -> After:
    """Capture the answers to some questions, and have them graded by a function."""
    scene.agent(ANSWER, well=ANSWER)
    lines = "".join(json.dumps({"id": id, "input": {"q": id}}) + "\n" for id in ids)
    (scene.path / "prompts.jsonl").write_text(lines)
    (scene.path / "grader.py").write_text(grader)
    how = ["--protocol", "stdio", "-g", "grader.py", "-t", "30000", *flags]
    env = ["--env", "PLANTED_TOKEN", "--env", f"RL_TEST_MARK={scene.mark}"]
    agent = [sys.executable, "suite/agent.py"]
    return scene.command("capture", "prompts.jsonl", *how, *env, *agent)
