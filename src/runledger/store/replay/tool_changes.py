"""Tell by their names how the tools that two requests offer to a model differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...ledger.fingerprint import canonical_bytes, show_name
from ...ledger.value import Json

SHOWN_NAMES = 10


@dataclass(frozen=True, slots=True)
class ToolChanges:
    """The names of tools that only one of two requests has, or that are not the same in both."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def is_told_by_names(self) -> bool:
        """Say whether names tell more than places would: not when one tool changed in itself."""
        return bool(self.added or self.removed) or len(self.changed) > 1

    @property
    def told(self) -> str:
        """Tell all of it in one line."""
        kinds = {"added": self.added, "removed": self.removed, "changed": self.changed}
        return "; ".join(f"{kind} {_listed(names)}" for kind, names in kinds.items() if names)


def tool_changes(recorded: Json, called: Json) -> ToolChanges:
    """Compare the tools of two requests."""
    old, new = dict(_tools(recorded)), dict(_tools(called))
    same = [name for name in old if name in new]
    return ToolChanges(
        added=tuple(name for name in new if name not in old),
        removed=tuple(name for name in old if name not in new),
        changed=tuple(name for name in same if old[name] != new[name]),
    )


def _tools(body: Json) -> Iterator[tuple[str, bytes]]:
    tools = body.get("tools") if isinstance(body, Mapping) else None
    for tool in tools if isinstance(tools, (list, tuple)) else ():
        yield from _named(tool)


def _named(tool: Json) -> Iterator[tuple[str, bytes]]:
    """Yield a tool by its name, which stands at a place of its own in each API."""
    if not isinstance(tool, Mapping):
        return
    declared = tool.get("functionDeclarations", tool.get("function_declarations"))
    for one in declared if isinstance(declared, (list, tuple)) else ():
        yield from _named(one)
    function = tool.get("function")
    name = function.get("name") if isinstance(function, Mapping) else tool.get("name")
    if isinstance(name, str):
        yield name, canonical_bytes(tool)


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(show_name(name, 60) for name in names[:SHOWN_NAMES])
    more = len(names) - SHOWN_NAMES
    return f"{shown} and {more} more" if more > 0 else shown
