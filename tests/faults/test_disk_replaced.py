"""F30 and F36: a file that is replaced is the old one or the new one, whoever is killed when."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import plant
from kit import command
from scene import After, Scene, holds

KILLED = 128 + signal.SIGKILL
PARTS = 2  # so that several workers share what takes longest
EARLY, EACH = 12, 5  # the first steps differ; later on most are one more line of the log

REPLACE = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from plant import plant
from runledger.store.whole import write_whole_lines
lines = [b"new", b"er" * 600_000, b"er" * 600_000]
for number in range(1, 100):  # each step has a process of its own to die in
    pid = os.fork()
    if pid == 0:
        plant({"kill": True, "at": number})
        write_whole_lines(Path("file"), lines)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    content = Path("file").read_bytes()
    kind = {b"old": "old", b"".join(lines): "new"}[content]
    print(number, kind, os.waitstatus_to_exitcode(status))
    if status == 0:
        break
    Path("file").write_bytes(b"old")
"""


def test_f30_a_replaced_file_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    """Whoever is killed between any two steps leaves no mixture."""
    (tmp_path / "file").write_bytes(b"old")
    words = [sys.executable, "-c", REPLACE, str(Path(plant.__file__).parent)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]

    kinds = [kind for _, kind, code in rows if code == "-9"]
    assert len(kinds) >= 6, rows  # open, several writes, sync, replace, sync of the directory
    assert kinds == sorted(kinds, reverse=True)  # from one step on it is the new one
    assert set(kinds) == {"old", "new"}
    assert rows[-1][1:] == ["new", "0"]


def forget(scene: Scene) -> None:
    """Begin with an empty output directory."""
    shutil.rmtree(scene.path / ".agentci", ignore_errors=True)


def steps_of(scene: Scene, *words: str, below: str) -> int:
    """Count the steps of a command in which nothing goes wrong."""
    return int(scene.command(*words, plan={"below": below}).told["steps"])


def whole(after: After) -> None:
    """Check that every file of a run that was killed is whole, or not there."""
    for run in after.runs:
        for name in ("manifest.json", "summary.json"):
            if (run / name).exists():
                json.loads((run / name).read_bytes())
        if (run / "junit.xml").exists():
            assert (run / "junit.xml").read_text().rstrip().endswith("</testsuites>")
        if (run / "report.html").exists():
            assert (run / "report.html").read_text().rstrip().endswith("</html>")


@pytest.mark.parametrize("part", range(PARTS))
def test_f30_a_run_killed_at_any_step_is_whole_and_resumed(scene: Scene, part: int) -> None:
    """Manifest and views are there or not, and going on completes the run from any step."""
    scene.quick()
    steps = steps_of(scene, "run", "suite", "-q", "--case", "b", below=".agentci")
    assert steps > 20
    for number in range(1 + part, steps + 1, PARTS):
        forget(scene)
        plan = {"kill": True, "at": number, "below": ".agentci"}
        killed = scene.command("run", "suite", "-q", "--case", "b", plan=plan)
        holds(killed, code=KILLED)
        whole(killed)
        begun = any((run / "manifest.json").exists() for run in killed.runs)
        if begun and (number < EARLY or number % EACH == 0):
            holds(scene.run("-q", "--resume", "latest"), code=0, b="passed")


def test_f30_a_resumed_run_killed_while_it_is_mended_is_whole(scene: Scene) -> None:
    """Results of a trial without an end are dropped in one step."""
    plan = {"kill": True, "at": 2, "steps": ["write"], "below": "results.jsonl"}
    holds(scene.quick().run("-q", "-j", "1", plan=plan), code=KILLED)
    kept = scene.path / "kept"
    shutil.copytree(scene.path / ".agentci", kept)
    (results,) = kept.rglob("results.jsonl")
    line = json.loads(results.read_bytes())
    results.write_bytes(results.read_bytes() + json.dumps({**line, "id": "b"}).encode() + b"\n")
    old = results.read_bytes()
    for number in range(1, 6):  # open, write, sync, replace, sync of the directory
        forget(scene)
        shutil.copytree(kept, scene.path / ".agentci")
        plan = {"kill": True, "at": number, "below": "results.jsonl"}
        killed = scene.run("-q", "--resume", "latest", plan=plan)
        holds(killed, code=KILLED)
        found = (killed.run / "results.jsonl").read_bytes()
        assert found in (old, old.splitlines(keepends=True)[0])
    holds(scene.run("-q", "--resume", "latest"), code=0, a="passed", b="passed")


PROMOTE = ("baseline", "promote", "--from", "latest", "--to", "baseline.json")


def test_f30_a_baseline_is_the_old_one_or_the_new_one(scene: Scene) -> None:
    """Promoting that is killed at any step leaves no mixture."""
    holds(scene.run("-q"), code=0)
    steps = steps_of(scene, *PROMOTE, below="baseline.json")
    new = (scene.path / "baseline.json").read_bytes()
    old = json.dumps({**json.loads(new), "run_id": "an older one"}).encode()
    for number in range(1, steps + 1):
        (scene.path / "baseline.json").write_bytes(old)
        after = scene.command(*PROMOTE, plan={"kill": True, "at": number, "below": "baseline"})

        holds(after, code=-signal.SIGKILL)
        assert (scene.path / "baseline.json").read_bytes() in (old, new)
    holds(scene.command(*PROMOTE), code=0)
    assert (scene.path / "baseline.json").read_bytes() == new


def running(scene: Scene, runs: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Start two processes at once that promote a run each, over and over."""
    source = """
import sys
from pathlib import Path
from runledger.harness.baselines import promote
for _ in range(150):
    promote(Path(sys.argv[1]), Path("baseline.json"), allow_failing=False)
"""
    for run in runs:
        yield subprocess.Popen([sys.executable, "-c", source, run], cwd=scene.path)


def test_f36_two_promotions_at_once_leave_one_of_the_two(scene: Scene) -> None:
    """Readers see one of the two, whole, at every moment."""
    for _ in range(2):
        holds(scene.quick().run("-q"), code=0)
    runs = [str(run) for run in After(scene, 0, "", "", 0.0, {}).runs]
    each = []
    for run in runs:
        holds(scene.command("baseline", "promote", "--from", run, "--to", "baseline.json"), code=0)
        each.append((scene.path / "baseline.json").read_bytes())
    assert each[0] != each[1]
    processes, seen = list(running(scene, runs)), set()
    while any(process.poll() is None for process in processes):
        seen.add((scene.path / "baseline.json").read_bytes())

    assert [process.wait() for process in processes] == [0, 0]
    assert seen == set(each)
    assert not list(scene.path.glob(".baseline*"))


def test_f36_two_commands_at_once_both_succeed(scene: Scene) -> None:
    """Neither is in the other's way."""
    holds(scene.run("-q"), code=0)
    both = [
        subprocess.Popen(command(*PROMOTE), cwd=scene.path, env=scene.environment())
        for _ in range(2)
    ]

    assert [process.wait(60) for process in both] == [0, 0]
    json.loads((scene.path / "baseline.json").read_bytes())
