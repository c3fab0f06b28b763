"""The talk with an ACP agent: heard until its time is up, and a little longer."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

from ...errors import AgentError
from ...ledger.cut import beginning
from ...ledger.event import Direction, Raw
from ...ledger.value import Json
from ...process.child import Child, DeadlinePassed
from ...process.deadline import Deadline
from ...process.pipes import TooLarge
from ...wire.jsonrpc import Answer, Connection, Heard, NotSpoken, PeerGone
from .. import Said
from .faults import late, lost
from .shapes import as_object

STRAY_LINES = 100  # some agents greet the world before they speak the protocol
LOSSES = (TooLarge, NotSpoken, PeerGone)
CHUNKS = ("agent_message_chunk", "agent_thought_chunk", "user_message_chunk")
KEPT_OF_OURS = 16 * 1024  # characters of a text that we gave the agent


class Talk:
    """Keep what is said in order: a message as it came, then what it means.

    When the time is up, the agent is asked to cancel its turn and heard for its grace.
    """

    def __init__(self, child: Child, deadline: Deadline, grace_s: float) -> None:
        self.told: deque[Said] = deque()
        self.timed_out = False
        self.session_id = ""
        self.waits_for: tuple[str, int] = ("", 0)  # our last request: its method and its id
        self.connection = Connection(child, stray_lines=STRAY_LINES, tap=self._overhear)
        self._child = child
        self._deadline = deadline
        self._grace_s = grace_s

    def ask(self, method: str, params: Json) -> None:
        """Send a request; there is never more than one of ours under way."""
        self.waits_for = (method, self.connection.ask(method, params))

    def waited_for(self, answer: Answer) -> bool:
        """Say whether an answer is the one we wait for; an error may not know its question."""
        return answer.id == self.waits_for[1] or (answer.id is None and answer.error is not None)

    def hear(self) -> Heard:
        """Wait for the next message; raise AgentError when nothing more is to be heard."""
        while True:
            try:
                return self.connection.hear(self._deadline)
            except DeadlinePassed:
                self._run_out()
            except LOSSES as loss:
                raise self.late() if self.timed_out else lost(loss, self.connection) from None

    def late(self) -> AgentError:
        """Make the error that tells that the time was up."""
        return late(self.waits_for[0], self.connection)

    def last_words(self) -> Iterator[Heard]:
        """Close the agent's input, and yield what it says until it exits or its grace is over."""
        self._child.close_input()
        until = Deadline.after(self._grace_s)
        try:
            while True:
                yield self.connection.hear(until)
        except (DeadlinePassed, *LOSSES):  # it has answered: it may leave as it likes
            self._child.wait_exit(until)

    def at_hand(self) -> Iterator[Said]:
        """Yield what was told already."""
        while self.told:
            yield self.told.popleft()

    def _overhear(self, direction: Direction, message: Json) -> None:
        if direction == "to_agent":
            self.told.append(Raw(direction, _shorter(message)))
        else:
            self.told.append(Raw(direction, message, _piece_in(message)))

    def _run_out(self) -> None:
        if self.timed_out or not self.session_id:
            self.timed_out = True
            raise self.late()
        self.timed_out = True
        self._deadline = Deadline.after(self._grace_s)
        self.connection.tell("session/cancel", {"sessionId": self.session_id})


def _piece_in(message: Json) -> str | None:
    """Give the text of a message that is only a part of what is being said."""
    update = as_object(as_object(as_object(message).get("params")).get("update"))
    if update.get("sessionUpdate") not in CHUNKS:
        return None
    text = as_object(update.get("content")).get("text")
    return text if isinstance(text, str) else None


def _shorter(message: Json) -> Json:
    """Cut what an answer of ours quotes of files and commands: an agent may ask for it for ever."""
    told = as_object(message)
    answers = {key: told[key] for key in ("result", "error") if key in told}
    return {**told, **{key: _cut_texts(value) for key, value in answers.items()}}


def _cut_texts(answer: Json) -> Json:
    if not isinstance(answer, Mapping):
        return answer
    return {key: _cut(text) if isinstance(text, str) else text for key, text in answer.items()}


def _cut(text: str) -> str:
    if len(text) <= KEPT_OF_OURS:
        return text
    kept = beginning(text, KEPT_OF_OURS)
    return f"{kept} {len(text) - len(kept) + 1} characters left out"
