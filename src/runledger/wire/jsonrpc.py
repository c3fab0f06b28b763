"""JSON-RPC 2.0 with a program: requests, answers and notifications both ways, one a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ..ledger.cut import beginning
from ..ledger.event import Direction
from ..ledger.fingerprint import preview
from ..ledger.strict_json import NotJson, dump_line, loads
from ..ledger.value import Json
from ..process.child import Child
from ..process.deadline import Deadline
from .messages import weight_of

METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
SNIPPET = 200


@dataclass(frozen=True, slots=True)
class Request:
    """Something that the other side wants an answer to."""

    id: Json
    method: str
    params: Json = None


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that the other side only tells us."""

    method: str
    params: Json = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a request of ours: a result, or the error in its place."""

    id: Json
    result: Json = None
    error: RpcError | None = None


Heard: TypeAlias = Request | Notification | Answer


class RpcError(Exception):
    """Tell, on either side, why a request has no result."""

    def __init__(self, code: int, message: str, data: Json = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        super().__init__(message)


class NotSpoken(Exception):
    """Tell that a program writes what is not JSON-RPC."""


class PeerGone(Exception):
    """Tell that a program ended, or closed its output, before it answered."""


Serve: TypeAlias = Callable[[Request], Json]
"""Answer a request of the other side, or raise RpcError."""

Tap: TypeAlias = Callable[[Direction, Json], None]
"""Overhear a message, either way; a line that is not JSON is a text."""


def tap_nothing(direction: Direction, message: Json) -> None:
    """Let every message pass unheard."""


def serve_nothing(request: Request) -> Json:
    """Refuse every request, as one who has no methods."""
    raise RpcError(METHOD_NOT_FOUND, f"method not found: {beginning(request.method, SNIPPET)}")


class Connection:
    """Our end of the talk with one program.

    Deadlines and caps are the child's: DeadlinePassed and TooLarge come through as they are.
    """

    def __init__(self, child: Child, *, stray_lines: int = 0, tap: Tap = tap_nothing) -> None:
        self.child = child
        self.weight = 0  # memory that all messages heard so far may take
        self.last_weight = 0  # and the last one
        self.stray = ""  # the first line that was no message
        self._stray_left = stray_lines
        self._tap = tap
        self._last_id = 0

    def ask(self, method: str, params: Json = None) -> int:
        """Send a request and give the id under which its answer will come."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, **_given(params)})
        return self._last_id

    def tell(self, method: str, params: Json = None) -> None:
        """Send a notification, which nobody answers."""
        self._send({"method": method, **_given(params)})

    def answer(self, request: Request, serve: Serve) -> None:
        """Answer a request of the other side, with what serves it or with why nothing does."""
        try:
            result = serve(request)
        except RpcError as error:
            self.refuse(request, error)
        else:
            self.give(request, result)

    def give(self, request: Request, result: Json) -> None:
        """Send the result of a request of the other side."""
        self._reply({"id": request.id, "result": result})

    def refuse(self, request: Request, error: RpcError) -> None:
        """Say why a request of the other side has no result."""
        fields: dict[str, Json] = {"code": error.code, "message": error.message}
        fields |= {} if error.data is None else {"data": error.data}
        self._reply({"id": request.id, "error": fields})

    def hear(self, deadline: Deadline) -> Heard:
        """Wait for the next message; lines that are none are passed over while we bear them."""
        self.child.drain(deadline)
        while (line := self.child.read_line(deadline)) is not None:
            if not line.strip():
                continue
            self.last_weight = weight_of(line)
            self.weight += self.last_weight
            try:
                return parse(line, self._tap)
            except NotSpoken as reason:
                self._pass_over(line, reason)
        raise PeerGone

    def result_of(self, id: int, deadline: Deadline, serve: Serve = serve_nothing) -> Json:
        """Wait for one answer, serving requests meanwhile; raise RpcError where it is an error."""
        while True:
            match self.hear(deadline):
                case Request() as request:
                    self.answer(request, serve)
                case Answer(id=found, error=RpcError() as error) if found in (id, None):
                    raise error  # without an id where it could not even be read
                case Answer(id=found, result=result) if found == id:
                    return result

    def call(
        self, method: str, params: Json, deadline: Deadline, serve: Serve = serve_nothing
    ) -> Json:
        """Send a request and wait for its result."""
        return self.result_of(self.ask(method, params), deadline, serve)

    def _reply(self, message: dict[str, Json]) -> None:
        """Send what the other side asked for, at the cost of what it may still say."""
        self.child.lines.charge(self._send(message))

    def _send(self, message: dict[str, Json]) -> int:
        whole: Json = {"jsonrpc": "2.0", **message}
        self._tap("to_agent", whole)
        line = dump_line(whole)
        self.child.send(line)
        return len(line)

    def _pass_over(self, line: bytes, reason: NotSpoken) -> None:
        """Let a line be that is no message; one that was to be a message is a broken promise."""
        self.stray = self.stray or preview(line[: 5 * SNIPPET].decode("utf-8", "replace"), SNIPPET)
        self._stray_left -= 1
        if self._stray_left < 0 or b'"jsonrpc"' in line:
            raise NotSpoken(
                f"it writes lines that are not JSON-RPC ({reason}), the first: {self.stray}; "
                "print logs to stderr, not stdout"
            )


def parse(line: bytes, tap: Tap = tap_nothing) -> Heard:
    """Read one message, or raise NotSpoken with what is wrong with it."""
    try:
        message = loads(line)
    except NotJson as reason:
        tap("from_agent", line.decode("utf-8", "backslashreplace"))
        raise NotSpoken(str(reason)) from None
    tap("from_agent", message)
    if not isinstance(message, Mapping) or message.get("jsonrpc") != "2.0":
        raise NotSpoken('not an object with "jsonrpc": "2.0"')
    method = message.get("method")
    if isinstance(method, str):
        return _asked(method, message)
    if "id" not in message or not ("result" in message or "error" in message):
        raise NotSpoken("neither a request nor an answer")
    error = _error(message["error"]) if "error" in message else None
    return Answer(message["id"], message.get("result"), error)


def _asked(method: str, message: Mapping[str, Json]) -> Heard:
    if "id" in message:
        return Request(message["id"], method, message.get("params"))
    return Notification(method, message.get("params"))


def _error(found: Json) -> RpcError:
    """Read an error; one of the wrong shape is an error all the same."""
    if not isinstance(found, Mapping):
        return RpcError(INTERNAL_ERROR, preview(found, SNIPPET))
    code, message = found.get("code"), found.get("message")
    told = message if isinstance(message, str) else preview(found, SNIPPET)
    return RpcError(code if isinstance(code, int) else INTERNAL_ERROR, told, found.get("data"))


def _given(params: Json) -> dict[str, Json]:
    return {} if params is None else {"params": params}
