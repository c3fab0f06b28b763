"""A run that was broken off: found, read once, and gone on with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from runledger.errors import StoreError, UsageError
from runledger.ledger.clock import Clock
from runledger.ledger.event import Failed, Log
from runledger.ledger.grade import Failure
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.run import Ending, TrialRow
from runledger.ledger.task import Task, Trial
from runledger.ledger.usage import Tally
from runledger.store.lines import is_held
from runledger.store.record import RunWriter, begin_record, continue_record
from runledger.store.resume import finished_lines, newest_unfinished, progress_of
from runledger.store.rundir import read_run

CLOCK = Clock(unix=lambda: 1_700_000_000.0, monotonic=lambda: 5.0)
MANIFEST = Manifest(
    run_id="r1",
    suite_name="demo",
    mode="live",
    started="2023-11-14T22:13:20.000Z",
    cases=(PlannedCase("a", "1"), PlannedCase("b", "2")),
    agent_sha256="agent",
)
SPAWN_FAILED = Failure("spawn_failed", "no such program")


def trial(case_id: str, attempt: int = 1) -> Trial:
    """Make a trial."""
    return Trial(Task(id=case_id, input={}), attempt=attempt)


def finish(writer: RunWriter, what: Trial, failures: Iterable[Failure] = ()) -> None:
    """End a trial in a record."""
    for failure in failures:
        writer.note(what, Failed(failure))
    id, found = what.task.id, tuple(failures)
    row = TrialRow(id, 1, what.attempt, "error" if found else "passed", Tally(), failures=found)
    writer.end_trial(what, row, {"id": id, "trial": 1, "attempt": what.attempt})


def begun(parent: Path, name: str = "20231114-221320-000000") -> RunWriter:
    """Begin a run in a directory of its own."""
    (parent / name).mkdir()
    writer = begin_record(parent / name, MANIFEST, CLOCK)
    writer.start({"run_id": name})
    return writer


def broken_off(parent: Path) -> Path:
    """Leave a run of which one trial has ended, and one has a result but no end."""
    writer = begun(parent)
    finish(writer, trial("a"))
    writer.note(trial("b"), Log("info", "hello"))
    writer.close()
    with (writer.path / "results.jsonl").open("a") as file:
        file.write('{"id":"b","trial":1,"attempt":1}\n')
    return writer.path


def ids(path: Path) -> list[tuple[str, int]]:
    """List the results of a run, each with its attempt."""
    lines = map(json.loads, (path / "results.jsonl").read_text().splitlines())
    return [(line["id"], line["attempt"]) for line in lines]


def test_a_run_that_was_broken_off_is_gone_on_with(tmp_path: Path) -> None:
    """Each trial has one result in the end, and the lines of the log go on counting."""
    path = broken_off(tmp_path)
    progress = newest_unfinished(tmp_path, MANIFEST, tell=[].append)
    assert progress is not None
    told = [line["id"] for line in finished_lines(progress)]
    writer = continue_record(progress, CLOCK)
    mended = ids(path)
    writer.start({})
    finish(writer, trial("b", progress.attempts["b", 1] + 1))
    writer.end(Ending())
    writer.close()

    assert (told, mended, ids(path)) == (["a"], [("a", 1)], [("a", 1), ("b", 2)])
    numbers = [json.loads(line)["seq"] for line in (path / "run.jsonl").read_text().splitlines()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert newest_unfinished(tmp_path, MANIFEST, tell=[].append) is None


def test_a_run_whose_trials_were_spoilt_is_unfinished(tmp_path: Path) -> None:
    """It came to its end, but an agent that could not be started is to be tried again."""
    writer = begun(tmp_path)
    finish(writer, trial("a"))
    finish(writer, trial("b"), [SPAWN_FAILED])
    writer.end(Ending())
    writer.close()
    progress = newest_unfinished(tmp_path, MANIFEST, tell=[].append)

    assert progress is not None
    assert (progress.interrupted, progress.finished) == (False, {("a", 1)})


def test_a_run_that_was_stopped_before_all_its_cases_is_unfinished(tmp_path: Path) -> None:
    """A trial that never began is one that is left."""
    writer = begun(tmp_path)
    finish(writer, trial("a"))
    writer.end(Ending())
    writer.close()

    assert newest_unfinished(tmp_path, MANIFEST, tell=[].append) is not None


def test_a_run_that_was_gone_on_with_and_killed_has_not_ended(tmp_path: Path) -> None:
    """The ending of the first part is not that of the whole."""
    writer = begun(tmp_path)
    finish(writer, trial("b"), [SPAWN_FAILED])
    writer.end(Ending())
    writer.close()
    again = continue_record(progress_of(writer.path), CLOCK)
    again.start({})
    again.close()

    assert read_run(writer.path).ending.interrupted


def test_a_run_that_is_still_being_written_is_not_taken(tmp_path: Path) -> None:
    """Nor is an older one: whoever asks begins anew."""
    broken_off(tmp_path)
    writer = begun(tmp_path, "20231114-221321-000000")
    during = newest_unfinished(tmp_path, MANIFEST, tell=[].append)
    writer.close()
    after = newest_unfinished(tmp_path, MANIFEST, tell=[].append)

    assert during is None
    assert after is not None
    assert after.path == writer.path


def test_of_runs_of_the_same_second_the_later_one_is_the_newest(tmp_path: Path) -> None:
    """The digits after the second are drawn by lot."""
    begun(tmp_path, "20231114-221320-ffffff").close()
    begun(tmp_path, "20231114-221320-000000").close()
    for moment, name in enumerate(("ffffff", "000000"), start=1):
        os.utime(tmp_path / f"20231114-221320-{name}" / "manifest.json", (moment, moment))
    found = newest_unfinished(tmp_path, MANIFEST, tell=[].append)

    assert found is not None
    assert found.path.name == "20231114-221320-000000"


@pytest.mark.parametrize(
    ("other", "change"),
    [
        (replace(MANIFEST, agent_sha256="another"), "the way the agent is started was changed"),
        (
            replace(MANIFEST, programs={"agent.py": "1"}),
            "agent.py was added",
        ),
        (replace(MANIFEST, mode="record"), "its mode was changed from live to record"),
        (replace(MANIFEST, trials=2), "the trials of each case were changed from 1 to 2"),
        (replace(MANIFEST, cases=(PlannedCase("a", "changed"),)), "case a was edited"),
        (replace(MANIFEST, cases=(PlannedCase("c", "3"),)), "case c was added"),
    ],
)
def test_a_run_that_does_something_else_is_not_taken(
    tmp_path: Path, other: Manifest, change: str
) -> None:
    """Another agent, other prompts or another number of trials make another run, and are named."""
    broken_off(tmp_path)

    told: list[str] = []
    assert newest_unfinished(tmp_path, other, tell=told.append) is None
    assert change in told[0]
    part = replace(MANIFEST, cases=MANIFEST.cases[1:])
    assert newest_unfinished(tmp_path, part, tell=told.append) is not None


def test_a_run_that_another_went_on_with_meanwhile_is_refused(tmp_path: Path) -> None:
    """What was read of it no longer holds, and would cost the results of the other."""
    path = broken_off(tmp_path)
    ours = progress_of(path)
    other = continue_record(progress_of(path), CLOCK)
    finish(other, trial("b", 2))
    other.close()

    with pytest.raises(StoreError, match="another process has gone on with"):
        continue_record(ours, CLOCK)
    assert ids(path) == [("a", 1), ("b", 2)]
    assert not is_held(path / "run.jsonl")


def test_a_record_that_cannot_be_mended_is_let_go_of(tmp_path: Path) -> None:
    """No lock and no descriptor stay behind."""
    path = broken_off(tmp_path)
    with (path / "results.jsonl").open("a") as file:
        file.write("[1]\n")
    before = len(os.listdir("/dev/fd"))  # noqa: PTH208

    with pytest.raises(UsageError, match=r"results\.jsonl:3: this is no result of a run"):
        continue_record(progress_of(path), CLOCK)
    assert not is_held(path / "run.jsonl")
    assert len(os.listdir("/dev/fd")) == before  # noqa: PTH208


def test_a_last_line_without_its_end_counts_on_both_sides(tmp_path: Path) -> None:
    """What is read as finished is not cut off by who goes on."""
    path = broken_off(tmp_path)
    lines = (path / "run.jsonl").read_bytes().splitlines(keepends=True)
    (path / "run.jsonl").write_bytes(b"".join(lines[:-1]).removesuffix(b"\n"))
    progress = progress_of(path)
    continue_record(progress, CLOCK).close()

    assert progress.finished == {("a", 1)}
    assert (path / "run.jsonl").read_bytes() == b"".join(lines[:-1])


def test_a_run_that_has_no_results_yet_is_gone_on_with(tmp_path: Path) -> None:
    """It may have been killed between its first two files."""
    writer = begun(tmp_path)
    writer.close()
    (writer.path / "results.jsonl").unlink()
    progress = progress_of(writer.path)

    assert list(finished_lines(progress)) == []
    continue_record(progress, CLOCK).close()
