"""F01, F02: there is no agent to be asked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kit import write_suite
from scene import Scene, holds


def other_suite(scene: Scene) -> None:
    """Add a suite whose agent is well, with a case `c`."""
    env = {"set": {"RL_TEST_MARK": scene.mark}}
    agent = 'read()\nsend("final_output", output={})'
    write_suite(scene.path / "other", agent, suite_name="other", env=env).case("c")


def test_f01_a_missing_program_costs_no_other_suite(scene: Scene) -> None:
    """Every case says that there is no such program, and the suites after it run."""
    scene.agent(agent_command=["./no-such-agent", "{suite}"])
    other_suite(scene)

    after = scene.command("run", "suite", "other", "-j", "2")

    holds(after, code=3, a="spawn_failed", b="spawn_failed", c="passed")
    assert "'./no-such-agent'" in after.failure("a")["message"]
    assert "No such file or directory" in after.failure("a")["message"]


def test_f01_a_program_that_vanishes_costs_no_other_case(scene: Scene) -> None:
    """What was asked before stays, and what comes after is told one by one."""
    vanish = 'os.unlink("agent")\nsend("final_output", output={"answer": "the last one"})'
    scene.agent(vanish, agent_command=["./agent", "agent.py"]).case("c")
    (scene.suite.path / "agent").symlink_to(sys.executable)

    after = scene.run("-j", "1")

    holds(after, code=3, a="passed", b="spawn_failed", c="spawn_failed")
    assert after.summary["status"] == "invalid"


def not_executable(program: Path) -> None:
    """Write a program that may not be executed."""
    program.write_text("#!/bin/sh\n")
    program.chmod(0o644)


def bad_interpreter(program: Path) -> None:
    """Write a program whose interpreter is nowhere."""
    program.write_text("#!/nowhere/python\n")
    program.chmod(0o755)


def no_program(program: Path) -> None:
    """Write a file that the system cannot execute."""
    program.write_bytes(b"\x00\x01\x02")
    program.chmod(0o755)


def directory(program: Path) -> None:
    """Make a directory where a program should be."""
    program.mkdir()


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (not_executable, "Permission denied"),
        (bad_interpreter, "No such file or directory (the file exists: is the interpreter"),
        (no_program, "Exec format error"),
        (directory, "Permission denied"),
    ],
)
def test_f02_a_program_that_cannot_be_executed_is_told_in_the_systems_words(
    scene: Scene, write: Callable[[Path], None], words: str
) -> None:
    """The failure names the program and says what the system said; other suites run."""
    scene.agent(agent_command=["./agent"])
    write(scene.suite.path / "agent")
    other_suite(scene)

    after = scene.command("run", "suite", "other", "-j", "2")

    holds(after, code=3, a="spawn_failed", b="spawn_failed", c="passed")
    assert f"'./agent' in {scene.suite.path}: {words}" in after.failure("a")["message"]
