"""runledger summarize: short views of results, streamed, wherever the results come from."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kit import ECHO, clean_environment, command, entry, runledger, write_suite


def line(id: str, **keys: Any) -> dict[str, Any]:
    """Make a result."""
    return {
        "id": id,
        "input": "q",
        "output": "x",
        "trajectory": [],
        "metadata": {},
        "timing": {"start": 10, "end": 15},
        "toolErrors": False,
        **keys,
    }


def written(path: Path, *lines: Any) -> Path:
    """Write lines as a results file."""
    path.write_text("".join(json.dumps(one) + "\n" for one in lines))
    return path


def summaries(text: str) -> list[dict[str, Any]]:
    """Read lines of JSON."""
    return [json.loads(one) for one in text.splitlines()]


def test_a_file_is_summarized(tmp_path: Path) -> None:
    """A line for each result, on standard output, and nothing else anywhere."""
    written(tmp_path / "r.jsonl", line("a"), line("b", input={"k": 1}, output=["y"]))
    done = runledger("summarize", "r.jsonl", cwd=tmp_path)

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        '{"id":"a","input":"q","output":"x","toolCalls":[],"duration":5}\n'
        '{"id":"b","input":{"k":1},"output":["y"],"toolCalls":[],"duration":5}\n'
    )


def test_records_stand_one_after_the_other(tmp_path: Path) -> None:
    """An empty line between them, in a file that -o names."""
    written(tmp_path / "r.jsonl", line("a"), line("b"))
    done = runledger("summarize", "r.jsonl", "--markdown", "-o", "r.md", cwd=tmp_path)
    text = (tmp_path / "r.md").read_text()

    assert (done.code, done.out) == (0, "")
    assert text.startswith("## Evaluation Record: a\n")
    assert "\n\n---\n\n## Evaluation Record: b\n" in text
    assert text.endswith("\n\n---\n")


def test_trials_are_a_line_each(tmp_path: Path) -> None:
    """The id stays, and the number of the trial is beside it; single results have none."""
    entries = [{"trialNum": number, "output": str(number), "duration": 7} for number in (1, 2)]
    several = {"id": "t", "input": "q", "k": 2, "trials": entries}
    written(tmp_path / "r.jsonl", several, line("a"))
    done = runledger("summarize", "r.jsonl", cwd=tmp_path)
    keys = [(one["id"], one.get("trial"), one["output"]) for one in summaries(done.out)]

    assert keys == [("t", 1, "1"), ("t", 2, "2"), ("a", None, "x")]


@pytest.mark.parametrize("how", ["directory", "id", "latest", "file"])
@pytest.mark.parametrize("trials", [1, 2])
def test_a_run_is_summarized(tmp_path: Path, how: str, trials: int) -> None:
    """By its directory, its id, as the latest one, or by its file; of trials, each."""
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case("a", [entry("search", 1, q="a")])
    run = runledger("run", "suite", "-k", str(trials), "-j", "1", cwd=tmp_path).run
    name = {"directory": run, "id": run.name, "latest": "latest", "file": run / "results.jsonl"}[
        how
    ]
    found = summaries(runledger("summarize", name, cwd=tmp_path).out)

    assert [one["toolCalls"] for one in found] == [["search"]] * trials
    assert [one.get("trial") for one in found] == ([None] if trials == 1 else [1, 2])


def test_standard_input_is_summarized_as_it_comes(tmp_path: Path) -> None:
    """The first result is there before the second one is."""
    with subprocess.Popen(
        command("summarize", "-"),
        cwd=tmp_path,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(line("a")).encode() + b"\n")
        process.stdin.flush()
        first = process.stdout.readline()
        process.stdin.write(json.dumps(line("b")).encode() + b"\n")
        process.stdin.close()
        rest = process.stdout.read()

    assert [json.loads(first)["id"], json.loads(rest)["id"]] == ["a", "b"]
    assert process.returncode == 0


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    """With a warning that names it: what was whole is shown."""
    file = written(tmp_path / "r.jsonl", line("a"))
    file.write_text(file.read_text() + '{"id":"b","inp')
    done = runledger("summarize", "r.jsonl", cwd=tmp_path)

    assert done.code == 0
    assert [one["id"] for one in summaries(done.out)] == ["a"]
    assert "warning: r.jsonl:2: the last line is torn" in done.err


WRONG = {
    "not JSON": ("oops\n", "r.jsonl:1: this line is not JSON"),
    "not an object": ("[]\n", "r.jsonl:1: this line is not an object"),
    "no result": ('{"id":"a"}\n', "r.jsonl:1: this is no result: it has no 'timing'"),
    "an id that is no text": (json.dumps(line("x") | {"id": 1}) + "\n", "its id is not a text"),
    "a nameless call": (
        json.dumps(line("x", trajectory=[{"type": "tool_call"}])) + "\n",
        "a tool call of its trajectory has no name",
    ),
    "metadata that are a list": (json.dumps(line("x", metadata=["a"])) + "\n", "metadata"),
    "a duration that is a text": (
        '{"id":"a","input":"q","trials":[{"trialNum":1,"output":"","duration":"## x"}]}\n',
        "where a number is due",
    ),
    "a time without end": (
        '{"id":"a","input":"q","output":"","trajectory":[],'
        '"timing":{"start":0,"end":1e999999999999999999999}}\n',
        "r.jsonl:1: ",
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_file_that_holds_no_results_is_refused(tmp_path: Path, fault: str) -> None:
    """With its line, exit 2, and without harm to what stood in the output."""
    text, told = WRONG[fault]
    (tmp_path / "r.jsonl").write_text(text)
    (tmp_path / "out.jsonl").write_text("mine\n")
    done = runledger("summarize", "r.jsonl", "-o", "out.jsonl", cwd=tmp_path)

    assert done.code == 2, done.err
    assert told in done.err
    assert (tmp_path / "out.jsonl").read_text() == "mine\n"


def test_the_file_that_is_read_is_not_written(tmp_path: Path) -> None:
    """Neither by its name nor by another one for it."""
    before = written(tmp_path / "r.jsonl", line("a")).read_text()
    os.link(tmp_path / "r.jsonl", tmp_path / "same.jsonl")
    for name in ("r.jsonl", "same.jsonl"):
        done = runledger("summarize", "r.jsonl", "-o", name, cwd=tmp_path)
        assert done.code == 2
        assert "choose another -o" in done.err

    assert (tmp_path / "r.jsonl").read_text() == before


def test_no_result_is_no_fault_but_told(tmp_path: Path) -> None:
    """An empty file has an empty summary."""
    (tmp_path / "r.jsonl").write_text("")
    done = runledger("summarize", "r.jsonl", cwd=tmp_path)

    assert (done.code, done.out) == (0, "")
    assert "r.jsonl holds no result" in done.err


def test_a_file_beside_the_results_may_be_anybodys(tmp_path: Path) -> None:
    """A manifest.json that is none of ours is passed over."""
    (tmp_path / "manifest.json").write_text('{"name": "my web app"}')
    written(tmp_path / "r.jsonl", line("a"))

    assert runledger("summarize", "r.jsonl", cwd=tmp_path).code == 0


def test_memory_does_not_grow_with_the_number_of_results(tmp_path: Path) -> None:
    """A thousand results of 100 kB need not be in memory at once."""
    one = json.dumps(line("a", output="x" * 100_000)) + "\n"
    with (tmp_path / "r.jsonl").open("w") as file:
        file.writelines([one] * 1000)
    measure = (  # not getrusage, which remembers who started the process, too
        "import re, sys; from runledger.cli import main; code = main();"
        "status = open('/proc/self/status').read();"
        "print(re.search(r'VmHWM:\\s*(\\d+)', status)[1], file=sys.stderr); sys.exit(code)"
    )
    words = [*command()[:1], "-c", measure, "summarize", "r.jsonl", "-m", "-o", "r.md"]
    done = subprocess.run(
        words, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, check=True
    )

    assert int(done.stderr) * 1024 < 90_000_000  # the file alone is larger
