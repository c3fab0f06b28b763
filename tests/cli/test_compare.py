"""runledger compare: results files, trials files and runs, side by side."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from compare.captures import result
from kit import ECHO, clean_environment, command, entry, runledger, write_suite


def write(path: Path, *lines: dict[str, Any]) -> Path:
    """Write a results file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Write two captures of ten tasks; B is faster and passes more, and one task is its own."""
    write(tmp_path / "a.jsonl", *(result(f"t{n}", n > 7, 900 + n) for n in range(10)))
    write(tmp_path / "b.jsonl", *(result(f"t{n}", True, 300 + 2 * n) for n in range(11)))
    return tmp_path


def test_two_captures_are_compared(files: Path) -> None:
    """Whatever is found, the exit code is 0."""
    done = runledger("compare", "a.jsonl", "b.jsonl", cwd=files)

    assert done.code == 0, done.err
    assert "pass rate" in done.out
    assert "better B" in done.out
    assert "only in B: t10" in done.out
    assert done.err == ""


def test_the_worse_one_second_is_no_failure(files: Path) -> None:
    """A comparison is no gate."""
    done = runledger("compare", "b.jsonl", "a.jsonl", cwd=files)

    assert done.code == 0
    assert "better A" in done.out


def test_the_same_file_twice_is_a_tie(files: Path) -> None:
    """There is no difference to be found."""
    done = runledger("compare", "a.jsonl", "a.jsonl", "--format", "json", cwd=files)
    found = json.loads(done.out)

    assert {metric["verdict"] for metric in found["metrics"]} == {"tie"}
    assert {metric["p"] for metric in found["metrics"]} == {1.0}


def test_a_trials_file_is_compared_with_a_capture(files: Path) -> None:
    """The task's trials are averaged within it."""
    entries = [
        {"trialNum": n, "output": "x", "duration": 500, "pass": n > 1, "score": float(n > 1)}
        for n in (1, 2, 3, 4)
    ]
    write(files / "trials.jsonl", {"id": "t9", "input": "do t9", "k": 4, "trials": entries})
    done = runledger("compare", "trials.jsonl", "a.jsonl", "--format", "json", cwd=files)
    (case,) = json.loads(done.out)["cases"]

    assert case["a"]["n"] == 4
    assert case["a"]["passed"] == 3
    assert case["change"] == "better"


def test_runs_are_named_by_directory_id_or_latest(tmp_path: Path) -> None:
    """A run of a suite is results, too, and its latest one is shown by its id."""
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case("x", [entry("search", 1, q="x")]).case("y")
    run = runledger("run", "suite", cwd=tmp_path).run
    names = [str(run), run.name, "latest", str(run / "results.jsonl")]
    done = runledger("compare", *names, "--format", "json", cwd=tmp_path)

    assert done.code == 0, done.err
    found = json.loads(done.out)["comparisons"]
    assert [one["b"]["name"] for one in found] == [run.name, run.name, str(run / "results.jsonl")]
    assert {one["a"]["passed"] for one in found} == {1}
    assert {m["verdict"] for one in found for m in one["metrics"]} <= {"tie", "no_verdict"}


def test_standard_input_is_a_side(files: Path) -> None:
    """Commands compose with pipes; but there is only one standard input."""
    done = subprocess.run(
        command("compare", "a.jsonl", "-"),
        input=(files / "b.jsonl").read_text(),
        cwd=files,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "B  standard input: 11 tasks" in done.stdout
    assert runledger("compare", "-", "-", cwd=files).code == 2


def test_markdown_is_written_to_a_file(files: Path) -> None:
    """With -o nothing is printed."""
    done = runledger("compare", "a.jsonl", "b.jsonl", "--format", "markdown", "-o", "x", cwd=files)

    assert (done.code, done.out) == (0, "")
    assert (files / "x").read_text().startswith("- **A** `a.jsonl`")


def test_what_is_read_is_not_overwritten(files: Path) -> None:
    """A slip of the hand costs no results."""
    before = (files / "b.jsonl").read_bytes()
    done = runledger("compare", "a.jsonl", "b.jsonl", "-o", "b.jsonl", cwd=files)

    assert done.code == 2
    assert (files / "b.jsonl").read_bytes() == before


def test_a_torn_last_line_is_left_out_with_a_warning(files: Path) -> None:
    """A capture that was killed can be compared as far as it got."""
    os.truncate(files / "b.jsonl", (files / "b.jsonl").stat().st_size - 10)
    done = runledger("compare", "a.jsonl", "b.jsonl", cwd=files)

    assert done.code == 0
    assert "torn" in done.err
    assert "only in B" not in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a.jsonl"], "two or more"),
        (["a.jsonl", "nowhere.jsonl"], "nowhere.jsonl"),
        (["a.jsonl", "bad.jsonl"], "bad.jsonl:2"),
        (["a.jsonl", "strange.jsonl"], "strange.jsonl:1"),
        (["a.jsonl", "empty.jsonl"], "empty.jsonl holds no results"),
    ],
)
def test_what_cannot_be_read_is_exit_2(files: Path, words: list[str], told: str) -> None:
    """The message names the file, and the line where there is one."""
    (files / "bad.jsonl").write_text(json.dumps(result("t1", True)) + "\nnot json\n")
    write(files / "strange.jsonl", {"id": "t1", "input": "do t1"})
    write(files / "empty.jsonl")
    done = runledger("compare", *words, cwd=files)

    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err


def test_nothing_in_common_is_exit_2(files: Path) -> None:
    """Both sides' first ids are named."""
    write(files / "other.jsonl", result("elsewhere", True))
    done = runledger("compare", "a.jsonl", "other.jsonl", cwd=files)

    assert done.code == 2
    assert "a.jsonl has t0, t1, t2 and 7 more" in done.err
    assert "other.jsonl has elsewhere" in done.err
