"""F33 and F34: a disk that does not keep what it is given, or takes nothing at all."""

from __future__ import annotations

import pytest

from kit import survivors
from scene import Scene, holds

VIEWS = ("summary.json", "junit.xml", "report.html")
MET = 'open("../met", "w").close()'


def test_f33_a_run_that_may_not_be_on_the_disk_is_not_valid(scene: Scene) -> None:
    """Whichever fsync fails: exit 3, and the record does not say that the run has ended."""
    counted = scene.quick().run("-q", plan={"steps": ["sync"], "below": ".agentci"})
    holds(counted, code=0)
    begun = counted.runs
    for number in range(1, counted.told["steps"] + 1):
        plan = {"steps": ["sync"], "below": ".agentci", "at": number, "error": "EIO"}
        after = scene.run("-q", plan=plan)
        (run,) = [run for run in after.runs if run not in begun]
        begun = after.runs

        holds(after, code=3)
        assert "Input/output error" in after.err
        log = (run / "run.jsonl").read_bytes() if (run / "run.jsonl").exists() else b""
        of_views = any(view in after.err for view in VIEWS)  # made after the end, from the record
        assert (b'"type":"run_end"' in log) == of_views, (number, after.err)


def test_f33_a_run_that_was_not_valid_is_not_promoted(scene: Scene) -> None:
    """A record whose end could not be made sure of is no baseline."""
    plan = {"steps": ["sync"], "below": "run.jsonl", "at": 1, "error": "EIO"}
    holds(scene.run("-q", plan=plan), code=3)
    after = scene.command("baseline", "promote", "--from", "latest", "--to", "baseline.json")

    holds(after, code=2)
    assert not (scene.path / "baseline.json").exists()


@pytest.mark.parametrize("error", ["EROFS", "EACCES"])
def test_f34_a_read_only_output_directory_is_told_first(scene: Scene, error: str) -> None:
    """No agent starts, and the message names the directory and the system's reason."""
    scene.agent(first=MET)
    after = scene.run(plan={"steps": ["make"], "at": 1, "error": error})

    holds(after, code=3)
    assert "could not make .agentci/runs/demo/" in after.err
    assert {"EROFS": "Read-only file system", "EACCES": "Permission denied"}[error] in after.err
    assert not (scene.path / "met").exists()


@pytest.mark.bwrap
def test_f34_a_file_system_that_is_mounted_read_only_is_told_first(scene: Scene) -> None:
    """The same without any fault of ours: nothing is written, and nothing is started."""
    scene.agent(first=MET)
    kept = scene.path / "kept"
    kept.mkdir()
    scene.walls = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(kept), str(kept)]
    after = scene.ended(scene.start("run", "suite", "--output-dir", "kept"))

    holds(after, code=3)
    assert "could not make kept/demo/" in after.err
    assert "Read-only file system" in after.err
    assert not (scene.path / "met").exists()
    assert not [*kept.iterdir()]


def test_f34_a_file_in_the_place_of_the_output_directory_is_told_first(scene: Scene) -> None:
    """No agent starts, and the file stays as it is."""
    scene.agent(first=MET)
    (scene.path / "taken").write_text("mine")
    after = scene.run("--output-dir", "taken")

    holds(after, code=3)
    assert "could not make taken/demo/" in after.err
    assert "Not a directory" in after.err
    assert (scene.path / "taken").read_text() == "mine"
    assert not (scene.path / "met").exists()


def test_f34_a_log_that_cannot_be_opened_is_told_first(scene: Scene) -> None:
    """The directory may be there and yet take no file."""
    scene.agent(first=MET)
    after = scene.run(plan={"steps": ["open"], "below": "run.jsonl", "at": 1, "error": "EROFS"})

    holds(after, code=3)
    assert "could not write" in after.err
    assert "Read-only file system" in after.err
    assert not (scene.path / "met").exists()
    assert not list(survivors(scene.mark))
