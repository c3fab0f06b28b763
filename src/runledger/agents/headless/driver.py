"""Agents that are a command: a prompt goes in, lines or a text come out, and the process ends.

One process serves one turn. An adapter says, as data, how it is started and what its lines mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...errors import AgentError
from ...ledger.event import FinalOutput, Message, Raw, TaskError, ToolResult
from ...ledger.prompts import prompts_of
from ...ledger.trajectory import Exit
from ...process.child import Child, DeadlinePassed
from ...process.deadline import Deadline
from ...process.fate import how_it_ended
from ...process.pipes import TRIAL_CAP, LineBuffer, TooLarge
from ...wire.messages import weight_of
from .. import LAST_GRACE_S, Asked, Assignment, Post, Said, exit_of, fault_of, spawn
from .command import ConfigFile, command_for, problem_with, uses_stdin
from .steps import Known
from .turn import Turn

LINE_CAP = 32 * 1024 * 1024
WEIGHT_CAP = 192 * 1024 * 1024  # memory that one line, or all that meant something, may take


class HeadlessDriver:
    """Start one process for each turn of each task."""

    def __init__(self, post: Post) -> None:
        self._post = post

    def start(self, assignment: Assignment) -> HeadlessSession:
        """Start the agent with the first prompt."""
        problem = problem_with(assignment.task, self._post.agent)
        if problem is not None:
            raise AgentError("spawn_failed", f"{assignment.task.id}: {problem}")
        return HeadlessSession(self._post, assignment)

    def close(self) -> None:
        """Have nothing to end: a process leaves with its turn."""


class HeadlessSession:
    """Hear a command out, turn by turn."""

    def __init__(self, post: Post, assignment: Assignment) -> None:
        assert post.agent.adapter is not None
        self._post = post
        self._assignment = assignment
        self._adapter = post.agent.adapter
        self._prompts = prompts_of(assignment.task.input)
        self._known = Known()
        self._written = self._weight = 0
        self._answered = False
        self._timed_out = False
        self._leaky = False
        self._exit: Exit | None = None
        self._config = ConfigFile((*post.agent.servers, *assignment.servers))
        try:
            self._child = self._spawn(self._prompts[0])
        except AgentError:
            self._config.remove()
            raise
        self._talk = self._turns()

    def begin(self) -> Iterator[Said]:
        """Have nothing to prepare: the prompt is what the process was started with."""
        yield from ()

    def next(self) -> Asked | Said:
        """Wait for the next thing the agent does; its tools are its own business."""
        return next(self._talk)

    def answer(self, result: ToolResult) -> None:
        """Have no way to answer: such an agent never asks."""
        raise AssertionError("a headless agent asks for no tool")

    def leave(self) -> Iterator[Said]:
        """Have nothing more to hear: the answer was complete when the process had ended."""
        yield from ()

    def close(self) -> Exit:
        """End the process, whatever it is doing."""
        if self._exit is None:
            grace_s = LAST_GRACE_S if self._answered else self._post.grace_s
            reason = "end_turn" if self._answered else None
            last = exit_of(self._child, grace_s, timed_out=self._timed_out, stop_reason=reason)
            self._config.remove()
            self._exit = replace(last, leaky=last.leaky or self._leaky)
        return self._exit

    def _spawn(self, prompt: str) -> Child:
        agent, assignment = self._post.agent, self._assignment
        words = self._post.command(assignment)
        session = self._known.text("id")
        argv = command_for(agent, words, prompt, self._config.path, session)
        lines = LineBuffer(LINE_CAP, TRIAL_CAP if self._adapter.lines else LINE_CAP)
        named = [*argv[:1], *self._adapter.args, *words, self._config.path or ""]  # but no prompt
        child = spawn(self._post, argv, assignment, lines, named)
        if uses_stdin(agent):
            child.send(prompt.encode("utf-8", "replace"))
        child.finish_input()
        return child

    def _turns(self) -> Iterator[Said]:
        """Go through all turns, and yield the answer of the last one at the end."""
        answer = ""
        for number, prompt in enumerate(self._prompts):
            if number:
                self._go_on(prompt)
            yield Raw("to_agent", prompt)
            self._known.begin_turn()
            turn = Turn(self._adapter, self._known)
            yield from self._hear(turn)
            if turn.result.error is not None:
                yield TaskError(turn.result.error)
                return
            answer = self._answer_of(turn)
        self._answered = True
        yield FinalOutput(answer)

    def _go_on(self, prompt: str) -> None:
        """Start the process of a further turn, once the one before is surely gone."""
        self._leaky |= self._child.end(LAST_GRACE_S).leaky
        if not _is_word(self._known.text("id")):
            raise self._fault(
                "protocol_error", "the agent told no session id, so that no further turn can follow"
            )
        self._child = self._spawn(prompt)

    def _hear(self, turn: Turn) -> Iterator[Said]:
        """Yield what the process says until it has nothing more to say."""
        try:
            yield from self._lines(turn) if self._adapter.lines else self._whole(turn)
            self._child.wait_exit(
                min(self._assignment.deadline, Deadline.after(self._post.grace_s))
            )
        except DeadlinePassed:
            self._timed_out = True
            yield from turn.finish()
            raise self._fault("timeout", "case timeout waiting for agent message") from None
        except TooLarge as error:
            yield from turn.finish()
            raise self._fault("message_too_large", f"the agent wrote too much: {error}") from None
        yield from turn.finish()

    def _lines(self, turn: Turn) -> Iterator[Said]:
        while (line := self._child.read_line(self._assignment.deadline)) is not None:
            weight = self._weigh(line)
            meant = False
            for said in turn.read(line):
                meant = meant or not isinstance(said, Raw)
                yield said
            self._weight += weight if meant else 0  # what is only raw is not kept in memory

    def _weigh(self, line: bytes) -> int:
        """Estimate what a line will take, or raise where that is too much."""
        self._written += len(line) + 1
        if self._written > TRIAL_CAP:  # over all turns, each of which is a process with caps
            raise TooLarge(f"all messages together are over {TRIAL_CAP // 2**20} MiB")
        weight = weight_of(line)
        if self._weight + weight > WEIGHT_CAP:
            raise TooLarge("its lines hold too many values")
        return weight

    def _whole(self, turn: Turn) -> Iterator[Said]:
        output = self._child.read_all(self._assignment.deadline)
        text = output.decode("utf-8", "backslashreplace").removesuffix("\n").removesuffix("\r")
        if text:
            yield turn.take(Message(text))

    def _answer_of(self, turn: Turn) -> str:
        """Give the answer of a turn that ended well, or raise what went wrong with it."""
        code, signal = self._child.peek_exit()
        details: dict[str, object] = {"exit_code": code, "signal": signal}
        details |= {"output": turn.stray} if turn.stray else {}
        if signal is not None or code:
            message = f"the agent {how_it_ended(self._child)}"
            raise self._fault("agent_exited_early", message, details)
        if turn.stray and not turn.understood:
            raise self._fault(
                "protocol_error",
                f"the agent wrote no line that is JSON, as the adapter {self._adapter.name} "
                f"expects; its output begins with: {turn.stray!r}",
                details,
            )
        answer = turn.answer()
        if answer is None:
            message = f"the agent {how_it_ended(self._child)} without an answer"
            raise self._fault("agent_exited_early", message, details)
        return answer

    def _fault(
        self, kind: str, message: str, details: dict[str, object] | None = None
    ) -> AgentError:
        return fault_of(self._child, kind, message, details)


def _is_word(id: str | None) -> bool:
    """Say whether an id can stand on a command line, and is no option there."""
    return id is not None and id.isprintable() and not id.startswith("-")
