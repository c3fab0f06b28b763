"""F32 and F33 where agents work: no workspace is told, one that stays there costs no case."""

from __future__ import annotations

import shutil
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


@pytest.mark.parametrize("mode", ["replay", "live"])
def test_f32_no_workspace_may_fail_unseen(scene: Scene, temporary: Path, mode: str) -> None:
    """Whichever directory or file cannot be made for an agent: exit 3, and nothing stays."""
    (scene.path / "suite" / "fixtures").mkdir()
    (scene.path / "suite" / "fixtures" / "notes.txt").write_text("alpha")
    scene.quick(mode=mode, workspace={"from": "fixtures"}, tool_registry=None)
    plan = {"steps": ["make", "write"], "below": str(temporary), "error": "ENOSPC"}
    counted = scene.run("-q", plan=plan)
    holds(counted, code=0)
    assert counted.told["steps"] >= 4
    for number in range(1, counted.told["steps"] + 1):
        shutil.rmtree(scene.path / ".agentci", ignore_errors=True)
        after = scene.run("-q", plan={**plan, "at": number})

        holds(after, code=3)
        assert "No space left on device" in after.out + after.err
        assert not list(temporary.iterdir())


@pytest.mark.bwrap
@pytest.mark.parametrize("mode", ["replay", "live"])
def test_f34_no_place_for_workspaces_is_told(scene: Scene, mode: str) -> None:
    """Nothing can be written on this machine but the record: no agent starts."""
    (scene.path / "suite" / "fixtures").mkdir()
    keys = {"mode": mode, "workspace": {"from": "fixtures"}, "tool_registry": None}
    scene.agent(agent_command=["{python}", "{suite}/agent.py"], **keys)
    kept = scene.path / "kept"
    kept.mkdir()
    scene.walls = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    scene.walls += ["--bind", str(kept), str(kept)]
    after = scene.ended(scene.start("run", "suite", "--output-dir", "kept"))

    holds(after, code=3)
    assert "there is no place for temporary files" in after.err


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
