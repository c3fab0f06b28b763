"""F32 and F33 where agents work: what becomes of a workspace costs no case."""

from __future__ import annotations

from pathlib import Path

import pytest

from scene import WELL, Scene, holds


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the command a temporary directory of its own, in which workspaces are made."""
    path = tmp_path / "tmp"
    path.mkdir()
    monkeypatch.setenv("TMPDIR", str(path))
    return path


def test_f33_a_workspace_that_cannot_be_removed_costs_no_case(
    scene: Scene, temporary: Path
) -> None:
    """The case passes though its workspace stays there, and the next run clears it."""
    template = scene.suite.path / "fixtures"
    template.mkdir()
    command = ["{python}", "{suite}/agent.py"]
    scene.agent(WELL, agent_command=command, workspace={"from": "fixtures"})

    plan = {"steps": ["remove"], "below": "runledger-demo-a", "at": 1, "error": "EIO"}
    holds(scene.run(plan=plan), code=0, a="passed", b="passed")
    assert [left.name for left in temporary.iterdir()] == ["runledger-demo-a"]

    after = scene.run()
    holds(after, code=0)
    assert len(after.runs) == 2
    assert not list(temporary.iterdir())


DEEP = f"""
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
{WELL}
"""


def test_a_workspace_that_is_nested_without_end_is_removed(scene: Scene, temporary: Path) -> None:
    """However deep an agent digs, its case counts and nothing stays."""
    (scene.suite.path / "fixtures").mkdir()
    command = ["{python}", "{suite}/agent.py"]
    after = scene.agent(DEEP, agent_command=command, workspace={"from": "fixtures"}).run()

    holds(after, code=0, a="passed", b="passed")
    assert not list(temporary.iterdir())
