"""One trial, with a scripted agent on the shelf in place of a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from runledger.agents import Asked, Assignment, Said
from runledger.capture.plan import choose, trials_of
from runledger.capture.trial import Scene, Stage, run_trial
from runledger.errors import AgentError, CassetteMiss, UnknownName, UsageError
from runledger.ledger.clock import Clock
from runledger.ledger.event import (
    FinalOutput,
    Happening,
    Log,
    TaskError,
    ToolCall,
    ToolResult,
    UsageReport,
)
from runledger.ledger.grade import Failure
from runledger.ledger.task import Task, Trial
from runledger.ledger.trajectory import CassetteUse, Exit, Trajectory, failures_in
from runledger.ledger.usage import Limits, Usage
from runledger.process.bell import Bell
from runledger.process.deadline import Deadline

DONE = FinalOutput({"ok": True})
HERE = Scene(".")


class Scripted:
    """A driver whose agent does what the script says, then times out."""

    def __init__(self, *script: Asked | Said) -> None:
        self.script = list(script)
        self.answers: list[ToolResult] = []
        self.closed = False

    def start(self, assignment: Assignment) -> Scripted:
        """Take the task."""
        return self

    def begin(self) -> Iterator[Said]:
        """Need no preparation."""
        yield from ()

    def next(self) -> Asked | Said:
        """Do the next thing of the script."""
        if not self.script:
            raise AgentError("timeout", "case timeout waiting for agent message")
        return self.script.pop(0)

    def answer(self, result: ToolResult) -> None:
        """Remember the answer."""
        self.answers.append(result)

    def leave(self) -> Iterator[Said]:
        """Say what is left of the script."""
        yield from self.script  # type: ignore[misc]

    def close(self) -> Exit:
        """End."""
        self.closed = True
        return Exit(code=0)  # type: ignore[return-value]


class Answers:
    """A source that has an answer to everything, good or bad."""

    def __init__(self, ok: bool = True) -> None:
        self.ok = ok

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Answer."""
        return ToolResult(call.call_id, self.ok, result=call.name)

    def finish(self) -> list[Failure]:
        """Have nothing left."""
        return []

    def use(self) -> CassetteUse | None:
        """Have no cassette."""
        return None

    def close(self) -> None:
        """Hold nothing."""


def attempt(
    agent: Scripted, source: Answers | None = None, scene: Scene = HERE, **limits: float
) -> Trajectory:
    """Run one trial of the scripted agent."""
    written: list[Happening] = []
    ticks = iter(range(10_000))
    clock = Clock(unix=lambda: 1000.0, monotonic=lambda: next(ticks) / 1000)
    note = lambda _, what: written.append(what)  # noqa: E731
    stage = Stage(agent, frozenset({"a"}), note, clock, most_messages=5)  # type: ignore[arg-type]
    task = Task(id="t1", input={}, limits=Limits(**limits))  # type: ignore[arg-type]
    trajectory = run_trial(Trial(task), stage, source or Answers(), scene)
    assert [event.what for event in trajectory.events] == written
    assert agent.closed
    return trajectory


def call(id: str, name: str = "a") -> Asked:
    """Make a tool call that wants an answer."""
    return Asked(ToolCall(name, id, {}))


def types(trajectory: Trajectory) -> list[str]:
    """List the types of a trajectory's failures."""
    return [failure.type for failure in failures_in(trajectory.events)]


def test_calls_are_answered_until_the_final_output() -> None:
    """Every call gets its answer, and everything is written down as it happens."""
    agent = Scripted(call("1"), call("2"), DONE)

    assert types(attempt(agent)) == []
    assert [answer.call_id for answer in agent.answers] == ["1", "2"]


def test_a_trial_stops_at_the_call_limit() -> None:
    """A trial that asks for more calls than allowed ends at once, unanswered."""
    agent = Scripted(call("1"), call("2"), call("3"), DONE)
    trajectory = attempt(agent, max_tool_calls=2)

    assert types(trajectory) == ["budget_exceeded"]
    assert len(agent.answers) == 2


def test_a_trial_stops_at_the_error_limit() -> None:
    """The tool error over the limit is written down, not sent."""
    agent = Scripted(call("1"), call("2"), DONE)
    trajectory = attempt(agent, Answers(ok=False), max_tool_errors=1)

    assert types(trajectory) == ["budget_exceeded"]
    assert len(agent.answers) == 1


def test_usage_adds_up_and_stops_the_trial_over_its_limit() -> None:
    """Each report is one of several; their sum counts."""
    reports = [UsageReport(Usage(tokens_out=60, cost_usd=0.4))] * 2
    agent = Scripted(*reports, DONE)

    assert types(attempt(agent, max_tokens_out=100)) == ["budget_exceeded"]
    assert types(attempt(Scripted(*reports, DONE), max_tokens_out=120, max_cost_usd=0.8)) == []


def test_more_messages_than_are_kept_end_the_trial() -> None:
    """A million tiny messages do not fill the memory."""
    agent = Scripted(*(Log("info", "") for _ in range(6)), DONE)

    assert types(attempt(agent)) == ["message_too_large"]


