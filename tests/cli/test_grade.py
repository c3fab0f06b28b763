"""runledger grade: results in, the same results with new scores out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kit import ECHO, clean_environment, command, entry, runledger, survivors, write_suite

CONTAINS = """
def grade(output, expected, cwd):
    if output == "crash":
        raise RuntimeError("cannot judge this")
    found = expected in output
    return {"pass": found, "score": float(found), "reasoning": "looked", "outcome": {"cwd": cwd}}
"""


def result(id: str, output: str, **more: Any) -> dict[str, Any]:
    """Make a line of a capture."""
    return {
        "id": id,
        "input": "q",
        "output": output,
        "expected": "yes",
        "trajectory": [],
        "metadata": {"agent": "a"},
        "timing": {"start": 0, "end": 9},
        "toolErrors": False,
        **more,
    }


def wrote(path: Path, *lines: dict[str, Any]) -> None:
    """Write results and a grader into a directory."""
    (path / "check.py").write_text(CONTAINS)
    (path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def lines_of(text: str) -> list[dict[str, Any]]:
    """Read lines of JSON."""
    return [json.loads(line) for line in text.splitlines()]


def test_old_scores_are_replaced_and_all_else_stays(tmp_path: Path) -> None:
    """Lines come in the order of the file, with every key that they had."""
    old = {"score": {"pass": True, "score": 1, "reasoning": "old"}, "outcome": {"old": 1}}
    wrote(tmp_path, result("a", "yes!", extra=1), result("b", "no", **old))
    done = runledger("grade", "results.jsonl", "-g", "check.py", cwd=tmp_path)

    assert done.code == 0, done.err
    first, second = lines_of(done.out)
    score = {"pass": True, "score": 1.0, "reasoning": "looked"}
    outcome = {"cwd": os.path.realpath(tmp_path)}
    assert first == result("a", "yes!", extra=1, score=score, outcome=outcome)
    assert second["score"] == {"pass": False, "score": 0.0, "reasoning": "looked"}
    assert second["outcome"] == outcome
    assert "graded 2, passed 1, grader errors 0" in done.err


def test_a_grader_error_costs_the_score_and_the_exit_code(tmp_path: Path) -> None:
    """The line stays, without a score; the others are graded."""
    score = {"pass": True, "score": 1}
    wrote(tmp_path, result("a", "crash", score=score), result("b", "yes"))
    done = runledger("grade", "results.jsonl", "-g", "check.py", cwd=tmp_path)

    assert done.code == 3
    first, second = lines_of(done.out)
    assert "score" not in first
    assert first["errors"][0].startswith("grader error: check.py: RuntimeError: cannot judge this")
    assert second["score"]["pass"]


def test_a_grader_error_is_gone_once_the_grader_is_mended(tmp_path: Path) -> None:
    """What another grader could not do is not held against the agent."""
    wrote(tmp_path, result("a", "yes", errors=["grader error: old.py: ZeroDivisionError"]))
    done = runledger("grade", "results.jsonl", "-g", "check.py", cwd=tmp_path)

    assert "errors" not in lines_of(done.out)[0]
    assert lines_of(done.out)[0]["score"]["pass"]


def test_an_agent_that_gave_nothing_is_not_judged(tmp_path: Path) -> None:
    """It failed, by its own fault, which stays in the line."""
    wrote(tmp_path, result("a", "", errors=["the agent timed out"]))
    (line,) = lines_of(runledger("grade", "results.jsonl", "-g", "check.py", cwd=tmp_path).out)

    assert line["errors"] == ["the agent timed out"]
    assert line["score"] == {"pass": False, "score": 0.0, "reasoning": "the agent timed out"}


def test_trials_are_graded_one_by_one_and_added_up_again(tmp_path: Path) -> None:
    """Each entry has its verdict; rates and estimates are of the new ones."""
    entries = [
        {"trialNum": n, "output": text, "trajectory": [], "duration": 5, "pass": True, "score": 1}
        for n, text in enumerate(["yes", "no"], start=1)
    ]
    line = {"id": "t", "input": "q", "expected": "yes", "k": 2, "passRate": 1, "passAtK": 1}
    wrote(tmp_path, {**line, "passExpK": 1, "trials": entries, "mine": "kept"})
    (found,) = lines_of(runledger("grade", "results.jsonl", "-g", "check.py", cwd=tmp_path).out)

    assert [entry["pass"] for entry in found["trials"]] == [True, False]
    assert (found["passRate"], found["passAtK"], found["passExpK"]) == (0.5, 0.75, 0.25)
    assert [one["k"] for one in found["estimates"]] == [1, 2]
    assert found["mine"] == "kept"


def test_a_run_can_be_regraded(tmp_path: Path) -> None:
    """Its cases pass or fail by the new grader, and what the suite asserted is forgotten."""
    suite = write_suite(
        tmp_path / "demo", ECHO, assertions=[{"type": "contains", "text": "never there"}]
    )
    suite.case("one", [entry("search", "found", q="one")])
    run = runledger("run", "demo", cwd=tmp_path)
    assert run.code == 1
    (tmp_path / "all.py").write_text("def grade(): return {'pass': True, 'score': 1}")
    done = runledger("grade", "latest", "-g", "all.py", cwd=tmp_path)

    assert done.code == 0, done.err
    (line,) = lines_of(done.out)
    assert (line["status"], line["failures"]) == ("passed", [])
    assert line["score"] == {"pass": True, "score": 1.0}


def test_the_same_grader_says_the_same_again(tmp_path: Path) -> None:
    """Grading what was just graded changes nothing."""
    wrote(tmp_path, result("a", "yes"), result("b", "no"), result("c", "crash"))
    first = runledger("grade", "results.jsonl", "-g", "check.py", "-o", "g1.jsonl", cwd=tmp_path)
    again = runledger("grade", "g1.jsonl", "-g", "check.py", "-o", "g2.jsonl", cwd=tmp_path)

    assert (first.code, again.code) == (3, 3)
    assert (tmp_path / "g1.jsonl").read_text() == (tmp_path / "g2.jsonl").read_text()


def test_many_jobs_keep_the_order(tmp_path: Path) -> None:
    """Whoever is done first, lines come as they were."""
    wrote(tmp_path, *(result(f"r{n}", "yes" if n % 3 else "no") for n in range(60)))
    done = runledger("grade", "results.jsonl", "-g", "check.py", "-j", "4", cwd=tmp_path)

    assert [line["id"] for line in lines_of(done.out)] == [f"r{n}" for n in range(60)]
    assert [line["score"]["pass"] for line in lines_of(done.out)] == [n % 3 > 0 for n in range(60)]


def test_commands_compose(tmp_path: Path) -> None:
    """Standard input and output will do, and a program in any language."""
    wrote(tmp_path)
    script = tmp_path / "always.sh"
    script.write_text("""#!/bin/sh\necho '{"pass": true, "score": 0.5}'\n""")
    script.chmod(0o755)
    done = subprocess.run(
        command("grade", "-", "-g", "./always.sh"),
        input=json.dumps(result("a", "x")) + "\n",
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["score"] == {"pass": True, "score": 0.5}


def test_placeholders_in_what_is_judged_are_told(tmp_path: Path) -> None:
    """A grader that looks for a secret would find a placeholder."""
    wrote(tmp_path, result("a", "yes [REDACTED]"), result("b", "yes"))
    done = runledger("grade", "results.jsonl", "-g", "check.py", cwd=tmp_path)

    assert "warning: 1 of the lines hold [REDACTED]" in done.err


def test_what_a_grader_says_leaves_without_secrets(tmp_path: Path) -> None:
    """It has the caller's environment, and may well print it."""
    wrote(tmp_path, result("a", "yes"))
    (tmp_path / "tells.py").write_text(
        "import os\ndef grade(): return {'pass': True, 'score': 1, "
        "'reasoning': os.environ['JUDGE_API_KEY'], 'outcome': {'key': os.environ['JUDGE_API_KEY']}}"
    )
    env = {"JUDGE_API_KEY": "kq83hd0xmw92ndkalq"}
    done = runledger("grade", "results.jsonl", "-g", "tells.py", cwd=tmp_path, env=env)

    assert done.code == 0
    assert "kq83hd0xmw92ndkalq" not in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["results.jsonl", "-g", "none.py"], "there is no file none.py"),
        (["none.jsonl", "-g", "check.py"], "no such run: none.jsonl"),
        (["bad.jsonl", "-g", "check.py"], "bad.jsonl:1: this line is not JSON"),
        (["odd.jsonl", "-g", "check.py"], "odd.jsonl:1: this is no result"),
        (["results.jsonl", "-g", "check.py", "-o", "results.jsonl"], "choose another -o"),
    ],
)
def test_bad_input_is_refused_and_costs_no_output(
    tmp_path: Path, words: list[str], told: str
) -> None:
    """Exit 2, and a file that was there stays as it was."""
    wrote(tmp_path, result("a", "yes"))
    (tmp_path / "bad.jsonl").write_text("{\n")
    (tmp_path / "odd.jsonl").write_text('{"id": "a"}\n')
    (tmp_path / "out.jsonl").write_text("mine\n")
    before = (tmp_path / "results.jsonl").read_text()
    out = [] if "-o" in words else ["-o", "out.jsonl"]
    done = runledger("grade", *words, *out, cwd=tmp_path)

    assert done.code == 2
    assert told in done.err
    assert (tmp_path / "out.jsonl").read_text() == "mine\n"
    assert (tmp_path / "results.jsonl").read_text() == before


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    """The others are graded, with a warning."""
    wrote(tmp_path, result("a", "yes"))
    with (tmp_path / "results.jsonl").open("a") as file:
        file.write('{"id": "b", "inp')
    done = runledger("grade", "results.jsonl", "-g", "check.py", cwd=tmp_path)

    assert done.code == 0
    assert len(lines_of(done.out)) == 1
    assert "torn" in done.err


def test_a_signal_ends_the_graders(tmp_path: Path) -> None:
    """Nothing is left running, and the exit code names the signal."""
    wrote(tmp_path, result("a", "yes"))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "hang.py").write_text(
        "import time\ndef grade():\n    open('pipe', 'w').close()\n    time.sleep(600)\n"
    )
    mark = f"grade-{os.getpid()}-{tmp_path.name}"
    grading = subprocess.Popen(
        command("grade", "results.jsonl", "-g", "hang.py"),
        cwd=tmp_path,
        env=clean_environment(RL_TEST_MARK=mark),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    (tmp_path / "pipe").open().close()  # opens when the grader is at work
    grading.send_signal(signal.SIGTERM)

    assert grading.wait(60) == 143
    assert not list(survivors(mark))
