"""A program that answers requests: started at the first one, replaced after it was lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import AgentError, SpawnFailed
from ..ledger.cut import ending
from ..ledger.fingerprint import show_name
from ..ledger.value import Json
from ..process.child import Child, DeadlinePassed
from ..process.deadline import Deadline
from ..process.fate import how_it_ended, last_lines
from ..process.pipes import TooLarge
from ..process.supervisor import Launch, Supervisor
from .jsonrpc import Connection, NotSpoken, PeerGone, RpcError, Serve, serve_nothing

START_S = 60.0  # imports may be slow, and do not count as the time of a call
LEAVE_S = 1.0  # to exit by itself once nobody asks any more
GRACE_S = 0.5
STRAY_LINES = 100
WEIGHT_CAP = 96 * 1024 * 1024  # of all answers of a trial, in memory
STDERR_LINES = 10
STDERR_KEPT = 2000  # characters

Greet: TypeAlias = Callable[[Connection, Deadline], None]
"""Say the first words to a program; raise RpcError or NoAnswer if it cannot be used."""

Cancel: TypeAlias = Callable[[Connection, int], None]
"""Ask a program to give up the request of this id."""


class NoAnswer(Exception):
    """Say why a request has no result, in words for who asked; `data` is what else was told."""

    def __init__(self, message: str, data: Json = None) -> None:
        self.data = data
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request: whose work it is, how long it may take by itself, when its trial ends."""

    name: str
    timeout_s: float
    deadline: Deadline


class Servant:
    """Keep one program for many requests.

    A request that takes too long is given up by `cancel`, for programs that listen while they work;
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
        weight_cap: float | None = None,
    ) -> None:
        self._supervisor = supervisor
        self._launch = launch
        self._greet = greet
        self._serve = serve
        self._cancel = cancel
        self._weight_cap = WEIGHT_CAP if weight_cap is None else weight_cap
        self._connection: Connection | None = None
        self._weight = 0  # of what was heard from earlier programs

    def ask(self, method: str, params: Json, turn: Turn) -> Json:
        """Ask one thing; raise NoAnswer where no result comes, AgentError at the trial's end."""
        connection = self.start(turn)
        try:
            result = self._result(connection, method, params, turn)
        except RpcError as error:
            raise NoAnswer(str(error), error.data) from None
        except DeadlinePassed:
            lost = "" if self._connection else f"; {_FORGOTTEN}"
            raise self._late(turn, f"timed out after {turn.timeout_s:g} s{lost}") from None
        except (TooLarge, NotSpoken, PeerGone) as loss:
            raise self._lost(connection, loss) from None
        if self._weight + connection.weight > self._weight_cap:
            raise AgentError("message_too_large", "the answers of the tools hold too many values")
        return result

    def start(self, turn: Turn) -> Connection:
        """Give the program that runs, or start one and greet it."""
        if self._connection is not None:
            return self._connection
        connection = self._connection = Connection(self._spawn(), stray_lines=STRAY_LINES)
        try:
            self._greet(connection, min(turn.deadline, Deadline.after(START_S)))
        except (RpcError, NoAnswer) as refusal:
            self._end(GRACE_S)
            raise NoAnswer(str(refusal), refusal.data) from None
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
            return NoAnswer(told)
        self._end(0)
        return AgentError("timeout", f"case timeout while the tool {show_name(turn.name)} ran")

    def _lost(self, connection: Connection, loss: Exception) -> NoAnswer:
        """End what is left of a program, and say what happened to it."""
        child = connection.child
        told = _fate(child) if isinstance(loss, PeerGone) else f"its process was ended: {loss}"
        self._end(0)
        stray = f"it also wrote: {connection.stray}" if connection.stray else ""
        printed = ending(last_lines(child, STDERR_LINES), STDERR_KEPT)
        last = f"its standard error ends with:\n{printed}" if printed.strip() else ""
        return NoAnswer("\n".join(part for part in (f"{told}; {_FORGOTTEN}", stray, last) if part))

    def _end(self, grace_s: float, patience_s: float = 0.0) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._weight += connection.weight
            connection.child.end(grace_s, patience_s)


_FORGOTTEN = "what it kept in memory is gone"


def _fate(child: Child) -> str:
    child.wait_exit(Deadline.after(GRACE_S))
    return f"its process {how_it_ended(child)}"
