"""A run's directory: made exclusively, written as things happen, read back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from runledger.errors import UsageError
from runledger.ledger.clock import Clock
from runledger.ledger.event import Failed, Log, ToolCall
from runledger.ledger.grade import Failure
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.run import Ending, TrialRow
from runledger.ledger.task import Task, Trial
from runledger.ledger.trajectory import CassetteUse, Exit
from runledger.ledger.usage import Tally, Usage
from runledger.store.record import begin_record
from runledger.store.rundir import make_run_directory, read_run

CLOCK = Clock(unix=lambda: 1_700_000_000.123, monotonic=lambda: 5.0)
MANIFEST = Manifest(
    run_id="r1",
    suite_name="demo",
    mode="replay",
    started="2023-11-14T22:13:20.123Z",
    cases=(PlannedCase("b"), PlannedCase("a")),
)


def row(case_id: str, **more: object) -> TrialRow:
    """Make the row of a finished trial."""
    usage = Usage(tokens_in=1, tokens_out=2, cost_usd=0.5)
    fields = {"status": "passed", "tally": Tally(12, 1, 0, usage), **more}
    return TrialRow(case_id, 1, 1, **fields)  # type: ignore[arg-type]


def trial(case_id: str) -> Trial:
    """Make a trial."""
    return Trial(Task(id=case_id, input={}))


def test_runs_of_the_same_moment_get_directories_of_their_own(tmp_path: Path) -> None:
    """A hundred runs at once do not meet."""
    paths = {make_run_directory(tmp_path, CLOCK) for _ in range(100)}

    assert len(paths) == 100
    assert all(path.name.startswith("20231114-221320-") for path in paths)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    """Rows come back in the plan's order with their failures, whatever finished first."""
    writer = begin_record(tmp_path, MANIFEST, CLOCK)
    failure = Failure("timeout", "too slow", {"limit": 3})
    use = CassetteUse("c.jsonl", "abc", 3, 2, 1, overridden=(2,), left=(3,))
    rows = {
        "a": row("a", cassette=use, exit=Exit(code=0, leaky=True), unjudged=("x",)),
        "b": row("b", status="error", failures=(failure,), exit=Exit(code=1, stderr="bye")),
    }
    writer.start({"run_id": "r1"})
    writer.end_trial(trial("a"), rows["a"], {"id": "a"})
    writer.note(trial("b"), Failed(failure))
    writer.end_trial(trial("b"), rows["b"], {"id": "b"})
    writer.end(Ending(wall_ms=40))
    record = read_run(tmp_path)

    assert record.rows == (rows["b"], rows["a"])
    assert [case.id for case in record.manifest.cases] == ["b", "a"]
    assert record.ending == Ending(wall_ms=40)


def test_a_run_without_an_end_counts_as_interrupted(tmp_path: Path) -> None:
    """A killed runner cannot write its last line; the record says so by lacking it."""
    begin_record(tmp_path, MANIFEST, CLOCK).start({})

    assert read_run(tmp_path).ending.interrupted


def test_lines_are_numbered_and_timed(tmp_path: Path) -> None:
    """Every line has its number, its moment and its place."""
    writer = begin_record(tmp_path, MANIFEST, CLOCK)
    writer.start({})
    writer.note(trial("a"), Log("info", "hello"))
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]

    assert [line["seq"] for line in lines] == [1, 2]
    assert lines[1] == {
        "seq": 2,
        "ts": "2023-11-14T22:13:20.123Z",
        "case_id": "a",
        "trial": 1,
        "attempt": 1,
        "type": "log",
        "level": "info",
        "message": "hello",
    }


def test_an_agents_own_keys_do_not_take_the_place_of_ours(tmp_path: Path) -> None:
    """Extra keys are kept, under another name where they would hide the record's own."""
    writer = begin_record(tmp_path, MANIFEST, CLOCK)
    writer.note(trial("a"), Log("info", "hello", extra={"case_id": "forged", "mood": "fine"}))
    line = json.loads((tmp_path / "run.jsonl").read_text())

    assert (line["case_id"], line["x_case_id"], line["mood"]) == ("a", "forged", "fine")


def test_an_event_that_only_mentions_an_ending_is_none(tmp_path: Path) -> None:
    """Text in an agent's message cannot forge the record."""
    writer = begin_record(tmp_path, MANIFEST, CLOCK)
    writer.note(trial("a"), Log("info", "x", {"type": "case_end", "run_end": '"type":"failure"'}))

    assert read_run(tmp_path).rows == ()


@pytest.mark.parametrize("content", [None, "[]", "{", '{"schema_version": 99}'])
def test_what_is_not_a_run_is_refused(tmp_path: Path, content: str | None) -> None:
    """A directory without a manifest of ours is named in the error."""
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)

    with pytest.raises(UsageError, match=tmp_path.name):
        read_run(tmp_path)


def test_of_a_passed_trial_the_standard_error_stays_on_disk(tmp_path: Path) -> None:
    """No view shows it, so reading a record does not hold it in memory."""
    writer = begin_record(tmp_path, MANIFEST, CLOCK)
    writer.end_trial(trial("a"), row("a", exit=Exit(stderr="x" * 10_000)), {"id": "a"})

    assert read_run(tmp_path).rows[0].exit.stderr == ""
    assert "x" * 10_000 in (tmp_path / "run.jsonl").read_text()


def test_ids_are_no_secrets_and_extra_keys_may_be(tmp_path: Path) -> None:
    """A case that is called like a secret is found again; what an agent calls an id is not one."""
    manifest = replace(
        MANIFEST,
        cases=(PlannedCase("refund-late-order", description="of refund-late-order"),),
        command=("agent", "--token", "abcdefgh"),
        not_chosen=("refund-late-order-2",),
    )
    writer = begin_record(tmp_path, manifest, CLOCK, ["refund-late-order"])
    call = ToolCall("look", "refund-late-order", {}, {"id": "refund-late-order"})
    writer.note(trial("refund-late-order"), call)
    writer.end_trial(trial("refund-late-order"), row("refund-late-order"), {"id": "x"})

    found = read_run(tmp_path)
    (noted, _) = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert found.manifest.cases == (PlannedCase("refund-late-order", description="of [REDACTED]"),)
    assert found.manifest.command == ("agent", "--token", "[REDACTED]")
    assert found.manifest.not_chosen == ("refund-late-order-2",)
    assert found.rows[0].case_id == "refund-late-order"
    assert (noted["call_id"], noted["id"]) == ("[REDACTED]", "[REDACTED]")
