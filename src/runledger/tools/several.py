"""Give each call to the source that has the tool."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..ledger.event import ToolCall, ToolResult
from ..ledger.fingerprint import show_name

if TYPE_CHECKING:
    from ..ledger.grade import Failure
    from ..ledger.trajectory import CassetteUse
    from ..process.deadline import Deadline
    from . import ToolSource


@dataclass(frozen=True, slots=True)
class Route:
    """Where a call goes: a source, and the name that the tool has there."""

    source: ToolSource
    tool: str


class Several:
    """Answer by several sources, each of which has some of the tools."""

    def __init__(self, routes: Mapping[str, Route]) -> None:
        self._routes = routes
        self._sources = list({id(route.source): route.source for route in routes.values()}.values())

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Pass the call on, under the name that its source knows."""
        route = self._routes.get(call.name)
        if route is None:
            known = ", ".join(self._routes) or "none"
            told = f"nobody has the tool {show_name(call.name)} (known: {known})"
            return ToolResult(call.call_id, ok=False, error=told)
        return route.source.answer(replace(call, name=route.tool), deadline)

    def finish(self) -> Sequence[Failure]:
        """Let all finish, and report what any of them reports."""
        return [failure for source in self._sources for failure in source.finish()]

    def use(self) -> CassetteUse | None:
        """Tell of the first cassette that one of them uses."""
        return next((use for source in self._sources if (use := source.use())), None)

    def close(self) -> None:
        """Close all of them, even when one cannot be closed."""
        with contextlib.ExitStack() as stack:
            for source in self._sources:
                stack.callback(source.close)
