"""One task in the hands of a process that speaks our JSONL protocol."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from ..errors import AgentError
from ..ledger.cut import beginning
from ..ledger.event import FinalOutput, ToolCall, ToolResult
from ..ledger.trajectory import Exit
from ..process.child import Child, DeadlinePassed
from ..process.deadline import Deadline
from ..process.fate import how_it_ended
from ..process.pipes import TooLarge
from ..wire import messages
from . import LAST_GRACE_S, Asked, Said, exit_of, fault_of

WEIGHT_CAP = 96 * 1024 * 1024


class JsonlSession:
    """Hear a process out, and answer it.

    With `keep` the process is handed over for the next task. A process that served before may have
    exited after its last answer: `replace` gives a new one if it ends before saying a word.
    """

    def __init__(self, child: Child, deadline: Deadline, grace_s: float) -> None:
        self.keep: Callable[[Child], None] | None = None
        self.replace: Callable[[], Child] | None = None
        self._child = child
        self._deadline = deadline
        self._grace_s = grace_s
        self._call_ids: set[str] = set()
        self._weight = 0
        self._answered = False
        self._kept = False
        self._timed_out = False
        self._exit: Exit | None = None

    def begin(self) -> Iterator[Said]:
        """Have nothing to prepare: the task was the first thing the process was told."""
        yield from ()

    def next(self) -> Asked | Said:
        """Wait for the next message; every tool call of this protocol asks for an answer."""
        try:
            self._child.drain(self._deadline)
            line = self._child.read_line(self._deadline)
        except DeadlinePassed:
            self._timed_out = True
            raise self._fault("timeout", "case timeout waiting for agent message") from None
        except TooLarge as error:
            raise self._fault("message_too_large", f"the agent wrote too much: {error}") from None
        if line is None and self.replace:
            self._child.end(0)
            self._child, self.replace = self.replace(), None
            return self.next()
        self.replace = None
        if line is None:
            raise self._exited_early()
        heard = self._understand(line)
        return Asked(heard) if isinstance(heard, ToolCall) else heard

    def answer(self, result: ToolResult) -> None:
        """Send the answer; it is written while we wait for the next message."""
        self._child.send(messages.tool_result(result))

    def leave(self) -> Iterator[Said]:
        """Give the agent its grace to exit, or keep it for the next task."""
        try:
            yield from map(self._late, self._last_lines())
        except TooLarge as error:
            raise self._fault("message_too_large", f"the agent wrote too much: {error}") from None

    def _last_lines(self) -> Iterator[bytes]:
        if self.keep is not None:
            while (line := self._child.line_at_hand()) is not None:
                yield line
            self._kept = not self._child.has_exited()
            return
        self._child.close_input()
        until = Deadline.after(self._grace_s)
        with contextlib.suppress(DeadlinePassed):
            while (line := self._child.read_line(until)) is not None:
                yield line
            self._child.wait_exit(until)

    def close(self) -> Exit:
        """End the process, unless it waits for the next task."""
        if self._exit is None:
            self._exit = self._keep_or_end()
        return self._exit

    def _keep_or_end(self) -> Exit:
        if self._kept and self.keep is not None:
            self._child.renew()
            self.keep(self._child)
            return Exit(stop_reason="end_turn")
        grace_s = LAST_GRACE_S if self._answered else self._grace_s
        reason = "end_turn" if self._answered else None
        return exit_of(self._child, grace_s, timed_out=self._timed_out, stop_reason=reason)

    def _understand(self, line: bytes) -> messages.Heard:
        self._weight += messages.weight_of(line)
        if self._weight > WEIGHT_CAP:
            raise self._fault("message_too_large", "the agent's messages hold too many values")
        try:
            heard = messages.parse(line)
        except AgentError as error:
            raise self._fault(error.kind, str(error), error.details) from error
        match heard:
            case ToolCall(call_id=call_id) if call_id in self._call_ids:
                raise self._fault(
                    "protocol_error", f"call_id {beginning(repr(call_id), 80)} was used before"
                )
            case ToolCall(call_id=call_id):
                self._call_ids.add(call_id)
            case FinalOutput():
                self._answered = True
        return heard

    def _late(self, line: bytes) -> Said:
        """Understand what comes after the final output, when only logs and usage may come."""
        heard = self._understand(line)
        if isinstance(heard, (ToolCall, FinalOutput)):
            raise self._fault("protocol_error", f"{heard.type} after the final output")
        return heard

    def _exited_early(self) -> AgentError:
        self._child.wait_exit(min(self._deadline, Deadline.after(self._grace_s)))
        code, signal = self._child.peek_exit()
        message = f"the agent {how_it_ended(self._child)} before its final output"
        return self._fault("agent_exited_early", message, {"exit_code": code, "signal": signal})

    def _fault(
        self, kind: str, message: str, details: dict[str, object] | None = None
    ) -> AgentError:
        return fault_of(self._child, kind, message, details)
