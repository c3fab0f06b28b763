"""Answer by tools that come with RunLedger, for suites that name them."""

from __future__ import annotations

from collections.abc import Sequence

from .. import registry
from ..ledger.event import ToolCall, ToolResult
from ..ledger.fingerprint import show_name
from ..ledger.grade import Failure
from ..process.deadline import Deadline


class BuiltIn:
    """Call functions of ours: deterministic, at once, without a process."""

    def names(self) -> Sequence[str]:
        """List the built-in tools."""
        return tuple(registry.BUILT_IN["tools"])

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Call the function of this name; arguments that it refuses are a tool error."""
        if call.name not in registry.BUILT_IN["tools"]:
            told = f"there is no built-in tool {show_name(call.name)}"
            return ToolResult(call.call_id, ok=False, error=told)
        try:
            result = registry.find("tools", call.name)(call.args)
        except ValueError as fault:
            return ToolResult(call.call_id, ok=False, error=f"ValueError: {fault}")
        return ToolResult(call.call_id, ok=True, result=result)

    def finish(self) -> Sequence[Failure]:
        """Have nothing to report."""
        return ()

    def use(self) -> None:
        """Have no cassette."""

    def close(self) -> None:
        """Hold nothing."""
