"""F03 to F05: agents that end before they have answered."""

from __future__ import annotations

import pytest

from scene import Scene, holds

KILL = """
import os, signal

def kill(args):
    os.kill(args["pid"], signal.SIGKILL)

def search(args):
    return ["found"]

TOOLS = {"kill": kill, "search": search}
"""


@pytest.mark.parametrize("code", [0, 7])
def test_f03_an_agent_that_exits_early_is_told_with_its_last_words(scene: Scene, code: int) -> None:
    """Its exit code and the end of its standard error are kept, and the next case runs."""
    after = scene.agent(f'print("last words", file=sys.stderr); sys.exit({code})').run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    failure = after.failure("a")
    assert f"exited with status {code} before its final output" in failure["message"]
    assert failure["details"]["exit_code"] == code
    assert failure["details"]["stderr"].endswith("last words")


def test_f03_an_exception_is_kept_without_the_secret_in_it(scene: Scene) -> None:
    """The traceback says what went wrong, and no more than anybody may know."""
    crash = """
    def log_in(password):
        raise ValueError("refused: " + password + " at https://user:" + password + "@host/")
    log_in(secret)
    """
    after = scene.agent(crash).run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert "ValueError: refused: [REDACTED" in after.failure("a")["details"]["stderr"]


def test_f03_the_last_message_of_an_agent_counts_even_without_its_end(scene: Scene) -> None:
    """A final output that lacks only its newline is a final output."""
    after = scene.agent('sys.stdout.write(\'{"type": "final_output", "output": {}}\')').run()

    holds(after, code=0, a="passed", b="passed")


def test_f04_the_signal_that_ended_an_agent_is_named(scene: Scene) -> None:
    """An agent that dies of a wrong access to memory is told so."""
    after = scene.agent("os.kill(os.getpid(), signal.SIGSEGV)").run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert "was ended by SIGSEGV" in after.failure("a")["message"]
    assert after.failure("a")["details"]["signal"] == "SIGSEGV"
    assert after.result("a")["exitInfo"]["signal"] == "SIGSEGV"


def test_f05_an_agent_that_is_killed_while_its_tool_runs_ends_its_case(scene: Scene) -> None:
    """The call and its answer are in the record, and the next case runs."""
    scene.agent(
        'call("kill", pid=os.getpid())',
        well='call("search")\nsend("final_output", output={})',
        mode="live",
        tool_registry=["kill", "search"],
        tool_module="tools.py",
    )
    (scene.suite.path / "tools.py").write_text(KILL)

    after = scene.run()

    holds(after, code=1, a="agent_exited_early", b="passed")
    assert after.failure("a")["details"]["signal"] == "SIGKILL"
    assert after.case("a")["tool_calls"] == 1
    assert [event["type"] for event in after.of("a")][-3:] == ["tool_result", "failure", "case_end"]
