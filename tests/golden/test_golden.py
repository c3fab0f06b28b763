"""The files of a run are what they were: compared exactly, with clock, ids and seed fixed.

`make golden` writes them anew; the difference is then a change of format that users will see.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from runledger import RunOptions, load_suite, run_suite
from runledger.compare.promote import baseline_of
from runledger.harness.conduct import RunOutcome
from runledger.harness.derive import derive_views
from runledger.ledger.clock import Clock
from runledger.store.baseline import write_baseline
from runledger.views import markdown

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent
FILES = ("summary.json", "junit.xml", "results.jsonl", "report.json", "summary.md")
PACKED = re.compile(r'<script id="packed"[^>]*>([^<]*)</script>')


def still_clock() -> Clock:
    """Give a clock that goes on by a millisecond whenever it is asked."""
    unix, monotonic = count(1_771_150_530_123), count(0)
    return Clock(lambda: next(unix) / 1000, lambda: next(monotonic) / 1000, lambda: "a1b2c3")


def report_data(page: str) -> str:
    """Unpack what report.html shows, for a person to read in a difference."""
    found = PACKED.search(page)
    assert found
    lines = zlib.decompress(b64decode(found[1]), wbits=-zlib.MAX_WBITS).decode().splitlines()
    shown = [json.dumps(json.loads(line), ensure_ascii=False, indent=1) for line in lines]
    return "\n".join(shown) + "\n"


def run_example(suite: str, options: RunOptions) -> RunOutcome:
    """Run an example, one case after the other, without the case whose agent is killed.

    What that one still writes on standard error is a matter of chance.
    """
    loaded = load_suite(Path("examples/evals", suite))
    chosen = tuple(task.id for task in loaded.tasks if task.id != "changed_query")
    return run_suite(loaded, replace(options, cases=chosen), clock=still_clock())


def files_of(suite: str, tmp_path: Path, baseline: Path | None = None) -> dict[str, str]:
    """Run an example and give its files by name."""
    options = RunOptions(output_dir=str(tmp_path), baseline=str(baseline) if baseline else None)
    run = run_example(suite, options)
    files = {name: (run.path / name).read_text() for name in FILES[:3]}
    files["report.json"] = report_data((run.path / "report.html").read_text())
    files["summary.md"] = markdown.render(run.summary)
    return files


def compare(name: str, files: dict[str, str]) -> None:
    """Compare files with the golden ones, or write those where that is asked for."""
    for file, text in files.items():
        golden = GOLDEN / name / file
        if os.environ.get("RUNLEDGER_GOLDEN") == "write":
            golden.parent.mkdir(exist_ok=True)
            golden.write_text(text)
        assert text == golden.read_text(), f"{name}/{file} changed; if that is meant: make golden"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in the repository's root, since messages show paths as the caller would write them."""
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("suite", ["demo", "regression"])
def test_the_files_of_an_example_are_as_they_were(suite: str, tmp_path: Path) -> None:
    """One that passes, and one whose cases fail in different ways."""
    compare(suite, files_of(suite, tmp_path))


def test_the_files_of_a_regression_are_as_they_were(tmp_path: Path) -> None:
    """A run beside a baseline in which every case passed, and one case more."""
    options = RunOptions(output_dir=str(tmp_path / "was"))
    run = run_example("regression", options)
    was = baseline_of(run.summary)
    good = tuple(replace(case, passed=True) for case in was.cases)
    gone = replace(good[0], id="gone")
    write_baseline(tmp_path / "b.json", replace(was, cases=(gone, *good)))

    compare("baseline", files_of("regression", tmp_path, tmp_path / "b.json"))


def test_every_view_is_made_again_byte_for_byte(tmp_path: Path) -> None:
    """`report` reads nothing but the record."""
    options = RunOptions(output_dir=str(tmp_path))
    run = run_suite(load_suite(Path("examples/evals/regression")), options)
    names = ("summary.json", "junit.xml", "report.html")
    before = {name: (run.path / name).read_bytes() for name in names}
    for name in names:
        (run.path / name).unlink()
    derive_views(run.path)

    assert {name: (run.path / name).read_bytes() for name in names} == before
