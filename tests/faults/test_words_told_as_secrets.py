"""An agent calls words of ours its passwords: the record says what happened all the same."""

from __future__ import annotations

import json
import sys
from typing import Any

from scene import WELL, Scene, holds

JUDGE = ["sh", "-c", "cat >/dev/null; exit 9"]
CANNOT_JUDGE: dict[str, Any] = {"assertions": [{"type": "script", "command": JUDGE}]}
WORDS = (
    *("grader_error", "rader_err", "grader error", "error: ", "script", "assertion_failed"),
    *("tool_call", "a-step-1", "a-t1-step-1", "tool_calls_by_name", "trajectory", "failures"),
    *("search_docs", "passed", "case_end", "type", "message", "a", "true", "SIGKILL"),
)


def telling(*words: str) -> str:
    """Write an agent's lines that call words its passwords, one after the other."""
    told = [
        f'send("log", level="info", message="m", data={{"password": {word!r}}})' for word in words
    ]
    return "\n".join([*told, 'send("final_output", output={"answer": "fine"})'])


def test_a_fault_of_a_grader_cannot_be_hidden(scene: Scene) -> None:
    """Its type stays readable in every file, and the run is not valid, whatever the gate allows."""
    scene.agent(telling(*WORDS), regression={"min_success_rate": 0.0})

    after = scene.case("a", **CANNOT_JUDGE).run()

    holds(after, code=3, a="grader_error", b="passed")
    assert after.summary["status"] == "invalid"
    assert [one["type"] for one in after.result("a")["failures"]] == ["grader_error"]
    assert after.result("a")["errors"][0].startswith("grader error: ")


def test_a_fault_of_a_grader_cannot_be_hidden_from_a_capture(scene: Scene) -> None:
    """What it printed is a line of results, in which the error is still the grader's."""
    lines = (json.dumps({"id": id, "input": {"q": id}}) + "\n" for id in "ab")
    (scene.path / "prompts.jsonl").write_text("".join(lines))
    (scene.path / "judge").write_text("#!/bin/sh\ncat >/dev/null; exit 9\n")
    (scene.path / "judge").chmod(0o755)
    scene.agent(telling(*WORDS))
    how = ["--protocol", "stdio", "-g", "./judge", "-t", "30000", "--env", "PLANTED_TOKEN"]
    agent = ["--env", f"RL_TEST_MARK={scene.mark}", sys.executable, "suite/agent.py"]

    after = scene.command("capture", "prompts.jsonl", *how, *agent)

    holds(after, code=3, a="grader_error", b="grader_error")
    errors = [json.loads(line)["errors"][0] for line in after.out.splitlines()]
    assert [error.startswith("grader error: ") for error in errors] == [True, True]


def test_figures_that_add_up_to_more_than_any_reader_takes_cost_no_view(scene: Scene) -> None:
    """The sum is as much as a figure may be, and the case is judged as ever."""
    usage = 'send("usage", tokens_in=10**15, tokens_out=10**15, cost_usd=10**15)\n'

    after = scene.agent(usage * 3 + WELL).run()

    holds(after, code=0, a="passed", b="passed")
    assert after.case("a")["tokens_out"] == 10**15
