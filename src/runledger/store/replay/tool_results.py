"""Results of tools inside a conversation with a model: what the agent saw of its world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...ledger.fingerprint import preview, show_name
from ...ledger.path import Path
from ...ledger.strict_json import NotJson, loads
from ...ledger.value import Json

_IDS = ("tool_use_id", "tool_call_id", "call_id", "id")
_ARGS = ("input", "arguments", "args")
_NOT_RESULT = frozenset({*_IDS, "name", "type", "role", "cache_control"})


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool as a conversation tells it."""

    name: str
    args: Json

    def shown(self) -> str:
        """Show the call in a few words."""
        args = self.args
        if isinstance(args, str):
            try:
                args = loads(args)  # Chat and Responses write arguments as a text
            except NotJson:
                args = self.args
        return f"{show_name(self.name, 60)} {preview(args, 80)}"


def result_at(body: Json, path: Path) -> Mapping[str, Json] | None:
    """Find the result of a tool that a place in a body lies inside of."""
    value: Json = body
    for depth, segment in enumerate(path):
        if isinstance(value, Mapping):
            value = value.get(segment)
        elif isinstance(value, (list, tuple)):
            value = (
                value[int(segment)] if segment.isdecimal() and int(segment) < len(value) else None
            )
        inner = path[depth + 1] if depth + 1 < len(path) else ""
        if isinstance(value, Mapping) and _is_result(value, segment) and inner:
            return None if inner in _NOT_RESULT else value
    return None


def use_of(body: Json, result: Mapping[str, Json]) -> ToolUse:
    """Find the call that a result belongs to."""
    ids = {result[name] for name in _IDS if isinstance(result.get(name), str)}
    named = result.get("name")
    fallback = ToolUse(named if isinstance(named, str) else "a tool", None)
    uses = [(use_id, use) for use_id, use in _uses(body)]
    same = next((use for use_id, use in uses if use_id in ids), None)
    return same or next((use for _, use in reversed(uses) if use.name == named), fallback)


def _is_result(value: Mapping[str, Json], under: str) -> bool:
    kind = value.get("type")
    if isinstance(kind, str) and (kind == "tool_result" or kind.endswith("_call_output")):
        return True
    return value.get("role") == "tool" or under in ("functionResponse", "function_response")


def _uses(value: Json) -> Iterator[tuple[Json, ToolUse]]:
    """Yield every call of a tool in a conversation with its id, in the shapes of all four APIs."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _uses(item)
    if not isinstance(value, Mapping):
        return
    name, args = value.get("name"), _args(value)
    if isinstance(name, str) and args is not None:
        yield value.get("call_id", value.get("id")), ToolUse(name, args)
    function = value.get("function")
    if isinstance(function, Mapping) and isinstance(function.get("name"), str):
        yield value.get("id"), ToolUse(str(function["name"]), function.get("arguments"))
    for key in value:
        if key not in _ARGS or (key == "input" and name is None):  # a conversation of Responses
            yield from _uses(value[key])


def _args(value: Mapping[str, Json]) -> Json:
    return next((value[key] for key in _ARGS if key in value), None)
