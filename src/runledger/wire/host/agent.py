"""Be the agent that a user's function is: f(input, tools) -> output."""

from __future__ import annotations

import itertools
import json
from typing import Any, BinaryIO

from .inspection import Inspection
from .loading import function_at
from .serving import Loop, flush_prints, line_of, private_streams
from .telling import Failed, told, trace

WHAT = "the agent's output"


class ToolError(Exception):
    """Tell the agent that a tool failed, and what the tool said."""


class Tools:
    """What the function calls for its tools: `tools(name, args)`, or `tools(name, key=value)`."""

    def __init__(self, questions: BinaryIO, answers: BinaryIO) -> None:
        self._questions = questions
        self._answers = answers
        self._numbers = itertools.count(1)

    def __call__(self, name: str, args: dict[str, Any] | None = None, /, **more: Any) -> Any:
        """Ask the runner for a tool; give its result, or raise ToolError."""
        given = {**(args or {}), **more}
        Inspection("what the tool is given").look(given)
        call = {"type": "tool_call", "name": name, "call_id": f"c{next(self._numbers)}"}
        self._answers.write(line_of({**call, "args": given}, "what the tool is given"))
        self._answers.flush()
        line = self._questions.readline()
        if not line:
            raise SystemExit("the runner has gone")
        answer = json.loads(line)
        if not answer["ok"]:
            raise ToolError(answer.get("error"))
        return answer["result"]


def main(address: str) -> None:
    """Do the one task that comes in."""
    questions, answers = private_streams()
    task = json.loads(questions.readline())
    message = _outcome(address, task["input"], Tools(questions, answers))
    flush_prints()
    answers.write(message)
    answers.flush()


def _outcome(address: str, given: Any, tools: Tools) -> bytes:
    try:
        output = Loop().waited(function_at(address, "agent")(given, tools))
        Inspection(WHAT).look(output)
        if not isinstance(output, dict):
            raise Failed(f"{WHAT} must be a dict; found {type(output).__name__}")
        return line_of({"type": "final_output", "output": output}, WHAT)
    except BaseException as fault:  # sys.exit too: the runner is told, whatever happens
        error: dict[str, Any] = {"type": "task_error", "message": told(fault)}
        traced = trace(fault)
        return line_of({**error, "data": traced} if traced else error, WHAT)
