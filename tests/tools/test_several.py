"""Giving each call to the source that has the tool."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.grade import Failure
from runledger.ledger.trajectory import CassetteUse
from runledger.process.deadline import Deadline
from runledger.tools.conformance import check_tool_source
from runledger.tools.several import Route, Several
from tools.bench import error, result


class Said:
    """A source that answers with its own name and the name it was called by."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.closed = False

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Say who was asked for what."""
        return ToolResult(call.call_id, True, [self.name, call.name])

    def finish(self) -> Sequence[Failure]:
        """Have something to report."""
        return [Failure("cassette_unused", self.name)]

    def use(self) -> CassetteUse | None:
        """Have a cassette."""
        return CassetteUse(self.name, "0" * 64, 0, 0, 0)

    def close(self) -> None:
        """Remember that it was closed, and fail if it is the bad one."""
        self.closed = True
        if self.name == "bad":
            raise OSError("cannot be closed")


def two(first: Said, second: Said) -> Several:
    """Give one name to the first and two to the second."""
    return Several(
        {"a": Route(first, "a"), "b": Route(second, "b"), "second.a": Route(second, "a")}
    )


def test_several_is_a_tool_source() -> None:
    """Several keeps every promise of the shelf."""
    calls = [ToolCall("a", "c1", {}), ToolCall("b", "c2", {}), ToolCall("second.a", "c3", {})]

    check_tool_source(lambda: two(Said("one"), Said("two")), calls)


def test_a_call_goes_under_the_name_that_its_source_knows() -> None:
    """The agent's name for a tool may have the owner's before it."""
    source = two(Said("one"), Said("two"))

    assert result(source, "a") == ["one", "a"]
    assert result(source, "second.a") == ["two", "a"]


def test_a_tool_that_nobody_has_is_a_tool_error() -> None:
    """The names that are there are listed."""
    assert error(two(Said("one"), Said("two")), "c") == (
        "nobody has the tool c (known: a, b, second.a)"
    )


def test_each_source_finishes_once() -> None:
    """A source with two tools reports once."""
    failures = two(Said("one"), Said("two")).finish()

    assert [failure.message for failure in failures] == ["one", "two"]


def test_the_first_cassette_is_told() -> None:
    """There is at most one in practice."""
    use = two(Said("one"), Said("two")).use()

    assert use is not None
    assert use.path == "one"


def test_all_are_closed_even_when_one_cannot_be() -> None:
    """A fault of one must not leave another's processes running."""
    first, second = Said("one"), Said("bad")

    with pytest.raises(OSError, match="cannot be closed"):
        two(first, second).close()

    assert first.closed
    assert second.closed