def test_an_unknown_tool_ends_the_trial() -> None:
    """A tool outside the registry is refused with the list of those in it."""
    trajectory = attempt(Scripted(call("1", "rm"), DONE))
    (failure,) = failures_in(trajectory.events)

    assert failure.type == "tool_not_allowed"
    assert failure.message == "tool not allowed: rm is not in tool_registry (allowed: a)"


def test_an_agent_that_gives_up_is_an_error() -> None:
    """task_error ends the trial with the agent's own words."""
    trajectory = attempt(Scripted(TaskError("no key", {"code": 7}), DONE))
    (failure,) = failures_in(trajectory.events)

    assert (failure.type, failure.details) == ("task_error", {"data": {"code": 7}})
    assert "no key" in failure.message


def test_a_timeout_names_its_limit_and_is_a_budget_failure_only_if_there_is_one() -> None:
    """With max_wall_ms both failures are listed, without it only the time-out."""
    assert types(attempt(Scripted(), max_wall_ms=50)) == ["timeout", "budget_exceeded"]
    (failure,) = failures_in(attempt(Scripted()).events)
    assert failure.message == (
        "case timeout waiting for agent message: over 30000 ms (the default)"
    )


def test_the_wall_time_ends_with_the_final_output() -> None:
    """What an agent does after its answer costs it nothing, but is written down."""
    trajectory = attempt(Scripted(DONE, Log("info", "bye"), Log("info", "bye")))

    last = trajectory.events[-1]
    assert last.what == Log("info", "bye")
    assert trajectory.wall_ms < last.ms


def test_choosing_keeps_the_suites_order_and_names_what_is_unknown() -> None:
    """Ids and tags narrow a suite; both together must leave something."""
    tasks = [Task(id=id, input={}, tags=(tag,)) for id, tag in [("a", "x"), ("b", "y")]]

    assert [task.id for task in choose(tasks, ["b", "a"], [])] == ["a", "b"]
    assert [task.id for task in choose(tasks, [], ["y"])] == ["b"]
    with pytest.raises(UnknownName, match="unknown case 'c'"):
        choose(tasks, ["c"], [])
    with pytest.raises(UsageError, match="no case has both"):
        choose(tasks, ["a"], ["y"])


def test_trials_are_planned_task_by_task() -> None:
    """Repetitions of a task stand together."""
    tasks = [Task(id=id, input={}) for id in "ab"]

    planned = [(trial.task.id, trial.number) for trial in trials_of(tasks, 2)]
    assert planned == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


def test_a_call_that_the_agent_makes_itself_is_written_down_and_not_answered() -> None:
    """Agents with tools of their own only tell of them; the registry is not theirs."""
    agent = Scripted(ToolCall("Bash", "1", {}), ToolResult("1", ok=True), DONE)

    assert types(attempt(agent)) == []
    assert agent.answers == []


class Rung:
    """A scene in which a server has no answer to give, and others have something to tell."""

    def __init__(self, *told: Happening) -> None:
        self.told = list(told)
        self.bell = Bell()

    def scene(self) -> Scene:
        """Give the scene."""
        return Scene(".", overheard=self._drained, bell=self.bell)

    def _drained(self) -> list[Happening]:
        told, self.told = self.told, []
        return told


def test_what_a_server_cannot_answer_is_the_only_failure() -> None:
    """An agent that fails because its model had no recorded answer is not blamed for it."""
    rung = Rung()
    rung.bell.ring(CassetteMiss("cassette_miss", "no recorded answer"))

    trajectory = attempt(Scripted(TaskError("HTTP 400")), scene=rung.scene())
    late = attempt(Scripted(), scene=rung.scene())

    assert types(trajectory) == types(late) == ["cassette_miss"]
    rung.bell.close()


def test_a_miss_counts_although_the_agent_answers() -> None:
    """An agent may go on without the answer it missed; the trial fails all the same."""
    rung = Rung()
    agent = Scripted(DONE)
    agent.leave = lambda: iter(rung.bell.ring(CassetteMiss("cassette_miss", "late")) or ())  # type: ignore[method-assign, func-returns-value]

    assert types(attempt(agent, scene=rung.scene())) == ["cassette_miss"]
    rung.bell.close()


def test_a_miss_counts_that_is_told_while_the_agent_is_ended() -> None:
    """Its last request may still be on the way when it has answered."""
    rung = Rung()
    agent = Scripted(DONE)
    close = agent.close

    def ring() -> Exit:
        rung.bell.ring(CassetteMiss("cassette_miss", "at the end"))
        return close()

    agent.close = ring  # type: ignore[method-assign]

    assert types(attempt(agent, scene=rung.scene())) == ["cassette_miss"]
    rung.bell.close()


def test_usage_that_was_seen_stops_a_trial_over_its_budget() -> None:
    """Tokens read from the model's answers count, and those that the agent tells do not double."""
    seen = UsageReport(Usage(tokens_out=60), {"source": "model"})
    rung = Rung(seen)

    within = attempt(
        Scripted(UsageReport(Usage(tokens_out=60)), DONE), scene=rung.scene(), max_tokens_out=100
    )
    rung.told = [seen, seen]
    over = attempt(Scripted(DONE), scene=rung.scene(), max_tokens_out=100)

    assert types(within) == []
    assert types(over) == ["budget_exceeded"]
    rung.bell.close()
