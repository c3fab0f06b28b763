"""The line that results.jsonl has of a trial."""

from __future__ import annotations

from runledger.ledger.event import Event, FinalOutput, Log, Message, TaskStart
from runledger.ledger.result import capture_result
from runledger.ledger.task import Task, Trial
from runledger.ledger.trajectory import Trajectory


def test_the_first_response_is_one_to_the_task() -> None:
    """What an agent says of itself before it has the task is none."""
    events = (
        Event(900, Log("info", "session", {"version": "1"})),
        Event(0, TaskStart("q")),
        Event(120, Message("hi")),
        Event(130, FinalOutput("hi")),
    )
    line = capture_result(Trajectory(Trial(Task("t1", "q")), 1000, 130, events), "passed", "agent")

    assert line["timing"] == {"start": 1000, "end": 1130, "firstResponse": 120}
