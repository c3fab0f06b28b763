"""An agent on the official SDK, which does what its prompt says, one word a deed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from acp import (
    Agent,
    Client,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    plan_entry,
    run_agent,
    start_tool_call,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
)
from acp.schema import AllowedOutcome, Cost, PermissionOption, ToolCallUpdate, Usage, UsageUpdate

OPTIONS = [
    PermissionOption(option_id="1", name="Never", kind="reject_once"),
    PermissionOption(option_id="2", name="Yes", kind="allow_once"),
]


class Obedient(Agent):
    """Does each word of a prompt in turn."""

    def on_connect(self, conn: Client) -> None:
        """Keep the way to the client."""
        self.client = conn
        self.cancelled = asyncio.Event()

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Agree to the protocol."""
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> NewSessionResponse:
        """Remember where to work."""
        self.cwd, self.servers = Path(cwd), mcp_servers
        return NewSessionResponse(session_id="only")

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Wake up whoever waits."""
        self.cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        """Do what the prompt says."""
        for word in prompt[0].text.split():
            await getattr(self, f"_{word}")()
        usage = Usage(input_tokens=100, output_tokens=20, cached_read_tokens=5, total_tokens=125)
        reason = "cancelled" if self.cancelled.is_set() else "end_turn"
        return PromptResponse(stop_reason=reason, usage=usage)

    async def _think(self) -> None:
        await self._tell(update_agent_thought_text("Let me see."))

    async def _plan(self) -> None:
        await self._tell(update_plan([plan_entry("look", status="completed")]))

    async def _say(self) -> None:
        for piece in ("All ", "is ", "well."):
            await self._tell(update_agent_message_text(piece))

    async def _servers(self) -> None:
        await self._tell(update_agent_message_text(" ".join(one.name for one in self.servers)))

    async def _write(self) -> None:
        await self._tell(start_tool_call("c1", "write", kind="edit", raw_input={"path": "a.txt"}))
        asked = ToolCallUpdate(tool_call_id="c1", title="Write a.txt")
        answer = await self.client.request_permission("only", asked, OPTIONS)
        if not isinstance(answer.outcome, AllowedOutcome) or answer.outcome.option_id != "2":
            return
        path = str(self.cwd / "a.txt")
        await self.client.write_text_file("only", path, "one\ntwo\n")
        read = await self.client.read_text_file("only", path, line=2, limit=1)
        content = [tool_content(text_block(read.content))]
        await self._tell(update_tool_call("c1", status="completed", content=content))

    async def _run(self) -> None:
        await self._tell(start_tool_call("c2", "shell", kind="execute"))
        made = await self.client.create_terminal("only", "sh", args=["-c", "echo ran; exit 3"])
        ended = await self.client.wait_for_terminal_exit("only", made.terminal_id)
        shown = await self.client.terminal_output("only", made.terminal_id)
        await self.client.release_terminal("only", made.terminal_id)
        output = {"output": shown.output, "exit_code": ended.exit_code}
        await self._tell(update_tool_call("c2", status="completed", raw_output=output))

    async def _pay(self) -> None:
        cost = Cost(amount=0.25, currency="USD")
        update = UsageUpdate(session_update="usage_update", used=1, size=10, cost=cost)
        await self._tell(update)

    async def _fail(self) -> None:
        raise RequestError(-32603, "the model is gone", {"details": "HTTP 529"})

    async def _hang(self) -> None:
        await self.cancelled.wait()

    async def _tell(self, update: Any) -> None:
        await self.client.session_update("only", update)


asyncio.run(run_agent(Obedient(), use_unstable_protocol=True))
