"""One trial: a task is given to an agent, its tool calls are answered, its limits are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from ..agents import Asked, Driver, Session
from ..errors import AgentError, TrialFault
from ..ledger.clock import Clock
from ..ledger.event import FinalOutput, Happening, TaskError, TaskStart, ToolCall, ToolResult
from ..ledger.fingerprint import show_name
from ..ledger.grade import Failure
from ..ledger.task import Trial
from ..ledger.trajectory import Exit, Trajectory
from ..ledger.usage import Breach
from ..process.deadline import Deadline
from ..tools import ToolSource
from .notebook import Notebook

DEFAULT_LIMIT_MS = 30_000
MOST_MESSAGES = 100_000  # so that a flood of tiny messages cannot fill the memory

Answer: TypeAlias = Callable[[ToolCall], ToolResult]
"""Get a tool's answer before the trial's deadline."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What stands around every trial of a run."""

    driver: Driver
    allowed: frozenset[str]
    note: Callable[[Trial, Happening], None]
    clock: Clock
    most_messages: int = MOST_MESSAGES


def run_trial(trial: Trial, stage: Stage, source: ToolSource) -> Trajectory:
    """Ask an agent one task once; every failure of the agent is in the trajectory."""
    book = Notebook(trial, stage.note, stage.clock)
    return book.trajectory(_ask(book, stage, source))


def refuse_trial(trial: Trial, stage: Stage, failure: Failure) -> Trajectory:
    """Write down a trial that could not begin."""
    book = Notebook(trial, stage.note, stage.clock)
    book.fail(failure)
    return book.trajectory(Exit())


def _ask(book: Notebook, stage: Stage, source: ToolSource) -> Exit:
    """Start the agent, talk with it to the end, and end it."""
    task = book.trial.task
    limit_ms = task.limits.max_wall_ms
    deadline = Deadline.after((DEFAULT_LIMIT_MS if limit_ms is None else limit_ms) / 1000)
    try:
        session = stage.driver.start(task, deadline)
    except AgentError as error:
        book.fail(_failure(error))
        return Exit()
    try:
        book.note(TaskStart(task.input))
        _converse(session, book, stage, lambda call: source.answer(call, deadline))
    except TrialFault as fault:
        _give_up(fault, book)
    finally:
        exit = session.close()
    return exit


def _converse(session: Session, book: Notebook, stage: Stage, answer: Answer) -> None:
    """Hear the agent out: until its final output, a failure, or more messages than are kept."""
    for _ in range(stage.most_messages):
        heard = session.next()
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


def _give_up(fault: TrialFault, book: Notebook) -> None:
    """Write down what ended the talk; a time-out names the limit, and its budget if it is one."""
    if fault.kind != "timeout":
        book.fail(_failure(fault))
        return
    limit_ms = book.trial.task.limits.max_wall_ms
    if limit_ms is None:
        message = f"{fault}: over {DEFAULT_LIMIT_MS} ms (the default)"
        book.fail(Failure("timeout", message, fault.details))
    else:
        book.fail(Failure("timeout", f"{fault}: over {limit_ms} ms (max_wall_ms)", fault.details))
        book.fail_budget(Breach("max_wall_ms", limit_ms, book.elapsed_ms()))


def _failure(fault: TrialFault) -> Failure:
    return Failure(fault.kind, str(fault), fault.details)
