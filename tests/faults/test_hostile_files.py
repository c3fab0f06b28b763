"""Files that are not what they are called, given to every command that reads one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from shutil import copytree

import pytest

from hostile import BAD, Console, check_clean, listing
from scene import Scene, holds

PRECIOUS = "keep me\n"
GRADER = "def grade(**asked):\n    return {'pass': True, 'score': 1}\n"
STRANGE = {
    "binary": bytes(range(256)) * 10,
    "words": f"{BAD}\n".encode(),
    "a-number": b"7\n",
    "a-list": b"[1, 2]\n",
    "empty-object": b"{}\n",
    "deep": b'{"id":' + b"[" * 100_000 + b"\n",
    "deep-and-closed": b'{"id":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "digits": b'{"id": "a", "n": ' + b"9" * 5000 + b"}\n",
    "not-a-number": b'{"id": NaN}\n',
    "key-of-words": json.dumps({BAD: BAD, "id": {BAD: 1}, "trials": BAD}).encode() + b"\n",
    "trials-of-words": json.dumps({"id": BAD, "input": 1, "trials": [BAD]}).encode() + b"\n",
    "utf-16": '{"id": "a"}\n'.encode("utf-16"),
    "torn": b"nonsense without an end",
}


@pytest.fixture
def console(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Console:
    """Give the command."""
    return Console(capfd, monkeypatch)


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write files of all kinds where commands run, and name them."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "strange"
    place.mkdir()
    for name, content in STRANGE.items():
        (place / name).write_bytes(content)
    (place / "directory").mkdir()
    (place / "circle").symlink_to("circle")
    Path("out").write_text(PRECIOUS)
    Path("grader.py").write_text(GRADER)
    return [*(f"strange/{name}" for name in (*STRANGE, "directory", "circle", "missing"))]


READERS: dict[str, tuple[str, ...]] = {
    "summarize": ("summarize", "{file}", "-o", "out"),
    "markdown": ("summarize", "--markdown", "{file}", "-o", "out"),
    "compare": ("compare", "{file}", "strange/empty-object", "-o", "out"),
    "balance": ("balance", "{file}", "-o", "out"),
    "report": ("report", "{file}"),
    "diff-a-run": ("diff", "--run", "{file}", "--baseline", "strange/a-list"),
    "promote": ("baseline", "promote", "--from", "{file}", "--to", "out"),
}


@pytest.mark.parametrize("command", READERS)
def test_f43_a_command_names_the_file_that_it_cannot_use(
    strange: list[str], console: Console, command: str
) -> None:
    """It ends with exit code 2, touches no file, and prints nothing that drives a terminal."""
    before = listing(Path())
    for file in strange:
        words = [word.format(file=file) for word in READERS[command]]
        console.refuses(*words, naming=file)
    assert listing(Path()) == before


JUDGES: dict[str, tuple[str, ...]] = {
    "grade": ("grade", "{file}", "-g", "grader.py", "-o", "out"),
    "calibrate": ("calibrate", "{file}", "-g", "grader.py", "-o", "out"),
    "validate-refs": ("validate-refs", "{file}", "-g", "grader.py", "-o", "out"),
    "trials": ("trials", "{file}", "cat", "--protocol", "headless", "--adapter", "text"),
    "capture": ("capture", "{file}", "cat", "--protocol", "headless", "--adapter", "text"),
    "bench": ("bench", "report", "{file}"),
}
FEW = ("binary", "deep-and-closed", "key-of-words", "torn", "directory", "circle")


@pytest.mark.parametrize("command", JUDGES)
def test_f43_a_command_that_starts_programs_names_the_file_that_it_cannot_use(
    scene: Scene, strange: list[str], command: str
) -> None:
    """As the others do, before any program of anybody is started."""
    before = listing(scene.path)
    for name in FEW:
        words = [word.format(file=f"strange/{name}") for word in JUDGES[command]]

        after = scene.command(*words)

        holds(after, code=2)
        assert f"strange/{name}" in after.err, after.err
    (scene.path / "report-of-runner.json").unlink()
    assert listing(scene.path) == before


def test_f43_going_on_with_a_file_that_holds_no_results_is_refused(scene: Scene) -> None:
    """What somebody else wrote is not added to, nor cut."""
    (scene.path / "prompts.jsonl").write_text('{"id": "p1", "input": "hello"}\n')
    for name in ("words", "a-list", "key-of-words", "torn"):
        (scene.path / "out.jsonl").write_bytes(STRANGE[name])
        words = ("prompts.jsonl", "cat", "--protocol", "headless", "--adapter", "text")

        after = scene.command("capture", *words, "--append", "-o", "out.jsonl")

        holds(after, code=2)
        assert "out.jsonl:1" in after.err, after.err
        assert (scene.path / "out.jsonl").read_bytes() == STRANGE[name]
        assert after.runs == []


FILES = ("manifest.json", "run.jsonl", "results.jsonl")


@pytest.mark.parametrize("file", FILES)
def test_f43_a_run_whose_files_are_no_files_keeps_nobody_waiting(
    scene: Scene, console: Console, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    """A pipe, a directory, a circle or nothing in the place of a file is named."""
    done = scene.run()
    monkeypatch.chdir(scene.path)
    for kind in ("pipe", "directory", "circle", "nothing"):
        copy = copytree(done.run, scene.path / kind)
        (copy / file).unlink()
        if kind == "pipe":
            os.mkfifo(copy / file)
        elif kind == "directory":
            (copy / file).mkdir()
        elif kind == "circle":
            (copy / file).symlink_to(file)
        before = listing(copy)
        if file == "results.jsonl":
            if kind != "pipe":  # which is as good as a file, where the caller names it
                console.refuses("summarize", kind, naming=kind)
        else:
            console.refuses("report", kind, naming=kind)
            promote = ("baseline", "promote", "--from", kind, "--to", "out")
            console.refuses(*promote, naming=kind)
        assert listing(copy) == before
    holds(done, code=0)


def test_f43_nothing_is_written_through_the_links_of_a_run(
    scene: Scene, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run directory in which a name leads elsewhere is refused, and what is there stays."""
    done = scene.run()
    monkeypatch.chdir(scene.path)
    precious = scene.path / "precious"
    precious.write_text(PRECIOUS)
    for name in ("summary.json", "report.html", "junit.xml", "run.jsonl", "results.jsonl", "new"):
        copy = copytree(done.run, scene.path / f"with-{name}")
        (copy / name).unlink(missing_ok=True)
        (copy / name).symlink_to(precious)

        told = console.refuses("report", copy, naming=copy / name)
        assert "is a symbolic link to" in told
        after = scene.command("run", "suite", "--resume", copy)
        holds(after, code=2)
        assert f"{copy / name} is a symbolic link to" in after.err, after.err
        assert precious.read_text() == PRECIOUS


def test_f43_names_of_files_and_runs_drive_no_terminal(
    scene: Scene, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is text like any other, on standard output and on standard error."""
    done = scene.run()
    monkeypatch.chdir(scene.path)
    manifest = done.run / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "run_id": BAD}))
    odd = "\x1b]0;title\x07\n::error::x.jsonl"
    Path(odd).write_text("")

    promoted = console.run("baseline", "promote", "--from", done.run, "--to", "new.json")
    linted = console.run("cassette", "lint", odd)

    assert (promoted[0], linted[0]) == (0, 0)
    assert "new.json: 2 of 2 cases passed in ]]>" in promoted[2]
    check_clean("".join((*promoted[1:], *linted[1:])))
    holds(done, code=0)
