"""Failures as the report tells them, and the step of the trace that each one concerns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ledger.grade import Failure
from ...ledger.value import Json
from .cut import cut_json, cut_text

AT_A_CALL = frozenset(
    {"cassette_miss", "cassette_exhausted", "cassette_order", "tool_not_allowed", "tool_error"}
)
AT_THE_OUTPUT = frozenset(
    {"json_schema", "required_fields", "contains", "regex", "equals", "script"}
)
BUDGET_KINDS = {
    "max_tool_calls": "call",
    "max_tool_errors": "call",
    "max_tokens_out": "usage",
    "max_cost_usd": "usage",
}

# What the message says in words already, or the page shows in a form of its own.
_TOLD = frozenset(
    {"assertion", "path", "expected", "found", "nearest", "recorded", "tool", "args", "call"}
    | {"call_id", "budget", "allowed", "used", "stderr"}
)


def failure_fields(failure: Failure, most: int) -> dict[str, Json]:
    """Write a failure for the page: its words, what was expected and found, what comes nearest."""
    details = failure.details
    fields: dict[str, Json] = {"type": failure.type, "message": cut_text(failure.message, most)}
    if "path" in details:
        fields["path"] = cut_json(details["path"], most)
    if "expected" in details and "found" in details:
        fields["expected"] = cut_json(details["expected"], most)
        fields["found"] = cut_json(details["found"], most)
    nearest = details.get("nearest")
    if isinstance(nearest, Mapping):
        fields["nearest"] = _nearest(nearest, most)
    rest = [_detail(key, details[key], most) for key in details if key not in _TOLD]
    return fields | {"details": rest} if rest else fields


def step_concerned(failure: Failure, steps: Sequence[Mapping[str, Json]]) -> int | None:
    """Find the step that a failure is about, among those up to it; None when it is about none."""
    details = failure.details
    if "call_id" in details:
        return _last(steps, id=details["call_id"])
    if failure.type in AT_A_CALL:
        at_tool = _last(steps, kind="call", name=details.get("tool"))
        return _last(steps, kind="call") if at_tool is None else at_tool
    if failure.type == "budget_exceeded":
        return _last(steps, kind=BUDGET_KINDS.get(str(details.get("budget"))))
    if failure.type == "task_error":
        return _last(steps, kind="gave_up")
    return _last(steps, kind="output") if details.get("assertion") in AT_THE_OUTPUT else None


def _last(steps: Sequence[Mapping[str, Json]], **wanted: Json) -> int | None:
    for index in range(len(steps) - 1, -1, -1):
        if all(steps[index].get(key) == value for key, value in wanted.items()):
            return index
    return None


def _nearest(nearest: Mapping[str, Json], most: int) -> Json:
    found = nearest.get("differences")
    differences = found if isinstance(found, Sequence) and not isinstance(found, str) else ()
    shown = [_difference(one, most) for one in differences if isinstance(one, Mapping)]
    return {"line": nearest.get("line"), "differences": shown}


def _difference(one: Mapping[str, Json], most: int) -> Json:
    sides = {key: cut_json(one[key], most) for key in ("recorded", "called") if key in one}
    return {"path": str(one.get("path", "$")), **sides}


def _detail(key: str, value: Json, most: int) -> Json:
    if isinstance(value, str):
        return {"key": key, "text": cut_text(value, most)}
    return {"key": key, "json": cut_json(value, most)}
