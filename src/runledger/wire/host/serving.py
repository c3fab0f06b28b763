"""Serve requests on streams that the user's code cannot reach."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from .inspection import MOST_BYTES
from .telling import Failed, told, trace

if TYPE_CHECKING:
    from asyncio import Runner

FAILED = -32000


class Loop:
    """Wait for what is awaitable; all share one loop, since clients and locks belong to theirs."""

    def __init__(self) -> None:
        self._runner: Runner | None = None

    def waited(self, result: Any) -> Any:
        """Give a result, or what comes of waiting for it."""
        if not isinstance(result, Awaitable):
            return result
        if self._runner is None:
            from asyncio import Runner

            self._runner = Runner()
        return self._runner.run(_outcome(result))


async def _outcome(result: Awaitable[Any]) -> Any:
    return await result


def private_streams(home: str | None = None) -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output to ourselves: the user's code prints to standard error.

    Its modules are looked for at home first, or else where we are.
    """
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    sys.path.insert(0, home or os.getcwd())  # noqa: PTH109
    return questions, answers


def serve(methods: Mapping[str, Callable[..., Any]], what: str) -> None:
    """Answer JSON-RPC requests until there are none."""
    questions, answers = private_streams()
    ours = os.getpid()
    for line in questions:
        answer = _answer(methods, json.loads(line), what)
        if os.getpid() != ours:  # the user's code forked, and its copy returned too
            os._exit(0)
        flush_prints()
        answers.write(answer)
        answers.flush()


def flush_prints() -> None:
    """Let go of what the user's code printed."""
    with suppress(Exception):  # it may have closed it
        sys.stdout.flush()


def _answer(
    methods: Mapping[str, Callable[..., Any]], question: dict[str, Any], what: str
) -> bytes:
    try:
        result = methods[question["method"]](**question.get("params", {}))
        return line_of({"jsonrpc": "2.0", "id": question["id"], "result": result}, what)
    except BaseException as fault:  # sys.exit and Ctrl-C too: nothing it does ends its trial
        error = {"code": FAILED, "message": told(fault), "data": trace(fault)}
        return line_of({"jsonrpc": "2.0", "id": question["id"], "error": error}, what)


def line_of(message: dict[str, Any], what: str) -> bytes:
    """Write a message as one line."""
    try:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        line = json.dumps(message, separators=(",", ":")).encode()
    if len(line) > MOST_BYTES:
        raise Failed(f"{what} is too large: over {MOST_BYTES // 2**20 + 1} MiB")
    return line + b"\n"
