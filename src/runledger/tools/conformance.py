"""What every source of tool answers promises, as a check that its author can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import RunledgerError
from ..ledger.event import ToolCall, ToolResult
from ..ledger.fingerprint import fingerprint
from ..ledger.grade import Failure
from ..ledger.trajectory import CassetteUse
from ..ledger.value import Json
from ..process.deadline import Deadline
from . import ToolSource

TRIAL_S = 60.0


def check_tool_source(make: Callable[[], ToolSource], calls: Sequence[ToolCall]) -> None:
    """Raise AssertionError at the first promise of a ToolSource that is not kept.

    `make` gives a new source each time, one that can answer all of `calls` in their order;
    `calls` are at least one and have different call ids.
    """
    _expect(bool(calls), "the check needs at least one call")
    _check_trial(make(), calls)
    _check_trial(make(), calls)  # a new source owes nothing to the one before
    _check_unknown_tool(make())
    _check_late_call(make(), calls[0])
    _check_unused_source(make())


def _check_trial(source: ToolSource, calls: Sequence[ToolCall]) -> None:
    _expect(isinstance(source, ToolSource), "a source has answer, finish, use and close")
    for call in calls:
        _check_answer(source, call)
    _check_use(source.use())
    for failure in source.finish():
        _expect(isinstance(failure, Failure), f"finish() gives failures, not {failure!r}")
    _check_use(source.use())
    source.close()
    source.close()


def _check_answer(source: ToolSource, call: ToolCall) -> None:
    before = fingerprint(call.args)
    result = source.answer(call, Deadline.after(TRIAL_S))
    _expect(isinstance(result, ToolResult), f"answer() gives a ToolResult, not {result!r}")
    _expect(result.call_id == call.call_id, f"{call.call_id} was answered as {result.call_id}")
    _expect(isinstance(result.ok, bool), f"ok is true or false, not {result.ok!r}")
    _expect(not (result.ok and result.error), f"an answer that is ok has no error: {result!r}")
    _expect(fingerprint(call.args) == before, "answer() leaves the arguments as they were")
    _expect(_is_json([result.result, result.error]), f"answers are JSON, not {result!r}")


def _check_unknown_tool(source: ToolSource) -> None:
    try:
        call = ToolCall("no such tool", "unknown-1", {})
        result = source.answer(call, Deadline.after(TRIAL_S))
    except RunledgerError:
        return  # there is no answer to give
    finally:
        source.close()
    _expect(not result.ok, f"a tool that does not exist cannot succeed: {result!r}")


def _check_late_call(source: ToolSource, call: ToolCall) -> None:
    try:
        source.answer(call, Deadline.after(0))
    except RunledgerError:
        return  # a time-out of the trial; one that needs no time may answer all the same
    finally:
        source.close()


def _check_unused_source(source: ToolSource) -> None:
    _check_use(source.use())
    source.close()  # a trial may end before its first call, and without finish()


def _check_use(use: CassetteUse | None) -> None:
    if use is not None:
        _expect(use.used + use.unused == use.entries, f"used and unused make up all: {use}")


def _is_json(value: Json) -> bool:
    try:
        fingerprint(value)
    except (TypeError, ValueError):
        return False
    return True


def _expect(kept: bool, promise: str) -> None:
    if not kept:
        raise AssertionError(promise)
