"""A program that answers tool calls: started at the first one, replaced after it was lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import AgentError, SpawnFailed
from ..ledger.cut import ending
from ..ledger.fingerprint import show_name
from ..ledger.value import Json
from ..process.child import Child, DeadlinePassed
from ..process.deadline import Deadline
from ..process.pipes import TooLarge
from ..process.supervisor import Launch, Supervisor
from ..wire.jsonrpc import Connection, NotSpoken, PeerGone, RpcError, Serve, serve_nothing

START_S = 60.0  # imports may be slow, and do not count as the time of a call
LEAVE_S = 1.0  # to exit by itself once nobody asks any more
GRACE_S = 0.5
STRAY_LINES = 100
WEIGHT_CAP = 96 * 1024 * 1024  # of all answers of a trial, in memory
STDERR_LINES = 10
STDERR_KEPT = 2000  # characters

Greet: TypeAlias = Callable[[Connection, Deadline], None]
"""Say the first words to a program; raise RpcError or ToolFailed if it cannot be used."""

Cancel: TypeAlias = Callable[[Connection, int], None]
"""Ask a program to give up the request of this id."""


class ToolFailed(Exception):
    """Say why a call has no result, in words for the agent."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where the programs of tools run; they are the user's own, and get the caller's variables."""

    supervisor: Supervisor
    directory: str
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Turn:
    """One call of a tool: how long it may take by itself, and when its trial ends."""

    tool: str
    timeout_s: float
    deadline: Deadline


class ToolProgram:
    """Keep one program for the calls of one trial.

    A call that takes too long is given up by `cancel`, for programs that listen while they work;
    without it, the program is ended.
    """

    def __init__(
        self,
        supervisor: Supervisor,
        launch: Launch,
        greet: Greet,
        *,
        serve: Serve = serve_nothing,
        cancel: Cancel | None = None,
    ) -> None:
        self._supervisor = supervisor
        self._launch = launch
        self._greet = greet
        self._serve = serve
        self._cancel = cancel
        self._connection: Connection | None = None
        self._weight = 0  # of what was heard from earlier programs

    def ask(self, method: str, params: Json, turn: Turn) -> Json:
        """Ask one thing; raise ToolFailed where no result comes, AgentError at the trial's end."""
        connection = self.start(turn)
        try:
            result = self._result(connection, method, params, turn)
        except RpcError as error:
            raise ToolFailed(str(error)) from None
        except DeadlinePassed:
            lost = "" if self._connection else f"; {_FORGOTTEN}"
            raise self._late(turn, f"timed out after {turn.timeout_s:g} s{lost}") from None
        except (TooLarge, NotSpoken, PeerGone) as loss:
            raise self._lost(connection, loss) from None
        if self._weight + connection.weight > WEIGHT_CAP:
            raise AgentError("message_too_large", "the answers of the tools hold too many values")
        return result

    def start(self, turn: Turn) -> Connection:
        """Give the program that runs, or start one and greet it."""
        if self._connection is not None:
            return self._connection
        connection = self._connection = Connection(self._spawn(), stray_lines=STRAY_LINES)
        try:
            self._greet(connection, min(turn.deadline, Deadline.after(START_S)))
        except (RpcError, ToolFailed) as refusal:
            self._end(GRACE_S)
            raise ToolFailed(str(refusal)) from None
        except DeadlinePassed:
            self._end(0)
            raise self._late(turn, f"did not start within {START_S:g} s") from None
        except (TooLarge, NotSpoken, PeerGone) as loss:
            raise self._lost(connection, loss) from None
        return connection

    def close(self) -> None:
        """Let the program go, and make sure that it went."""
        self._end(GRACE_S, LEAVE_S)

    def _spawn(self) -> Child:
        try:
            return self._supervisor.start(self._launch)
        except SpawnFailed as error:
            raise AgentError("spawn_failed", str(error), error.details) from error

    def _result(self, connection: Connection, method: str, params: Json, turn: Turn) -> Json:
        connection.child.renew()  # caps, and what is told of its end, are about one call
        limit = min(turn.deadline, Deadline.after(turn.timeout_s))
        id = connection.ask(method, params)
        try:
            return connection.result_of(id, limit, self._serve)
        except DeadlinePassed:
            if self._cancel is None:
                self._end(0)
            else:
                self._cancel(connection, id)
            raise

    def _late(self, turn: Turn, told: str) -> Exception:
        """Tell whose time is up: the trial's, which ends everything, or only the call's."""
        if not turn.deadline.passed():
            return ToolFailed(told)
        self._end(0)
        return AgentError("timeout", f"case timeout while the tool {show_name(turn.tool)} ran")

    def _lost(self, connection: Connection, loss: Exception) -> ToolFailed:
        """End what is left of a program, and say what happened to it."""
        child = connection.child
        told = _fate(child) if isinstance(loss, PeerGone) else f"its process was ended: {loss}"
        self._end(0)
        stray = f"it also wrote: {connection.stray}" if connection.stray else ""
        printed = ending("\n".join(child.stderr.splitlines()[-STDERR_LINES:]), STDERR_KEPT)
        last = f"its standard error ends with:\n{printed}" if printed.strip() else ""
        return ToolFailed(
            "\n".join(part for part in (f"{told}; {_FORGOTTEN}", stray, last) if part)
        )

    def _end(self, grace_s: float, patience_s: float = 0.0) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._weight += connection.weight
            connection.child.end(grace_s, patience_s)


_FORGOTTEN = "what it kept in memory is gone"


def _fate(child: Child) -> str:
    child.wait_exit(Deadline.after(GRACE_S))
    code, signal = child.peek_exit()
    if signal is not None:
        return f"its process was ended by {signal}"
    return f"its process exited with status {code}" if code is not None else "it stopped answering"
