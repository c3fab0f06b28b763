"""The tools that the agent asked for, judged."""

from __future__ import annotations

import pytest

from graders.trials import calling, failures, messages, stopped, trial
from runledger.ledger.assertion import CallCount, CallOrder, MustCall, MustNotCall, ToolArgs
from runledger.ledger.event import ToolCall


def test_a_tool_that_was_not_called_is_named_with_those_that_were() -> None:
    """One failure for each missing tool, with what happened instead."""
    trajectory = calling("search_docs", "search_docs", "read")

    assert not messages(MustCall(("read", "search_docs")), trajectory)
    assert messages(MustCall(("create_issue", "read")), trajectory) == [
        "must_call: create_issue was not called (called: read, search_docs ×2)"
    ]
    assert messages(MustCall(("create_issue",)), stopped()) == [
        "must_call: create_issue was not called (called: nothing)"
    ]


def test_a_call_counts_even_without_an_answer() -> None:
    """What is judged is what the agent asked for."""
    assert not messages(MustCall(("search",)), trial(ToolCall("search", "c1", {})))


def test_a_tool_that_was_called_and_should_not_be_is_shown() -> None:
    """The first call is quoted, so that it can be found in the trace."""
    trajectory = calling("a", ("delete", {"id": 1}), "delete")

    assert not messages(MustNotCall(("drop",)), trajectory)
    assert messages(MustNotCall(("delete", "drop")), trajectory) == [
        'must_not_call: delete was called twice (first as c2 with {"id":1})'
    ]


@pytest.mark.parametrize("calls", [("a", "b"), ("x", "a", "x", "x", "b", "a")])
def test_an_order_may_have_other_calls_between(calls: tuple[str, ...]) -> None:
    """The order is a subsequence of the calls."""
    assert not messages(CallOrder(("a", "b")), calling(*calls))


def test_a_broken_order_says_how_far_it_came() -> None:
    """The first step that is missing is named, and after what."""
    assert messages(CallOrder(("a", "b", "c")), calling("c", "a", "b")) == [
        "call_order: expected a → b → c; came 2 of 3 steps: "
        "c was not called after a → b (called: c, a, b)"
    ]
    assert messages(CallOrder(("a", "b")), calling("b")) == [
        "call_order: expected a → b; came 0 of 2 steps: a was not called (called: b)"
    ]


def test_a_repeated_step_needs_a_repeated_call() -> None:
    """One call does not count for two steps."""
    assert messages(CallOrder(("a", "a")), calling("a", "b"))
    assert not messages(CallOrder(("a", "a")), calling("a", "b", "a"))


def test_call_counts_have_both_ends() -> None:
    """Bounds include themselves; zero is a bound too."""
    trajectory = calling("a", "a", "a")

    assert not messages(CallCount("a", min=3, max=3), trajectory)
    assert not messages(CallCount("b", max=0), trajectory)
    assert messages(CallCount("a", max=2), trajectory) == [
        "call_count: a was called 3 times, expected at most 2"
    ]
    assert messages(CallCount("b", min=1, max=2), trajectory) == [
        "call_count: b was never called, expected at least 1 and at most 2"
    ]


def test_arguments_are_checked_on_every_call() -> None:
    """The failure names the call by number and id, and where it differs."""
    trajectory = calling(("open", {"n": 1}), "other", ("open", {"n": 2, "x": 1}))

    assert messages(ToolArgs("open", equals={"n": 1}), trajectory) == [
        "tool_args: open, call 2 of 2 (c3), at $.n: expected 1, found 2\n"
        "at $.x: expected nothing, found 1"
    ]


def test_a_failed_call_is_named_in_the_details() -> None:
    """Machines find the tool, the call's number and its id."""
    (failure,) = failures(ToolArgs("open", contains={"n": 1}), calling(("open", {"n": True})))

    assert failure.details == {
        "assertion": "tool_args",
        "path": "$.n",
        "expected": {"n": 1},
        "found": {"n": True},
        "tool": "open",
        "call": 1,
        "call_id": "c1",
    }


def test_contained_arguments_may_come_with_more() -> None:
    """Objects may have more keys at any depth; lists are compared one by one."""
    args = {"issue": {"title": "a", "labels": [{"id": 1, "name": "bug"}]}, "dry": True}

    assert not messages(
        ToolArgs("open", contains={"issue": {"title": "a"}}), calling(("open", args))
    )
    assert not messages(
        ToolArgs("open", contains={"issue": {"labels": [{"id": 1}]}}), calling(("open", args))
    )
    assert messages(
        ToolArgs("open", contains={"issue": {"labels": [], "body": "x"}}), calling(("open", args))
    ) == [
        'tool_args: open, call 1 of 1 (c1), at $.issue.body: expected "x", found nothing\n'
        'at $.issue.labels: expected [], found [{"id":1,"name":"bug"}]'
    ]


def test_arguments_fit_a_schema() -> None:
    """Every schema error of every call is told."""
    schema = {"properties": {"n": {"type": "integer"}}}
    trajectory = calling(("open", {"n": 1}), ("open", {"n": "1"}))

    assert messages(ToolArgs("open", "args.json", schema), trajectory) == [
        'tool_args: open, call 2 of 2 (c2), at $.n: expected type: "integer", found "1"'
    ]


def test_a_tool_that_was_never_called_has_no_right_arguments() -> None:
    """Arguments of no call are not silently right."""
    assert messages(ToolArgs("open", equals={}), calling("close")) == [
        "tool_args: open was never called (called: close)"
    ]


def test_a_thousand_wrong_calls_are_cut() -> None:
    """Twenty failures are kept, the rest is counted."""
    found = messages(ToolArgs("open", equals={"n": 1}), calling(*["open"] * 500))

    assert len(found) == 20
    assert found[-1].endswith("and 480 more like this")


def test_hostile_names_stay_on_one_short_line() -> None:
    """A tool name with line ends or a megabyte is quoted and cut."""
    trajectory = calling("a\n\x1b[31mb", "n" * 1_000_000, *(f"t{n}" for n in range(100)))
    (message,) = messages(MustCall(("open",)), trajectory)

    assert "\n" not in message
    assert "\x1b" not in message
    assert message.endswith("and 92 more)")
    assert len(message) < 500
