"""One task in the hands of an agent that speaks ACP."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

from ...errors import AgentError
from ...ledger.cut import beginning
from ...ledger.event import FinalOutput, Log, TaskError, ToolResult, UsageReport
from ...ledger.permission import decide
from ...ledger.prompts import prompts_of
from ...ledger.session import SESSION
from ...ledger.trajectory import Exit
from ...ledger.usage import Usage
from ...ledger.value import Json
from ...process.child import Child
from ...process.pipes import TooLarge
from ...wire.jsonrpc import Answer, Heard, Notification, Request
from .. import LAST_GRACE_S, Assignment, Post, Said, exit_of, fault_of
from .calls import Calls
from .consent import CANCELLED, consent
from .faults import lost
from .greeting import initialize, new_session, session_facts, version_problem
from .hands import Hands
from .scales import Scales, size_of
from .shapes import as_object, text_at
from .talk import Talk
from .turn import Turn
from .usage import Meter, model_in
from .words import SHOWN, error_words


class AcpSession:
    """Lead an agent through as many turns as the task has prompts."""

    def __init__(self, child: Child, post: Post, assignment: Assignment) -> None:
        self.met: Json = None  # what the agent said about itself
        self._post = post
        self._directory = str(Path(assignment.directory).absolute())
        self._servers = (*post.agent.servers, *assignment.servers)
        self._prompts = deque(prompts_of(assignment.task.input))
        self._child = child
        self._talk = Talk(child, assignment.deadline, post.grace_s)
        self._hands = Hands(post, self._directory, self._talk.connection)
        self._calls = Calls()
        self._turn = Turn(self._calls)
        self._meter = Meter()
        self._scales = Scales()
        self._prompted = self._answered = False
        self._replies: list[Answer] = []  # to what was asked before the task
        self._fault: AgentError | None = None
        self._stop_reason: str | None = None
        self._exit: Exit | None = None

    def greet(self) -> Iterator[Said]:
        """Agree on the protocol and open a session, without giving the task yet."""
        self.met = yield from self._result("initialize", initialize(self._post.agent))
        if problem := version_problem(self.met):
            raise self._broken(problem)
        wanted = new_session(self._directory, self._servers)
        opened = yield from self._result("session/new", wanted)
        self._talk.session_id = text_at(opened, "sessionId")
        if not self._talk.session_id:
            raise self._broken("the agent opened a session without a sessionId")
        self._meter.model = model_in(opened)
        if facts := session_facts(self.met, self._talk.session_id, self._meter.model):
            yield Log("info", SESSION, facts)

    def begin(self) -> Iterator[Said]:
        """Greet the agent and give it the first prompt."""
        if not self._prompts:
            told = "the task's input holds no prompt: give a text, a list of texts or {prompt: …}"
            raise self._broken(told)
        yield from self.greet()
        self._prompt()
        yield from self._talk.at_hand()

    def next(self) -> Said:
        """Wait for the next thing that the agent says or does."""
        while not self._talk.told:
            if self._fault:
                raise self._fault
            try:
                self._react(self._talk.hear())
            except AgentError as error:  # is raised when all that was said before it is told
                self._talk.told.extend(self._turn.end())
                self._fault = error
        return self._talk.told.popleft()

    def answer(self, result: ToolResult) -> None:
        """Have nothing to answer: an agent of this kind calls its own tools."""

    def leave(self) -> Iterator[Said]:
        """Give the agent its grace to exit, and yield what it still says."""
        self._hands.close()  # nothing can be given to it any more
        for heard in self._talk.last_words():
            if isinstance(heard, Notification):
                self._react(heard)
            yield from self._talk.at_hand()
        self._talk.told.extend(self._turn.end())
        self._report(self._meter.late())
        yield from self._talk.at_hand()

    def close(self) -> Exit:
        """End the agent, and the commands that it had us start."""
        if self._exit is None:
            try:
                self._hands.close()
            finally:
                self._exit = self._end()
        return self._exit

    def _end(self) -> Exit:
        timed_out = self._talk.timed_out
        grace_s = LAST_GRACE_S if self._answered or timed_out else self._post.grace_s
        return exit_of(self._child, grace_s, timed_out=timed_out, stop_reason=self._stop_reason)

    # ---------------------------------------------------------------- what is heard

    def _result(self, method: str, params: Json) -> Generator[Said, None, Json]:
        """Ask before the task is given; yield what is said until the answer, and give it back."""
        self._talk.ask(method, params)
        while not self._replies:
            yield self.next()
        reply = self._replies.pop()
        yield from self._talk.at_hand()
        if reply.error:
            words = error_words(reply.error, self.met)
            raise fault_of(self._child, "task_error", f"{method} failed: {words}")
        return reply.result

    def _react(self, heard: Heard) -> None:
        match heard:
            case Request(method="session/request_permission", params=Mapping() as params):
                self._talk.connection.give(heard, self._consent(params))
            case Request():
                self._hands.serve(heard)
            case Notification(method="session/update", params=Mapping() as params):
                self._hear_of(params)
            case Answer() if self._talk.waited_for(heard):
                self._settle(heard)

    def _hear_of(self, params: Mapping[str, Json]) -> None:
        """Take an update of our session; of another one we know nothing."""
        update = params.get("update")
        if isinstance(update, Mapping) and params.get("sessionId") in (
            None,
            self._talk.session_id,
        ):
            self._update(update)

    def _update(self, update: Mapping[str, Json]) -> None:
        self._meter.take(update)
        self._look_at_model(update)
        if self._prompted:  # what is said before the task is not about it
            self._tell(update, self._turn.take(update))

    def _look_at_model(self, update: Mapping[str, Json]) -> None:
        """Tell of another model, where an update of the session's options names one."""
        model = model_in(update)
        if model and model != self._meter.model:
            self._meter.model = model
            self._tell(update, iter((Log("info", SESSION, {"model": model}),)))

    def _consent(self, params: Mapping[str, Json]) -> Json:
        """Decide about a tool call, of which nothing else may ever be heard."""
        about = as_object(params.get("toolCall"))
        self._tell(about, self._turn.take_request(about))
        decision = decide(self._post.agent.permissions, *self._calls.look_up(about))
        given = CANCELLED if self._talk.timed_out else consent(decision, params.get("options"))
        if decision == "reject" or given == CANCELLED:
            self._calls.refuse(about)
        return given

    def _settle(self, answer: Answer) -> None:
        """Take the answer to our last request."""
        if self._prompted:
            self._end_turn(answer)
        else:
            self._replies.append(answer)

    # ---------------------------------------------------------------- turns

    def _prompt(self) -> None:
        """Give the agent the next prompt."""
        self._turn = Turn(self._calls)
        self._prompted = True
        block = {"type": "text", "text": self._prompts.popleft()}
        self._talk.ask("session/prompt", {"sessionId": self._talk.session_id, "prompt": [block]})

    def _end_turn(self, answer: Answer) -> None:
        """Tell what the turn came to, and go on with the next one if there is one."""
        self._talk.told.extend(self._turn.end())
        self._report(self._meter.turn(answer.result))
        self._stop_reason = text_at(answer.result, "stopReason") or None
        if not self._stop_reason and as_object(answer.result).get("stopReason"):
            raise self._broken("the agent ended its turn with a stopReason that is no text")
        if self._talk.timed_out:
            raise self._talk.late()
        if error := self._failure(answer):
            self._talk.told.append(error)
        elif self._prompts:
            self._prompt()
        else:
            self._answered = True
            self._talk.told.append(FinalOutput(self._turn.output()))

    def _failure(self, answer: Answer) -> TaskError | None:
        """Say why a turn counts for nothing: by the agent's words, or by what they hide."""
        if error := answer.error:
            data: Json = {"code": error.code, "data": error.data}
            return TaskError(error_words(error, self.met), data)
        if self._stop_reason == "cancelled":
            return TaskError("the turn was cancelled, though nobody asked for it")
        if words := self._turn.model_error():
            return TaskError(f"its answer is an error of its model: {beginning(words, SHOWN)}")
        return None

    # ---------------------------------------------------------------- what is told

    def _tell(self, update: Mapping[str, Json], said: Iterator[Said]) -> None:
        """Tell what an update means, as long as there is room for it."""
        news = list(said)
        self._talk.told.extend(news)
        self._child.lines.charge(size_of(news))
        try:
            self._scales.add(update, self._talk.connection.last_weight, news)
        except TooLarge as error:
            raise lost(error, self._talk.connection) from None

    def _report(self, usage: Usage | None) -> None:
        if usage:
            self._talk.told.append(UsageReport(usage))

    def _broken(self, problem: str) -> AgentError:
        return fault_of(self._child, "protocol_error", problem)
