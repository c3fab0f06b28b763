"""Be the agent that a user's function is: f(input, tools) -> output."""

from __future__ import annotations

import itertools
import json
import threading
from typing import Any, BinaryIO

from .inspection import Inspection
from .loading import at_home, function_at
from .serving import Loop, flush_prints, line_of, private_streams
from .telling import Failed, told, trace

WHAT = "the agent's output"


class ToolError(Exception):
    """Tell the agent that a tool failed, and what the tool said."""


class Tools:
    """What the function calls for its tools: `tools(name, args)`, or `tools(name, key=value)`.

    It may call from several threads at once: each gets its own answer.
    """

    def __init__(self, questions: BinaryIO, answers: BinaryIO) -> None:
        self._questions = questions
        self._answers = answers
        self._numbers = itertools.count(1)
        self._writing = threading.Lock()
        self._arrival = threading.Condition()
        self._arrived: dict[str, Any] = {}  # answers by call, until they are fetched
        self._is_read = False

    def __call__(self, name: str, args: dict[str, Any] | None = None, /, **more: Any) -> Any:
        """Ask the runner for a tool; give its result, or raise ToolError."""
        given = {**(args or {}), **more}
        Inspection("what the tool is given").look(given)
        call_id = f"c{next(self._numbers)}"
        call = {"type": "tool_call", "name": name, "call_id": call_id, "args": given}
        self.write(line_of(call, "what the tool is given"))
        answer = self._answer_to(call_id)
        if not answer["ok"]:
            raise ToolError(answer.get("error"))
        return answer["result"]

    def write(self, line: bytes) -> None:
        """Tell the runner something, in one piece."""
        with self._writing:
            self._answers.write(line)
            self._answers.flush()

    def _answer_to(self, call_id: str) -> Any:
        """Wait for an answer; of all who wait one reads, for whomever the answer is."""
        with self._arrival:
            while call_id not in self._arrived:
                if self._is_read:
                    self._arrival.wait()
                else:
                    self._read()
            return self._arrived.pop(call_id)

    def _read(self) -> None:
        """Read an answer, while others may look whether theirs is there."""
        self._is_read = True
        self._arrival.release()
        try:
            line = self._questions.readline()
        finally:
            self._arrival.acquire()
            self._is_read = False
            self._arrival.notify_all()
        if not line:
            raise SystemExit("the runner has gone")
        answer = json.loads(line)
        self._arrived[answer["call_id"]] = answer


def main(address: str, home: str) -> None:
    """Do the one task that comes in, where we are, with code whose home is elsewhere."""
    questions, answers = private_streams(home)
    task = json.loads(questions.readline())
    tools = Tools(questions, answers)
    message = _outcome(at_home(address, home), task["input"], tools)
    flush_prints()
    tools.write(message)


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
