"""The agent protocol on standard input and output: one JSON object a line, both ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from ..errors import AgentError
from ..ledger.cut import beginning
from ..ledger.event import FinalOutput, Log, TaskError, ToolCall, ToolResult, UsageReport
from ..ledger.figure import LARGEST
from ..ledger.strict_json import NotJson, dump_line, loads
from ..ledger.usage import Usage
from ..ledger.value import Json

Heard: TypeAlias = ToolCall | FinalOutput | Log | TaskError | UsageReport
Fields: TypeAlias = dict[str, Json]

SNIPPET = 200


def task_start(task_id: str, task_input: Json) -> bytes:
    """Write the message that gives an agent its task."""
    return dump_line({"type": "task_start", "task_id": task_id, "input": task_input})


def tool_result(result: ToolResult) -> bytes:
    """Write the message that answers a tool call."""
    message: Fields = {"type": "tool_result", "call_id": result.call_id, "ok": result.ok}
    message["result"] = result.result
    if result.error is not None:
        message["error"] = result.error
    return dump_line(message)


def weight_of(line: bytes) -> int:
    """Estimate the memory that a line will take once read: a value costs more than its bytes."""
    containers = line.count(b"[") + line.count(b"{")
    return len(line) + 150 * containers + 40 * line.count(b",")


def parse(line: bytes) -> Heard:
    """Read one line of an agent, or raise the protocol error that says what is wrong with it."""
    try:
        message = loads(line)
    except NotJson as error:
        raise _broken(
            f"the agent wrote a line that is not JSON ({error}); print logs to stderr, not stdout",
            line,
        ) from error
    if not isinstance(message, dict):
        raise _broken("the agent wrote a line that is not a JSON object", line)
    kind = message.pop("type", None)
    read = READERS.get(kind) if isinstance(kind, str) else None
    if read is None:
        known = ", ".join(READERS)
        raise _broken(f"unknown message type {beginning(repr(kind), 60)} (known: {known})", line)
    try:
        return read(message)
    except _Wrong as error:
        raise _broken(f"{kind}: {error}", line) from None


class _Wrong(Exception):
    """Say which field of a message is missing or of the wrong type."""


def _tool_call(message: Fields) -> ToolCall:
    return ToolCall(
        name=_text(message, "name"),
        call_id=_text(message, "call_id"),
        args=_object(message, "args"),
        extra=message,
    )


def _final_output(message: Fields) -> FinalOutput:
    return FinalOutput(output=_object(message, "output"), extra=message)


def _log(message: Fields) -> Log:
    level = message.pop("level", "info")
    return Log(
        level=level if isinstance(level, str) else str(level),
        message=_text(message, "message"),
        data=message.pop("data", None),
        extra=message,
    )


def _task_error(message: Fields) -> TaskError:
    return TaskError(
        message=_text(message, "message"), data=message.pop("data", None), extra=message
    )


def _usage(message: Fields) -> UsageReport:
    usage = Usage(
        tokens_in=_count(message, "tokens_in"),
        tokens_out=_count(message, "tokens_out"),
        cost_usd=_amount(message, "cost_usd"),
        model=_optional_text(message, "model"),
    )
    message.pop("source", None)  # only a proxy can say that it saw what was used
    return UsageReport(usage, extra=message)


READERS: Mapping[str, Callable[[Fields], Heard]] = {
    "tool_call": _tool_call,
    "final_output": _final_output,
    "log": _log,
    "task_error": _task_error,
    "usage": _usage,
}


def _text(message: Fields, key: str) -> str:
    value = message.pop(key, None)
    if not isinstance(value, str):
        raise _Wrong(f"{key!r} must be a text, found {_shown(value)}")
    return value


def _optional_text(message: Fields, key: str) -> str | None:
    return None if message.get(key) is None else _text(message, key)


def _object(message: Fields, key: str) -> Json:
    value = message.pop(key, None)
    if not isinstance(value, dict):
        raise _Wrong(f"{key!r} must be an object, found {_shown(value)}")
    return value


def _amount(message: Fields, key: str) -> float | None:
    value = message.pop(key, None)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= LARGEST:
        raise _Wrong(f"{key!r} must be a number from 0 to {LARGEST}, found {_shown(value)}")
    return value


def _count(message: Fields, key: str) -> int | None:
    value = _amount(message, key)
    if isinstance(value, float) and not value.is_integer():
        raise _Wrong(f"{key!r} must be a whole number, found {_shown(value)}")
    return None if value is None else int(value)


def _shown(value: Json) -> str:
    return "nothing" if value is None else beginning(json.dumps(value), 80)


def _broken(message: str, line: bytes) -> AgentError:
    start = line[: 5 * SNIPPET].decode("utf-8", "backslashreplace")  # a character has 4 bytes
    snippet = beginning(start, SNIPPET)
    return AgentError("protocol_error", f"{message}: {snippet!r}", {"line": snippet})
