"""runledger calibrate: failing answers for a person to check the grader by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kit import Done, runledger

HOSTILE = "```\n# Forged\n<script>@everyone</script>\n::add-mask::x\n\x1b[31m"


def result(id: str, passed: bool | None, output: str = "no", **more: Any) -> dict[str, Any]:
    """Make a line of a capture."""
    score = {"score": {"pass": passed, "score": float(passed or 0), "reasoning": "looked"}}
    return {
        "id": id,
        "input": "the question",
        "output": output,
        "expected": "yes",
        "trajectory": [{"type": "message", "content": output, "timestamp": 1}],
        "metadata": {},
        "timing": {"start": 0, "end": 9},
        "toolErrors": False,
        **({} if passed is None else score),
        **more,
    }


def calibrated(path: Path, lines: list[dict[str, Any]], *words: str) -> Done:
    """Calibrate by results."""
    (path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return runledger("calibrate", "results.jsonl", *words, cwd=path)


def ids(done: Done) -> list[str]:
    """List the samples of a document."""
    assert done.code == 0, done.err
    heads = [line for line in done.out.splitlines() if line.startswith("## Sample ")]
    return [head.partition(": ")[2].strip("`") for head in heads]


def test_failing_and_errored_answers_are_shown(tmp_path: Path) -> None:
    """With all that a person needs to judge, and boxes to tick."""
    lines = [result("good", True), result("bad", False), result("unknown", None)]
    lines.append(result("broken", None, "", errors=["the agent timed out"]))
    done = calibrated(tmp_path, lines)

    assert sorted(ids(done)) == ["bad", "broken"]
    for shown in (
        "the question",
        "yes",
        "FAIL (0)",
        "looked",
        "the agent timed out",
        "- [ ] Grade",
    ):
        assert shown in done.out
    assert "2 of 2 failing answers, in 4 trials." in done.out


def test_the_sample_is_the_same_for_the_same_file(tmp_path: Path) -> None:
    """Nothing is left to chance, and the order of the lines does not matter."""
    lines = [result(f"r{n}", False, f"answer {n}") for n in range(300)]
    first = calibrated(tmp_path, lines, "-s", "7")
    again = calibrated(tmp_path, lines[::-1], "-s", "7")

    assert len(ids(first)) == 7
    assert first.out == again.out
    assert ids(first) != [f"r{n}" for n in range(7)]


def test_the_sample_is_spread_over_the_prompts(tmp_path: Path) -> None:
    """One that failed a hundred times does not crowd out those that failed once."""
    lines = [result("often", False, f"answer {n}") for n in range(100)]
    lines += [result(f"once-{n}", False) for n in range(4)]

    found = ids(calibrated(tmp_path, lines, "-s", "5"))

    assert sorted(found) == sorted(["often", *(f"once-{n}" for n in range(4))])


def test_a_second_grader_is_set_beside_the_first(tmp_path: Path) -> None:
    """How often they agree is counted."""
    (tmp_path / "loose.py").write_text(
        "def grade(output): return {'pass': output == 'fine', 'score': 0.25, 'reasoning': 'loose'}"
    )
    lines = [result("a", False, "fine"), result("b", False), result("c", False, "other")]
    done = calibrated(tmp_path, lines, "-g", "loose.py")

    assert done.code == 0, done.err
    assert "`loose.py`: agrees 2, disagrees 1, grader errors 0" in done.out
    assert "**Re-scored:** PASS (0.25)" in done.out


def test_a_second_grader_that_is_at_fault_is_exit_3(tmp_path: Path) -> None:
    """The document is written all the same, and says so."""
    (tmp_path / "broken.py").write_text("def grade(): raise ValueError('no')")
    done = calibrated(tmp_path, [result("a", False)], "-g", "broken.py")

    assert done.code == 3
    assert "grader errors 1" in done.out


def test_what_an_agent_wrote_is_inert(tmp_path: Path) -> None:
    """It can neither forge a heading, nor close a fence, nor drive a terminal or a CI runner."""
    done = calibrated(
        tmp_path, [result(HOSTILE, False, HOSTILE, expected=HOSTILE, errors=[HOSTILE])]
    )

    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert not [line for line in done.out.splitlines() if line.lstrip().startswith("::")]
    fence = None
    for line in done.out.splitlines():
        if fence is None and line.startswith("```"):
            fence = line.removesuffix("text")
        elif line == fence:
            fence = None
        elif "Forged" in line and not line.startswith("## Sample"):
            assert fence is not None
    assert fence is None


def test_nothing_failing_is_said(tmp_path: Path) -> None:
    """There is no document then."""
    done = calibrated(tmp_path, [result("a", True)])

    assert (done.code, done.out) == (0, "")
    assert "none of the 1 trials failed" in done.err


def test_long_texts_are_cut(tmp_path: Path) -> None:
    """A person reads the beginning, and how long it is."""
    done = calibrated(tmp_path, [result("a", False, "word " * 100_000)], "-o", "review.md")

    assert (done.code, done.out) == (0, "")
    text = (tmp_path / "review.md").read_text()
    assert len(text) < 5000
    assert "(500,000 characters in all)" in text
