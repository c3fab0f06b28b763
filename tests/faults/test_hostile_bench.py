"""Experiments that a stranger ran: their files are doubted, and name no way out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from hostile import BAD, TEXTS, changed, check_clean, listing, written
from kit import runledger
from lab import Lab
from runledger.compare.experiment import findings_of
from runledger.errors import UsageError
from runledger.ledger.experiment import Experiment
from runledger.store.bench import read_bench
from runledger.suite.experiment import load_experiment
from runledger.views.experiment import html, results, scenarios, summary, terminal, timing
from runledger.views.experiment.answer import answer_files
from runledger.views.look import PLAIN

FEW = (None, BAD, 10**400)
TOLD = ("run_start", "case_end", "run_end", "")  # all that is read of the events; or no event
FORMULA = "=cmd|' /C calc'!A0"
SPEAKS = f"""
session(model={FORMULA!r})
call("Read", file_path={TEXTS[1]!r})
answer("alpha {{}}".format({BAD!r}))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a small experiment whose agent says hostile things, once, and judge it."""
    lab = Lab(tmp_path_factory.mktemp("lab")).agent(SPEAKS)
    done = lab.all_steps()
    assert "Traceback" not in done.err, done.err
    return lab.run


@pytest.fixture
def bench(made: Path, tmp_path: Path) -> Path:
    """Give a copy of the experiment's run."""
    return copytree(made, tmp_path / "bench" / made.name)


def lines_with_changes(file: Path) -> Iterator[str]:
    """Write a file of lines with each part of the last line of each kind changed."""
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    kinds = {line.get("type", ""): number for number, line in enumerate(lines)}
    for number in (kinds[kind] for kind in TOLD if kind in kinds):
        for label, new in changed(lines[number], FEW):
            texts = [*map(written, lines)]
            texts[number] = written(new)
            file.write_text("\n".join(texts) + "\n")
            yield f"{file.name}:{number + 1}: {label}"


def shown(bench: Path, experiment: Experiment) -> str:
    """Make all views of the run, and give what a console would show."""
    record = read_bench(bench, experiment)
    findings = findings_of(record)
    html.render(record, findings)
    scenarios.render(record)
    results.render(record, findings)
    summary.render(record, findings)
    timing.render(record)
    for name, _ in answer_files(record):
        assert "/" not in name, name
    return terminal.render_report(record, findings, PLAIN)


@pytest.mark.parametrize("name", ["plan.jsonl", "run.jsonl", "results.jsonl", "verdicts.jsonl"])
def test_f43_files_of_a_strangers_experiment_are_doubted(bench: Path, name: str) -> None:
    """Whatever stands in any field, views of it work, or name the file and the line."""
    experiment = load_experiment(bench, to_run=False)
    for label in lines_with_changes(bench / name):
        try:
            check_clean(shown(bench, experiment))
        except UsageError as error:
            told = str(error)
        except Exception as error:
            raise AssertionError(f"{label}: {error!r}") from error
        else:
            continue
        assert name in told or "plan" in told or "damaged" in told, (label, told)


def test_f46_an_answer_of_a_task_that_is_not_planned_becomes_no_file(bench: Path) -> None:
    """Ids of tasks name files, and so only those of the plan are taken."""
    file = bench / "results.jsonl"
    first, *others = file.read_bytes().splitlines(keepends=True)
    forged = written({**json.loads(first), "id": "../../../escaped"}) + "\n"
    file.write_bytes(b"".join([forged.encode(), *others]))
    log = bench / "run.jsonl"
    log.write_text(log.read_text().replace('"case_id":"t1"', '"case_id":"../../../escaped"'))
    before = listing(bench.parents[1])

    done = runledger("bench", "report", bench, cwd=bench.parents[1])

    assert done.code == 2, (done.code, done.out, done.err)
    assert "results.jsonl:1: this is no result of the experiment" in done.err, done.err
    assert listing(bench.parents[1]) == before


def test_f46_answers_are_not_written_through_a_link(bench: Path) -> None:
    """A directory of a run that leads elsewhere is refused."""
    elsewhere = bench.parents[1] / "elsewhere"
    (bench / "runs").rename(elsewhere)
    (bench / "runs").symlink_to(elsewhere)
    (elsewhere / "precious.md").write_text("keep me")

    done = runledger("bench", "report", bench, cwd=bench.parents[1])

    assert done.code == 2, (done.code, done.out, done.err)
    assert "runs is a symbolic link to" in done.err, done.err
    assert (elsewhere / "precious.md").read_text() == "keep me"


def test_f47_a_protocol_that_is_a_bomb_is_refused(bench: Path) -> None:
    """It costs neither time nor memory."""
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    file = bench / "protocol.yaml"
    text = file.read_text()
    file.write_text("\n".join([text.rstrip(), *lines, "tasks: *a59", ""]))

    done = runledger("bench", "report", bench, cwd=bench.parents[1])

    assert done.code == 2, (done.code, done.out, done.err)
    assert "protocol.yaml is damaged: it holds aliases" in done.err, done.err


def test_f43_no_cell_of_the_timings_is_a_formula(bench: Path) -> None:
    """An agent that calls its model a formula has none reckoned by a table's program."""
    with (bench / "runs" / "timing.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]

    assert f"'{FORMULA}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
