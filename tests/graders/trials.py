"""Trials to judge, made of what happened in them."""

from __future__ import annotations

from collections.abc import Iterable

from runledger.graders import AssertionGrader, grader_for
from runledger.ledger.assertion import Assertion
from runledger.ledger.event import Event, Failed, FinalOutput, Happening, ToolCall, ToolResult
from runledger.ledger.grade import Failure
from runledger.ledger.task import Task, Trial
from runledger.ledger.trajectory import Trajectory
from runledger.ledger.value import Json

TASK = Task("t1", {"ticket": "reset password"}, expected={"kind": "account"}, metadata={"n": 1})


def trial(*happenings: Happening, wall_ms: int = 100, task: Task = TASK) -> Trajectory:
    """Make a trajectory in which these things happened, a millisecond apart."""
    events = tuple(Event(ms, what) for ms, what in enumerate(happenings))
    return Trajectory(Trial(task), 1_700_000_000_000, wall_ms, events)


def answering(output: Json) -> Trajectory:
    """Make the trajectory of an agent that answers at once."""
    return trial(FinalOutput(output))


def calling(*calls: str | tuple[str, Json]) -> Trajectory:
    """Make the trajectory of an agent that calls tools, each answered, and then answers."""
    named = [(call, {}) if isinstance(call, str) else call for call in calls]
    happenings: list[Happening] = []
    for number, (name, args) in enumerate(named, start=1):
        happenings += [ToolCall(name, f"c{number}", args), ToolResult(f"c{number}", True, {})]
    return trial(*happenings, FinalOutput({"done": True}))


def stopped(*types: str) -> Trajectory:
    """Make the trajectory of an agent that never came to answer."""
    return trial(*(Failed(Failure(type, type)) for type in types))


def failures(assertion: Assertion, trajectory: Trajectory) -> tuple[Failure, ...]:
    """Judge by an assertion that runs no program."""
    grader = grader_for(assertion, None)  # type: ignore[arg-type]
    assert isinstance(grader, AssertionGrader)
    return grader.grade(trajectory).failures


def messages(assertion: Assertion, trajectory: Trajectory) -> list[str]:
    """Judge by an assertion and keep the words."""
    return words(failures(assertion, trajectory))


def words(found: Iterable[Failure]) -> list[str]:
    """Keep what failures say."""
    return [failure.message for failure in found]
