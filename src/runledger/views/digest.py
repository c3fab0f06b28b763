"""Results in short: one line of JSON each, for jq and for tables."""

from __future__ import annotations

from ..ledger.captured import Captured, tool_calls
from ..ledger.value import Json


def summary_result(captured: Captured, *, repeated: bool = False) -> dict[str, Json]:
    """Give a result in short; one of several trials of a task says which it is."""
    line: dict[str, Json] = {"id": captured.id}
    if repeated:
        line["trial"] = captured.trial
    return line | {
        "input": captured.input,
        "output": captured.output,
        "toolCalls": tool_calls(captured),
        "duration": captured.duration_ms,
    }
