"""Grading what was captured."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from runledger.errors import TrialFault
from runledger.graders import Place
from runledger.harness import grading
from runledger.ledger.event import Event, FinalOutput, Happening
from runledger.ledger.grade import Grade
from runledger.ledger.task import Task, Trial
from runledger.ledger.trajectory import Trajectory, failures_in, output_in
from runledger.process.supervisor import Supervisor


class Broken:
    """A grader with a fault of its own."""

    name = "broken"

    def grade(self, trajectory: Trajectory) -> Grade:
        """Fail to judge."""
        raise ZeroDivisionError("oops")


def test_a_graders_fault_keeps_what_was_captured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The output stays, the case is in error, and the fault is the grader's."""

    def only_broken(task: Task, place: Place) -> Iterator[Broken]:
        yield Broken()

    monkeypatch.setattr(grading, "graders_for", only_broken)
    captured = Trajectory(Trial(Task("t1", {})), 0, 0, (Event(0, FinalOutput({"a": 1})),))
    written: list[Happening] = []
    with Supervisor() as supervisor:
        place = Place(".", supervisor)
        graded = grading.grade_trajectory(captured, place, lambda _, what: written.append(what))

    assert output_in(graded.events) == {"a": 1}
    (failure,) = failures_in(graded.events)
    assert failure.type == "grader_error"
    assert failure.message == "broken failed: ZeroDivisionError: oops"
    assert len(written) == 2


def test_what_a_server_finds_out_at_the_end_fails_a_trial_that_went_well() -> None:
    """A recording that is not whole is not kept; a trial that failed has its reason already."""
    captured = Trajectory(Trial(Task("t1", {})), 0, 0, (Event(0, FinalOutput({})),))
    written: list[Happening] = []

    def late(trajectory: Trajectory, fault: TrialFault | None) -> Trajectory:
        return grading.add_late_fault(trajectory, fault, lambda _, what: written.append(what))

    failed = late(captured, TrialFault("message_too_large", "no more room"))

    assert late(captured, None) is captured
    assert [one.type for one in failures_in(failed.events)] == ["message_too_large"]
    assert late(failed, TrialFault("internal_error", "?")) is failed
    assert len(written) == 1
