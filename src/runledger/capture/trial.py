"""One trial: a task is given to an agent, its tool calls are answered, its limits are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias

from ..agents import Asked, Assignment, Driver, Session
from ..errors import AgentError, TrialFault
from ..ledger.clock import Clock
from ..ledger.event import FinalOutput, Happening, Raw, TaskError, TaskStart, ToolCall, ToolResult
from ..ledger.fingerprint import show_name
from ..ledger.grade import Failure
from ..ledger.task import Task, Trial
from ..ledger.trajectory import Exit, Trajectory
from ..ledger.usage import Breach
from ..process.deadline import Deadline
from ..tools import ToolSource
from .notebook import Notebook

BUDGET = "max_wall_ms"
MOST_MESSAGES = 100_000  # so that a flood of tiny messages cannot fill the memory

Answer: TypeAlias = Callable[[ToolCall], ToolResult]
"""Get a tool's answer before the trial's deadline."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How long a trial may take, and who says so."""

    ms: int
    name: str


DEFAULT_LIMIT = Limit(30_000, "the default")


@dataclass(frozen=True, slots=True)
class Stage:
    """What stands around every trial of a run."""

    driver: Driver
    allowed: frozenset[str]
    note: Callable[[Trial, Happening], None]
    clock: Clock
    most_messages: int = MOST_MESSAGES
    limit: Limit = DEFAULT_LIMIT  # for tasks that name none


def run_trial(trial: Trial, stage: Stage, source: ToolSource, directory: str) -> Trajectory:
    """Ask an agent one task once; every failure of the agent is in the trajectory."""
    book = Notebook(trial, stage.note, stage.clock)
    deadline = Deadline.after(_limit_of(trial.task, stage).ms / 1000)
    answer = partial(_answer_by, source, deadline)
    return book.trajectory(_ask(book, stage, Assignment(trial.task, deadline, directory), answer))


def refuse_trial(trial: Trial, stage: Stage, failure: Failure) -> Trajectory:
    """Write down a trial that could not begin."""
    book = Notebook(trial, stage.note, stage.clock)
    book.fail(failure)
    return book.trajectory(Exit())


def _ask(book: Notebook, stage: Stage, assignment: Assignment, answer: Answer) -> Exit:
    """Start the agent, talk with it to the end, and end it."""
    try:
        session = stage.driver.start(assignment)
    except AgentError as error:
        book.fail(_failure(error))
        return Exit()
    try:
        for said in session.begin():
            book.note(said)
        book.note(TaskStart(assignment.task.input))
        _converse(session, book, stage, answer)
    except TrialFault as fault:
        _give_up(fault, book, _limit_of(assignment.task, stage))
    finally:
        exit = session.close()
    return exit


def _converse(session: Session, book: Notebook, stage: Stage, answer: Answer) -> None:
    """Hear the agent out: until its final output, a failure, or more messages than are kept."""
    left = stage.most_messages
    while left > 0:
        heard = session.next()
        left -= not isinstance(heard, Raw)  # which are not kept in memory
        book.note(heard.call if isinstance(heard, Asked) else heard)
        if book.over_limits():
            return
        match heard:
            case Asked(call):
                _answer(call, session, book, stage, answer)
            case TaskError(message, value):
                book.fail(Failure("task_error", f"the agent gave up: {message}", {"data": value}))
            case FinalOutput():
                for late in islice(session.leave(), stage.most_messages):
                    book.note(late)
        if book.failed or isinstance(heard, FinalOutput):
            return
    message = f"the agent sent over {stage.most_messages} messages"
    book.fail(Failure("message_too_large", message))


def _answer(call: ToolCall, session: Session, book: Notebook, stage: Stage, answer: Answer) -> None:
    if call.name not in stage.allowed:
        known = ", ".join(sorted(stage.allowed)) or "none"
        name = show_name(call.name)
        message = f"tool not allowed: {name} is not in tool_registry (allowed: {known})"
        book.fail(Failure("tool_not_allowed", message, {"tool": call.name}))
        return
    result = answer(call)
    book.note(result)
    if not book.over_limits():
        session.answer(result)


def _give_up(fault: TrialFault, book: Notebook, limit: Limit) -> None:
    """Write down what ended the talk; a time-out names the limit, and its budget if it is one."""
    if fault.kind != "timeout":
        book.fail(_failure(fault))
        return
    message = f"{fault}: over {limit.ms} ms ({limit.name})"
    book.fail(Failure("timeout", message, fault.details))
    if limit.name == BUDGET:
        book.fail_budget(Breach(BUDGET, limit.ms, max(limit.ms, book.elapsed_ms())))


def _limit_of(task: Task, stage: Stage) -> Limit:
    """Find the limit that the task names, or the one for tasks that name none."""
    if task.limits.max_wall_ms is not None:
        return Limit(task.limits.max_wall_ms, BUDGET)
    if task.timeout_ms is not None:
        return Limit(task.timeout_ms, "timeout")
    return stage.limit


def _answer_by(source: ToolSource, deadline: Deadline, call: ToolCall) -> ToolResult:
    return source.answer(call, deadline)


def _failure(fault: TrialFault) -> Failure:
    return Failure(fault.kind, str(fault), fault.details)
