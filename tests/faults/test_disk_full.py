"""F32: the disk is full, at the n-th write for every n."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import plant
from kit import command
from scene import After, Scene, holds

RECORD = ".agentci"
PARTS = 2  # so that several workers share what takes longest


def failed_at(scene: Scene, number: int, plan: plant.Plan) -> After:
    """Run the suite afresh while one step of the disk fails."""
    shutil.rmtree(scene.path / RECORD, ignore_errors=True)
    return scene.run(plan={"at": number, "error": "ENOSPC", "below": RECORD, **plan})


def counted(scene: Scene, *kinds: str) -> int:
    """Count the steps of a run in which nothing goes wrong."""
    after = scene.run(plan={"steps": kinds, "below": RECORD})
    holds(after, code=0)
    return int(after.told["steps"])


def refused(after: After) -> None:
    """Check that a run that could not be written is not valid, and that its user is told why."""
    holds(after, code=3)
    assert "No space left on device" in after.err, after.err
    for run in after.runs:
        views = [run / name for name in ("summary.json", "junit.xml", "report.html")]
        log = (run / "run.jsonl").read_bytes() if (run / "run.jsonl").exists() else b""
        assert b'"type":"run_end"' in log or not any(view.exists() for view in views)
        assert not list(run.glob(".*.tmp"))


@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("part", range(PARTS))
def test_f32_no_write_may_fail_unseen(scene: Scene, part: int, for_good: bool) -> None:
    """Whichever write fails: exit 3, a whole log, no view of a run that has not ended."""
    steps = counted(scene.quick(), "write")
    assert steps > 12
    for number in range(1 + part, steps + 1, PARTS):
        refused(failed_at(scene, number, {"steps": ["write"], "for_good": for_good}))


@pytest.mark.parametrize("kind", ["open", "replace", "make"])
def test_f32_no_other_step_may_fail_unseen(scene: Scene, kind: str) -> None:
    """A file or a directory that cannot be made is told as a write that fails."""
    for number in range(1, counted(scene.quick(), kind) + 1):
        refused(failed_at(scene, number, {"steps": [kind]}))


def test_f32_a_record_without_its_views_is_whole(scene: Scene) -> None:
    """What could not be shown can be shown later, without running anything."""
    failed = failed_at(scene, 1, {"steps": ["write"], "below": "summary.json"})
    refused(failed)
    log = (failed.run / "run.jsonl").read_bytes()
    after = scene.command("report", "latest")

    holds(after, code=0, a="passed", b="passed")
    assert (after.run / "run.jsonl").read_bytes() == log


@pytest.mark.parametrize(
    ("most", "struck"), [(600, "manifest.json"), (1_900, "run.jsonl"), (9_000, "report.html")]
)
def test_f32_a_line_that_fits_in_part_is_cut_off(scene: Scene, most: int, struck: str) -> None:
    """Where files may not grow, a real write that is half done leaves no half line."""
    after = scene.run("-q", plan={"limits": {"FSIZE": most}})

    holds(after, code=3)
    assert f"{struck}: File too large" in after.err
    assert not list(after.run.glob(".*.tmp"))


TEAR = """
import os
from pathlib import Path
from runledger.errors import StoreError
from runledger.store import disk
from runledger.store.lines import LineLog

def strike(step, path):
    raise OSError(5, "Input/output error")

def tear(step, path):
    with path.open("ab") as file:
        file.write(b'{"b":')
    disk.watch = strike
    strike(step, path)

log = LineLog(Path("log"))
log.append({"a": 1})
disk.watch = tear
for value in ({"b": 2}, {"c": 3}):
    try:
        log.append(value)
    except StoreError as error:
        print(error)
disk.watch = lambda step, path: None
log.append({"d": 4})
"""


def test_f32_a_half_line_that_cannot_be_cut_off_costs_no_other(tmp_path: Path) -> None:
    """Nothing is written after it until it is gone."""
    words = [sys.executable, "-c", TEAR]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout == "could not write log: Input/output error\n" * 2
    assert (tmp_path / "log").read_text() == '{"a":1}\n{"d":4}\n'


def test_f32_a_full_standard_output_is_told(scene: Scene) -> None:
    """The run is recorded, but its result was not shown: exit 3."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("run", "suite", "-q"),
            cwd=scene.path,
            env=scene.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    after = After(scene, done.returncode, "", done.stderr, 0.0, {})

    holds(after, code=3, a="passed", b="passed")
    assert "could not print the result: No space left on device" in after.err


def test_f32_progress_that_nobody_can_read_stops_nothing(scene: Scene) -> None:
    """A full disk below standard error costs the messages, not the run."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("run", "suite"),
            cwd=scene.path,
            env=scene.environment(),
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
        )

    holds(After(scene, done.returncode, done.stdout, "", 0.0, {}), code=0, a="passed", b="passed")


def test_f32_a_baseline_that_cannot_be_written_stays_as_it_is(scene: Scene) -> None:
    """Promoting fails at every step with exit 3, and the old baseline is byte-identical."""
    holds(scene.run(), code=0)
    promote = ("baseline", "promote", "--from", "latest", "--to", "baseline.json")
    steps = scene.command(*promote, plan={"below": "baseline.json"}).told["steps"]
    assert steps >= 4  # open, write, sync, replace
    old = json.loads((scene.path / "baseline.json").read_text())
    before = json.dumps({**old, "run_id": "an older one"}).encode()
    (scene.path / "baseline.json").write_bytes(before)
    for number in range(1, steps + 1):
        plan = {"at": number, "error": "ENOSPC", "below": "baseline.json", "for_good": True}
        after = scene.command(*promote, plan=plan)

        holds(after, code=3)
        assert (scene.path / "baseline.json").read_bytes() == before


def test_f32_a_capture_whose_output_is_full_keeps_whole_lines(scene: Scene) -> None:
    """Whichever step fails: exit 3, whole lines in the output, and the run can be gone on with."""
    lines = [json.dumps({"id": id, "input": f"{id} asks"}) + "\n" for id in ("a", "b")]
    (scene.path / "prompts.jsonl").write_text("".join(lines))
    agent = ("--protocol", "headless", "--adapter", "text", "-o", "out.jsonl", "--", "cat")
    words = ("capture", "prompts.jsonl", *agent)
    steps = scene.command(*words, plan={"below": "out.jsonl"}).told["steps"]
    assert steps >= 4  # open, two lines, sync
    for number in range(1, steps + 1):
        plan = {"at": number, "error": "ENOSPC", "below": "out.jsonl", "for_good": True}
        after = scene.command(*words, plan=plan)

        holds(after, code=3)
        assert "No space left on device" in after.err
        content = (scene.path / "out.jsonl").read_bytes()
        assert [json.loads(line)["id"] for line in content.splitlines()] in ([], ["a"], ["a", "b"])
    after = scene.command(*words[:2], "--append", *words[2:])
    assert after.code == 0, after.err
    found = (scene.path / "out.jsonl").read_bytes().splitlines()
    assert sorted(json.loads(line)["output"] for line in found) == ["a asks", "b asks"]
