"""Answer by the user's own Python functions, in a process of their own."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import AgentError, UsageError
from ..ledger.event import ToolCall, ToolResult
from ..ledger.grade import Failure
from ..process.deadline import Deadline
from ..process.supervisor import Launch
from ..wire.host import command_of
from ..wire.jsonrpc import Connection, RpcError
from ..wire.servant import START_S, NoAnswer, Servant, Turn
from .workplace import Workplace


class Live:
    """Call the tools of one Python module; what they keep in memory ends with the trial."""

    def __init__(self, place: Workplace, module: str, timeout_s: float) -> None:
        launch = Launch(command_of("tools", module), place.directory, place.env)
        self._module = module
        self._timeout_s = timeout_s
        self._names: tuple[str, ...] = ()
        self._program = Servant(place.supervisor, launch, self._load)

    def names(self) -> Sequence[str]:
        """Load the module and list its tools, or raise UsageError with what is wrong with it."""
        try:
            self._program.ask("check", {}, Turn(self._module, START_S, Deadline.after(3 * START_S)))
        except (NoAnswer, AgentError) as fault:
            raise UsageError(f"tool_module: {self._module}: {fault}") from None
        return self._names

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Call the tool; whatever it does but return JSON is an error of the tool."""
        turn = Turn(call.name, self._timeout_s, deadline)
        try:
            result = self._program.ask("call", {"name": call.name, "args": call.args}, turn)
        except NoAnswer as failed:
            return ToolResult(call.call_id, ok=False, error=str(failed))
        return ToolResult(call.call_id, ok=True, result=result)

    def finish(self) -> Sequence[Failure]:
        """Have nothing to report: every call was answered at once."""
        return ()

    def use(self) -> None:
        """Have no cassette."""

    def close(self) -> None:
        """End the process of the tools, and all that they started."""
        self._program.close()

    def _load(self, connection: Connection, deadline: Deadline) -> None:
        try:
            names = connection.call("load", None, deadline)
        except RpcError as fault:
            trace = f"\n{fault.data}" if fault.data else ""
            raise NoAnswer(f"could not be loaded: {fault}{trace}") from None
        if isinstance(names, list):
            self._names = tuple(map(str, names))
