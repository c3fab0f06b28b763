"""What an ACP agent does in its turns: updates come in, and what they mean goes out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import TypeAlias

from ...ledger.event import Message, Plan, Thought
from ...ledger.value import Json
from .. import Said
from .calls import Calls
from .shapes import as_object, text_at
from .words import says_model_error, text_of

Update: TypeAlias = Mapping[str, Json]
Spoken: TypeAlias = type[Message | Thought]

SPOKEN: Mapping[str, Spoken] = {
    "agent_message_chunk": Message,
    "agent_thought_chunk": Thought,
}


class Turn:
    """From a prompt to its answer; the pieces of one message are joined, once."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._acted = False
        self._model_failed = False
        self._kind: Spoken = Message
        self._message_id: Json = None
        self._pieces: list[str] = []
        self._began = 0.0
        self._messages: list[str] = []

    def take(self, update: Update) -> Iterator[Said]:
        """Yield what an update tells; one of a kind that we do not know tells nothing."""
        kind = text_at(update, "sessionUpdate")
        if kind in SPOKEN:
            yield from self._hear(SPOKEN[kind], update)
        elif kind in ("tool_call", "tool_call_update"):
            yield from self._act(self._calls.take(update))
        elif kind == "plan":
            yield from self._plan(update.get("entries"))
        elif kind == "session_info_update":
            self._look_at_model(update)

    def take_request(self, update: Update) -> Iterator[Said]:
        """Yield what a request for permission tells about a tool call."""
        yield from self._act(self._calls.take_request(update))

    def end(self) -> Iterator[Said]:
        """Yield what is still due when the turn is over."""
        yield from self._finish()
        yield from self._calls.settle()

    def output(self) -> str:
        """Join all messages; a single one is not copied."""
        return "".join(self._messages)

    def model_error(self) -> str | None:
        """Give the answer when it is nothing but the words of a model that failed."""
        if self._model_failed:
            return self._messages[-1] if self._messages else "it did not say why"
        if self._acted or len(self._messages) != 1:
            return None
        text = self._messages[0]
        return text if says_model_error(text) else None

    def _hear(self, kind: Spoken, update: Update) -> Iterator[Said]:
        message_id = update.get("messageId") or self._message_id
        if kind is not self._kind or message_id != self._message_id:
            yield from self._finish()
        self._kind, self._message_id = kind, message_id
        if text := text_of(update.get("content")):
            self._began = self._began if self._pieces else monotonic()
            self._pieces.append(text)

    def _act(self, news: Iterator[Said]) -> Iterator[Said]:
        """Yield what is new about a tool call, after what was said before it."""
        self._acted = True
        for told in news:
            yield from self._finish()
            yield told

    def _look_at_model(self, update: Update) -> None:
        """Take note where codex-acp tells what became of its model."""
        codex = as_object(as_object(update.get("_meta")).get("codex"))
        if status := text_at(codex.get("threadStatus"), "type"):
            self._model_failed = status == "systemError"

    def _plan(self, entries: Json) -> Iterator[Said]:
        if isinstance(entries, list):
            yield from self._finish()
            yield Plan(entries)

    def _finish(self) -> Iterator[Said]:
        """Tell of the message or the thought whose pieces came in so far."""
        if not self._pieces:
            return
        text = "".join(self._pieces)
        self._pieces = []
        self._message_id = None
        if self._kind is Message:
            self._messages.append(text)
        yield self._kind(text, int((monotonic() - self._began) * 1000))
