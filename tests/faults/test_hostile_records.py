"""Run directories of strangers: what their files say is doubted, and costs nobody anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest

from hostile import BAD, changed, check_clean, written
from kit import entry, runledger, write_suite
from runledger.compare.promote import baseline_of, promotable
from runledger.compare.rates import summarize
from runledger.errors import UsageError
from runledger.harness.baselines import compare_with_baseline
from runledger.harness.calibration import calibrate
from runledger.harness.compare_runs import compare_results
from runledger.ledger.captured import Captured
from runledger.ledger.printable import escape_json
from runledger.store.baseline import baseline_bytes
from runledger.store.lines import encode_line
from runledger.store.results import read_results
from runledger.store.rundir import read_run
from runledger.store.traces import TraceLog
from runledger.views import github, html, junit, regression, terminal
from runledger.views.calibration import render_calibration
from runledger.views.comparison import render_markdown, render_text
from runledger.views.digest import summary_result
from runledger.views.look import PLAIN
from runledger.views.summary import summary_line
from runledger.views.trajectory import render_record

RUN, BASE = Path("run"), Path("base.json")
MOST_TOLD = 1000
FEW = (None, {"a": 1}, BAD, 10**400)

AGENT = """
task = read()
send("log", level="info", message="hello", data={"a": 1})
call("search", q=1)
send("usage", tokens_in=1, tokens_out=2, cost_usd=0.1, model="m")
if task["input"]["q"] == "a":
    send("task_error", message="no", data=None)
else:
    send("final_output", output={"answer": "x"})
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a real run beside a real baseline, once."""
    place = tmp_path_factory.mktemp("made")
    fields = {"type": "required_fields", "fields": ["answer"]}
    suite = write_suite(place / "suite", AGENT, assertions=[fields])
    suite.case("a", [entry("search", 1, q=1)], tags=["t"], description="d")
    suite.case("b", [entry("search", 1, q=1)])
    run = runledger("run", "suite", cwd=place).run
    words = ("--from", run, "--to", "base.json", "--allow-failing")
    assert runledger("baseline", "promote", *words, cwd=place).code == 0
    assert runledger("run", "suite", "--baseline", "base.json", cwd=place).code == 1
    newest = max(place.glob(".agentci/runs/*/*"), key=lambda run: run.stat().st_ctime_ns)
    copytree(newest, place / "run")
    return place


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a copy of the run and its baseline, in the directory that commands run in."""
    copytree(made / "run", tmp_path / "run")
    (tmp_path / "base.json").write_bytes((made / "base.json").read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines_of(file: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def changes_in(file: Path) -> Iterator[str]:
    """Write a file of lines with each part of a line changed, for one line of each kind."""
    lines = lines_of(file)
    lines[-1].pop("baseline", None)  # its fields have a test of their own
    kinds = {str(line.get("type", number)): number for number, line in enumerate(lines)}
    for number in kinds.values():
        for label, new in changed(lines[number], FEW):
            texts = [*map(written, lines)]
            texts[number] = written(new)
            file.write_text("\n".join(texts) + "\n")
            yield f"{file}:{number + 1}: {label}"


def doubted(label: str, *uses: Callable[[], str]) -> None:
    """Make sure that each use works and is clean, or says which file cannot be used."""
    for use in uses:
        try:
            check_clean(use())
        except UsageError as error:
            _check_told(str(error), label)
        except Exception as error:  # which file and field it was
            raise AssertionError(f"{label}: {error!r}") from error


def _check_told(message: str, label: str) -> None:
    assert "run" in message or "base.json" in message, label
    assert len(message) < MOST_TOLD, label


def viewed() -> str:
    """Make all views of the run again; on a disk they would take most of the time."""
    found = summarize(read_run(RUN))
    fromstring(junit.render(found))
    html.render(found, TraceLog(RUN / "run.jsonl").of)
    marks = github.render(found).replace("::error title=", "").replace("::warning title=", "")
    return terminal.render(found, "run") + summary_line(found) + marks


def compared() -> str:
    """Hold the run against the baseline."""
    found = compare_with_baseline(RUN, BASE)
    return regression.render_text(found.regression, found.baseline, PLAIN)


def promoted() -> str:
    """Make the run a baseline."""
    found = summarize(read_run(RUN))
    promotable(found, allow_failing=True)
    return escape_json(baseline_bytes(baseline_of(found)).decode())


def test_f43_a_manifest_of_a_stranger_is_doubted(place: Path) -> None:
    """Whatever stands in any of its fields, views work or say what is wrong with it."""
    file = RUN / "manifest.json"
    for label, new in changed(json.loads(file.read_text())):
        file.write_text(written(new))
        doubted(label, viewed, compared, promoted)


def test_f43_a_log_of_a_stranger_is_doubted(place: Path) -> None:
    """Whatever stands in any of its events, views work or name the line."""
    for label in changes_in(RUN / "run.jsonl"):
        doubted(label, viewed)


def test_f43_a_baseline_of_a_stranger_is_doubted(place: Path) -> None:
    """Whatever stands in any of its fields, it is used or refused by name."""
    for label, new in changed(json.loads(BASE.read_text())):
        BASE.write_text(written(new))
        doubted(label, compared)


def test_f43_results_of_a_stranger_are_doubted(place: Path) -> None:
    """Whatever stands in any field of a result, views of it work or name the line."""
    results = RUN / "results.jsonl"
    Path("good.jsonl").write_bytes(results.read_bytes())

    def summarized() -> str:
        return "".join(escape_json(encode_line(summary_result(one)).decode()) for one in all_())

    def told() -> str:
        return "".join(map(render_record, all_()))

    def side_by_side() -> str:
        found = compare_results(["good.jsonl", str(results)], Path(), warn=print)
        return render_text(found, PLAIN) + render_markdown(found)

    def calibrated() -> str:
        return render_calibration(calibrate(all_(), 10))

    def all_() -> Iterator[Captured]:
        return read_results(results, print)

    for label in changes_in(results):
        doubted(label, summarized, told, side_by_side, calibrated)
