"""Where the agents of a suite work, by what the suite says and the mode it is run in."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runledger.harness.workspaces import workspaces_of
from runledger.ledger.proxy import Template
from runledger.ledger.suite import AgentSettings, Suite
from runledger.ledger.task import Task, Trial
from runledger.process.stop import Stop

TASK = Task(id="c1", input="x")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the system's temporary directory be one of this test, behind a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "link"))
    return tmp_path / "real"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Make a suite with a template."""
    (tmp_path / "suite/repo").mkdir(parents=True)
    (tmp_path / "suite/repo/a.txt").write_text("one")
    agent = AgentSettings(("agent",))
    return Suite("gate", str(tmp_path / "suite"), agent, (TASK,), workspace=Template("repo"))


@pytest.fixture
def stop() -> Iterator[Stop]:
    """Give a switch that ends all waiting."""
    stop = Stop()
    yield stop
    stop.close()


def test_without_a_template_all_work_in_the_suite(suite: Suite, stop: Stop) -> None:
    """With the caller's HOME."""
    plain = replace(suite, workspace=None)
    with workspaces_of(plain, stop) as places, places.open(Trial(TASK)) as ground:
        assert ground.directory == suite.directory
        assert ground.home is None


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_recorded_and_replayed_trials_work_at_one_path(
    suite: Suite, stop: Stop, temporary: Path, mode: str
) -> None:
    """As an agent sees it, without links."""
    chosen = replace(suite, mode=mode)  # type: ignore[arg-type]
    with workspaces_of(chosen, stop) as places, places.open(Trial(TASK)) as ground:
        assert ground.directory == str(temporary / "runledger-gate-c1/work")
        assert Path(ground.directory, "a.txt").read_text() == "one"
        assert ground.home == str(temporary / "runledger-gate-c1/home")

    assert not list(temporary.iterdir())


def test_live_trials_work_each_at_its_own(suite: Suite, stop: Stop, temporary: Path) -> None:
    """So that they need not wait for each other."""
    live = replace(suite, mode="live", workspace=Template("repo", fresh_home=False))
    with (
        workspaces_of(live, stop) as places,
        places.open(Trial(TASK)) as first,
        places.open(Trial(TASK)) as second,
    ):
        assert first.directory != second.directory
        assert Path(first.directory).is_relative_to(temporary)
        assert Path(second.directory, "a.txt").exists()
        assert second.home is None

    assert not list(temporary.iterdir())
