"""The example agent of the TypeScript SDK: one tool that asks for leave, and one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import Bench, ask
from peers import typescript_sdk


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Give the agent."""
    return typescript_sdk(tmp_path)


def test_it_is_heard_to_the_end(bench: Bench) -> None:
    """Its two calls are two steps, and what it says in three parts is told whole."""
    answers = bench.capture(ask("anything"))
    read, change = answers.steps("anything")

    assert answers.code == 0, answers.err
    assert (read["name"], read["status"]) == ("Reading project files", "completed")
    assert read["input"] == {"path": "/project/README.md"}
    assert change["output"] == {"success": True, "message": "Configuration updated"}
    assert answers["anything"]["output"].startswith("I'll help you with that.")
    assert answers["anything"]["output"].endswith("The changes have been applied.")
    assert answers["anything"]["exitInfo"]["stopReason"] == "end_turn"


def test_it_is_refused(bench: Bench) -> None:
    """A call that was refused, and of which it tells nothing more, has failed."""
    answers = bench.capture(ask("anything"), flags=("--permissions", "reject"))
    read, change = answers.steps("anything")

    assert (read["status"], change["status"]) == ("completed", "failed")
    assert answers["anything"]["toolErrors"] is True
    assert answers["anything"]["output"].endswith("I'll skip the configuration update.")


def test_it_is_interrupted(bench: Bench) -> None:
    """It is told to stop when its time is over, and none of it lives on."""
    answers = bench.capture(ask("anything"), flags=("-t", "3500"))

    assert answers.code == 1
    assert answers["anything"]["exitInfo"]["timedOut"] is True
    assert answers.survivors == []
