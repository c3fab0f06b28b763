"""Judge which tools the agent asked for, in which order and with which arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ..ledger.assertion import CallCount, CallOrder, MustCall, MustNotCall, ToolArgs
from ..ledger.difference import Difference, describe, differences, shortfalls
from ..ledger.event import ToolCall
from ..ledger.fingerprint import preview, show_name
from ..ledger.grade import Failure, assertion_failure, first_few
from ..ledger.trajectory import Trajectory, calls_by_name, calls_in
from ..ledger.value import Json

SHOWN = 10


def must_call(assertion: MustCall, trajectory: Trajectory) -> Iterator[Failure]:
    """Fail for every tool that was not called."""
    called = calls_by_name(trajectory.events)
    for tool in assertion.tools:
        if tool not in called:
            message = f"{tool} was not called (called: {_counted(called)})"
            yield _fell_short(assertion.type, message, expected=tool, found=_some(called))


def must_not_call(assertion: MustNotCall, trajectory: Trajectory) -> Iterator[Failure]:
    """Fail for every tool that was called and should not have been."""
    calls = _calls(trajectory)
    for tool in assertion.tools:
        found = [call for call in calls if call.name == tool]
        if found:
            first = f"first as {show_name(found[0].call_id)} with {preview(found[0].args, 80)}"
            message = f"{tool} was {_called(len(found))} ({first})"
            failure = _fell_short(assertion.type, message, expected=0, found=len(found))
            about = {"tool": tool, "call_id": found[0].call_id}
            yield replace(failure, details={**failure.details, **about})


def call_order(assertion: CallOrder, trajectory: Trajectory) -> Iterator[Failure]:
    """Fail when the tools were not called in this order, with others between them or not."""
    names = [call.name for call in _calls(trajectory)]
    came = _longest_start(assertion.order, names)
    if came == len(assertion.order):
        return
    missing = f"{assertion.order[came]} was not called"
    after = f" after {' → '.join(assertion.order[:came])}" if came else ""
    message = (
        f"expected {' → '.join(assertion.order)}; came {came} of {len(assertion.order)} steps: "
        f"{missing}{after} (called: {_listed(names)})"
    )
    yield _fell_short(
        assertion.type, message, expected=list(assertion.order), found=names[: 10 * SHOWN]
    )


def call_count(assertion: CallCount, trajectory: Trajectory) -> Iterator[Failure]:
    """Fail when a tool was called too rarely or too often."""
    count = calls_by_name(trajectory.events).get(assertion.tool, 0)
    low, high = assertion.min, assertion.max
    if (low or 0) <= count <= (count if high is None else high):
        return
    message = f"{assertion.tool} was {_called(count)}, expected {_range(low, high)}"
    yield _fell_short(assertion.type, message, expected={"min": low, "max": high}, found=count)


def tool_args(assertion: ToolArgs, trajectory: Trajectory) -> Iterator[Failure]:
    """Fail for every call of a tool whose arguments are not as they should be."""
    calls = [call for call in _calls(trajectory) if call.name == assertion.tool]
    if not calls:
        called = calls_by_name(trajectory.events)
        message = f"{assertion.tool} was never called (called: {_counted(called)})"
        yield _fell_short(assertion.type, message, expected=assertion.tool, found=_some(called))
    numbered = (_Numbered(call, number, len(calls)) for number, call in enumerate(calls, start=1))
    yield from first_few(failure for one in numbered for failure in _unfit(assertion, one))


@dataclass(frozen=True, slots=True)
class _Numbered:
    """One of the calls of a tool."""

    call: ToolCall
    number: int
    of: int

    def __str__(self) -> str:
        name, call_id = show_name(self.call.name), show_name(self.call.call_id)
        return f"{name}, call {self.number} of {self.of} ({call_id}), "


def _unfit(assertion: ToolArgs, one: _Numbered) -> Iterator[Failure]:
    about: dict[str, Json] = {
        "tool": one.call.name,
        "call": one.number,
        "call_id": one.call.call_id,
    }
    for failure in _argument_failures(assertion, one):
        yield replace(failure, details={**failure.details, **about})


def _argument_failures(assertion: ToolArgs, one: _Numbered) -> Iterator[Failure]:
    args = one.call.args
    if assertion.schema_path is not None:
        from .schema import schema_failures  # lazily: jsonschema takes a while to import

        yield from schema_failures(assertion.type, assertion.schema, args, str(one))
    if assertion.equals is not None:
        yield from _differing(one, assertion.equals, differences(assertion.equals, args))
    if assertion.contains is not None:
        yield from _differing(one, assertion.contains, shortfalls(assertion.contains, args))


def _differing(one: _Numbered, expected: Json, found: Iterator[Difference]) -> Iterator[Failure]:
    first = next(found, None)
    if first is None:
        return
    told = describe(chain((first,), found))
    yield assertion_failure(
        ToolArgs.type, f"{one}{told}", path=first.path, expected=expected, found=one.call.args
    )


def _fell_short(assertion: str, message: str, expected: Json, found: Json) -> Failure:
    return assertion_failure(assertion, message, path="$", expected=expected, found=found)


def _calls(trajectory: Trajectory) -> list[ToolCall]:
    return [call.call for call in calls_in(trajectory.events)]


def _longest_start(order: Sequence[str], names: Sequence[str]) -> int:
    """Count how many steps of an order were taken, one after the other."""
    came = 0
    for name in names:
        if came < len(order) and name == order[came]:
            came += 1
    return came


def _counted(called: Mapping[str, int]) -> str:
    return _listed([name if count == 1 else f"{name} ×{count}" for name, count in called.items()])


def _listed(names: Sequence[str]) -> str:
    some = ", ".join(show_name(name, 60) for name in names[:SHOWN]) or "nothing"
    return some + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _some(called: Mapping[str, int]) -> Mapping[str, int]:
    return dict(list(called.items())[: 10 * SHOWN])


def _called(count: int) -> str:
    words = {0: "never called", 1: "called once", 2: "called twice"}
    return words.get(count, f"called {count} times")


def _range(low: int | None, high: int | None) -> str:
    bounds = {"at least": low, "at most": high}
    return " and ".join(f"{words} {bound}" for words, bound in bounds.items() if bound is not None)
