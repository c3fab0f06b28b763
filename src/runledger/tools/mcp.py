"""Answer by an MCP server on standard input and output, one process a trial."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from ..errors import AgentError, UsageError
from ..ledger.event import ToolCall, ToolResult
from ..ledger.fingerprint import preview
from ..ledger.grade import Failure
from ..ledger.suite import ServerSettings, fill_in
from ..ledger.value import Json
from ..ledger.version import VERSION
from ..process.deadline import Deadline
from ..process.supervisor import Launch
from ..wire.jsonrpc import Connection, Request, serve_nothing
from ..wire.servant import START_S, NoAnswer, Servant, Turn
from .workplace import Workplace

PROTOCOL = "2025-06-18"
KNOWN_PROTOCOLS = ("2024-11-05", "2025-03-26", PROTOCOL, "2025-11-25")
MOST_PAGES = 1000


class Mcp:
    """Call the tools of one server, which is started at the first call."""

    def __init__(
        self, place: Workplace, name: str, server: ServerSettings, timeout_s: float
    ) -> None:
        argv = fill_in(server.command, python=sys.executable, suite=place.directory)
        launch = Launch(argv, place.directory, {**place.env, **server.env})
        self._name = name
        self._timeout_s = timeout_s
        self._program = Servant(place.supervisor, launch, _initialize, serve=_serve, cancel=_cancel)

    def names(self) -> Sequence[str]:
        """Ask the server for all its tools, page by page; raise UsageError if it cannot tell."""
        try:
            return self._listed(Turn("tools/list", START_S, Deadline.after(10 * START_S)))
        except (NoAnswer, AgentError) as fault:
            raise UsageError(f"mcp_tools: {self._name}: {fault}") from None

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Let the server call the tool; what it reports as an error is one."""
        turn = Turn(call.name, self._timeout_s, deadline)
        params: Json = {"name": call.name, "arguments": call.args}
        try:
            result = self._program.ask("tools/call", params, turn)
        except NoAnswer as failed:
            return ToolResult(call.call_id, ok=False, error=f"{self._name}: {failed}")
        return read_result(call.call_id, result)

    def finish(self) -> Sequence[Failure]:
        """Have nothing to report: every call was answered at once."""
        return ()

    def use(self) -> None:
        """Have no cassette."""

    def close(self) -> None:
        """End the server, and all that it started."""
        self._program.close()

    def _listed(self, turn: Turn) -> list[str]:
        names: list[str] = []
        cursor: Json = None
        for _ in range(MOST_PAGES):
            params = {} if cursor is None else {"cursor": cursor}
            page = self._program.ask("tools/list", params, turn)
            names += _names_in(page)
            cursor = page.get("nextCursor") if isinstance(page, Mapping) else None
            if cursor is None:
                return names
        raise NoAnswer(f"tools/list has over {MOST_PAGES} pages")


def read_result(call_id: str, found: Json) -> ToolResult:
    """Turn the result of tools/call into what an agent gets: structure, else text, else parts."""
    content = found.get("content", []) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping) or not isinstance(content, list):
        told = f"the server's answer is no result of tools/call: {preview(found, 200)}"
        return ToolResult(call_id, ok=False, error=told)
    said = _text_of(content)
    if found.get("isError") is True:
        return ToolResult(call_id, ok=False, error=said or "the tool failed and did not say why")
    structure = found.get("structuredContent")
    return ToolResult(call_id, ok=True, result=said if structure is None else structure)


def _text_of(content: list[Json]) -> Json:
    """Join the parts when all are text; else they stay as they are."""
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    lines = [text for text in texts if isinstance(text, str)]
    return "\n".join(lines) if len(lines) == len(content) else content


def _names_in(page: Json) -> list[str]:
    tools = page.get("tools") if isinstance(page, Mapping) else None
    if not isinstance(tools, list):
        raise NoAnswer(f"tools/list was answered with {preview(page, 200)}")
    names = [tool.get("name") if isinstance(tool, Mapping) else None for tool in tools]
    return [name for name in names if isinstance(name, str)]


def _initialize(connection: Connection, deadline: Deadline) -> None:
    opening: Json = {
        "protocolVersion": PROTOCOL,
        "capabilities": {},
        "clientInfo": {"name": "runledger", "version": VERSION},
    }
    answer = connection.call("initialize", opening, deadline, _serve)
    version = answer.get("protocolVersion") if isinstance(answer, Mapping) else answer
    if version not in KNOWN_PROTOCOLS:
        known = ", ".join(KNOWN_PROTOCOLS)
        raise NoAnswer(f"it speaks protocol version {preview(version, 60)} (known: {known})")
    connection.tell("notifications/initialized")


def _serve(request: Request) -> Json:
    return {} if request.method == "ping" else serve_nothing(request)


def _cancel(connection: Connection, id: int) -> None:
    reason = "the call took too long"
    connection.tell("notifications/cancelled", {"requestId": id, "reason": reason})
