"""One trial: a task is given to an agent, its tool calls are answered, its limits are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TypeAlias

from ..agents import Asked, Assignment, Driver, Session
from ..errors import AgentError, TrialFault
from ..ledger.clock import Clock
from ..ledger.event import FinalOutput, Happening, Raw, TaskError, TaskStart, ToolCall, ToolResult
from ..ledger.fingerprint import show_name
from ..ledger.grade import Failure
from ..ledger.suite import McpServer
from ..ledger.task import Task, Trial
from ..ledger.trajectory import Exit, Trajectory
from ..ledger.usage import Breach
from ..process.bell import Bell
from ..process.deadline import Deadline
from ..process.sandbox import Bridge
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


def _silent() -> Iterable[Happening]:
    return ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Where an agent works in one trial, and what is offered to it there."""

    directory: str
    env: Mapping[str, str] = field(default_factory=dict)
    servers: tuple[McpServer, ...] = ()
    overheard: Callable[[], Iterable[Happening]] = _silent  # what its servers have to tell
    last_words: Callable[[], Iterable[Happening]] = _silent  # and when the agent is gone
    bell: Bell | None = None  # rung by a server that cannot go on
    bridges: tuple[Bridge, ...] = ()  # to servers that it could not reach from a sandbox


def run_trial(trial: Trial, stage: Stage, source: ToolSource, scene: Scene) -> Trajectory:
    """Ask an agent one task once; every failure of the agent is in the trajectory."""
    book = Notebook(trial, stage.note, stage.clock)
    deadline = Deadline.after(_limit_of(trial.task, stage).ms / 1000)
    talk = _Talk(book, stage, scene, partial(_answer_by, source, deadline))
    assignment = Assignment(
        trial.task,
        deadline,
        scene.directory,
        scene.env,
        scene.servers,
        scene.bell,
        scene.bridges,
    )
    return book.trajectory(_ask(talk, assignment))


def refuse_trial(trial: Trial, stage: Stage, failure: Failure) -> Trajectory:
    """Write down a trial that could not begin."""
    book = Notebook(trial, stage.note, stage.clock)
    book.fail(failure)
    return book.trajectory(Exit())


@dataclass(frozen=True, slots=True)
class _Talk:
    """What is at hand while an agent is heard out."""

    book: Notebook
    stage: Stage
    scene: Scene
    answer: Answer

    def overhear(self) -> None:
        """Write down what the agent's servers have to tell; raise what they could not do."""
        for what in self.scene.overheard():
            self.book.note(what)
        if self.scene.bell is not None:
            self.scene.bell.answer()


def _ask(talk: _Talk, assignment: Assignment) -> Exit:
    """Start the agent, talk with it to the end, and end it."""
    book, stage = talk.book, talk.stage
    try:
        session = stage.driver.start(assignment)
    except AgentError as error:
        book.fail(_failure(error))
        return Exit()
    try:
        for said in session.begin():
            book.note(said)
        book.note(TaskStart(assignment.task.input))
        _converse(session, talk)
        talk.overhear()
    except TrialFault as fault:
        _give_up(_cause(fault, talk.scene), book, _limit_of(assignment.task, stage))
    finally:
        exit = session.close()
    for what in (*talk.scene.overheard(), *talk.scene.last_words()):
        book.note(what)
    if not book.failed and (late := _rung(talk.scene)) is not None:
        book.fail(_failure(late))
    return exit


def _rung(scene: Scene) -> TrialFault | None:
    """Tell what a server could not do, if there is such a thing so far."""
    return scene.bell.fault if scene.bell is not None else None


def _cause(fault: TrialFault, scene: Scene) -> TrialFault:
    """Find what a fault came of: what a server could not do, the agent can only fail of."""
    return _rung(scene) or fault


def _converse(session: Session, talk: _Talk) -> None:
    """Hear the agent out: until its final output, a failure, or more messages than are kept."""
    book, stage = talk.book, talk.stage
    left = stage.most_messages
    while left > 0:
        heard = session.next()
        left -= not isinstance(heard, Raw)  # which are not kept in memory
        talk.overhear()
        book.note(heard.call if isinstance(heard, Asked) else heard)
        if book.over_limits():
            return
        match heard:
            case Asked(call):
                _answer(call, session, talk)
            case TaskError(message, value):
                book.fail(Failure("task_error", f"the agent gave up: {message}", {"data": value}))
            case FinalOutput():
                for late in islice(session.leave(), stage.most_messages):
                    book.note(late)
        if book.failed or isinstance(heard, FinalOutput):
            return
    message = f"the agent sent over {stage.most_messages} messages"
    book.fail(Failure("message_too_large", message))


def _answer(call: ToolCall, session: Session, talk: _Talk) -> None:
    book, allowed = talk.book, talk.stage.allowed
    if call.name not in allowed:
        known = ", ".join(sorted(allowed)) or "none"
        name = show_name(call.name)
        message = f"tool not allowed: {name} is not in tool_registry (allowed: {known})"
        book.fail(Failure("tool_not_allowed", message, {"tool": call.name}))
        return
    result = talk.answer(call)
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
