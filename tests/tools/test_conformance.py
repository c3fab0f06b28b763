"""The check that every source of tool answers can be put to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from runledger.errors import UnknownName
from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.grade import Failure
from runledger.ledger.trajectory import CassetteUse
from runledger.process.deadline import Deadline
from runledger.tools.conformance import check_tool_source

CALLS = (ToolCall("echo", "c1", {"x": 1}), ToolCall("echo", "c2", {"x": 1}))


class Echo:
    """A source that answers with the arguments: the least that a user would write."""

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Give the arguments back."""
        if call.name != "echo":
            raise UnknownName("tool", call.name, ["echo"])
        return ToolResult(call.call_id, True, call.args)

    def finish(self) -> Sequence[Failure]:
        """Report nothing."""
        return ()

    def use(self) -> CassetteUse | None:
        """Have no cassette."""
        return None

    def close(self) -> None:
        """Hold nothing."""


class WrongId(Echo):
    """Answers under the id of another call."""

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Answer as c1, always."""
        return replace(super().answer(call, deadline), call_id="c1")


class OkWithError(Echo):
    """Succeeds and fails at once."""

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Say ok, and give an error."""
        return replace(super().answer(call, deadline), error="oh")


class AnswersAll(Echo):
    """Claims that every tool exists."""

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Say ok to anything."""
        return ToolResult(call.call_id, True)


class NotJsonAnswer(Echo):
    """Answers with something that no agent can be sent."""

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Give a set."""
        return replace(super().answer(call, deadline), result={1, 2})  # type: ignore[arg-type]


class Meddler(Echo):
    """Changes the arguments it is given."""

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Leave a mark."""
        call.args["seen"] = True  # type: ignore[index]
        return super().answer(call, deadline)


class WrongFigures(Echo):
    """Counts wrongly."""

    def use(self) -> CassetteUse:
        """Lose an entry."""
        return CassetteUse("c.jsonl", "0" * 64, entries=3, used=1, unused=1)


def test_an_honest_source_passes() -> None:
    """The least that a user would write is enough."""
    check_tool_source(Echo, CALLS)


@pytest.mark.parametrize(
    ("source", "promise"),
    [
        (WrongId, "c2 was answered as c1"),
        (OkWithError, "an answer that is ok has no error"),
        (AnswersAll, "a tool that does not exist cannot succeed"),
        (Meddler, "leaves the arguments as they were"),
        (WrongFigures, "used and unused make up all"),
    ],
)
def test_a_broken_promise_is_named(source: type[Echo], promise: str) -> None:
    """The check says which promise is not kept."""
    calls = [replace(call, args={"x": 1}) for call in CALLS]

    with pytest.raises(AssertionError, match=promise):
        check_tool_source(source, calls)


def test_an_answer_that_is_not_json_is_refused() -> None:
    """What cannot be written cannot be an answer."""
    with pytest.raises(AssertionError, match="answers are JSON"):
        check_tool_source(NotJsonAnswer, CALLS)


def test_something_else_is_no_source() -> None:
    """The four methods are needed."""
    with pytest.raises(AssertionError, match="answer, finish, use and close"):
        check_tool_source(object, CALLS)  # type: ignore[arg-type]


def test_the_check_needs_a_call() -> None:
    """Without a call nothing would be shown."""
    with pytest.raises(AssertionError, match="at least one call"):
        check_tool_source(Echo, ())
