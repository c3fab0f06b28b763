"""An agent on the official Python SDK that is its own model: it follows the scripts by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from acp import (
    Agent,
    Client,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    run_agent,
    start_tool_call,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
)
from acp.schema import AllowedOutcome, PermissionOption, ToolCallUpdate, Usage
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from scripted_model.phrases import chosen
from scripted_model.script import (
    MCP_TOOL,
    SCRIPTS,
    TOKENS_IN,
    TOKENS_OUT,
    Call,
    Move,
    Refuse,
    Say,
    Use,
)

OPTIONS = [
    PermissionOption(option_id="yes", name="Do it", kind="allow_once"),
    PermissionOption(option_id="no", name="Leave it", kind="reject_once"),
]
KINDS = {"write": "edit", "shell": "execute", "mcp": "other"}


class Failed(Exception):
    """A tool did not do what it was called for."""


class ScriptedAgent(Agent):
    """Follows one script a prompt, in one session."""

    def __init__(self) -> None:
        self.prompts = 0
        self.cancelled = asyncio.Event()

    def on_connect(self, conn: Client) -> None:
        """Keep the way to the client."""
        self.client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        """Say which protocol this is."""
        return InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> NewSessionResponse:
        """Remember where to work, and with which servers."""
        self.cwd, self.servers = Path(cwd), mcp_servers or []
        return NewSessionResponse(session_id="only")

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop what never ends by itself."""
        self.cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> PromptResponse:
        """Follow the script that the prompt names."""
        self.prompts += 1
        moves = SCRIPTS[chosen("".join(block.text for block in prompt)) or "hello"]
        await self._update(update_agent_thought_text("The script says what to do."))
        for move in moves:
            await self._do(move)
        tokens = {"input_tokens": TOKENS_IN * len(moves), "output_tokens": TOKENS_OUT * len(moves)}
        return PromptResponse(
            stop_reason="cancelled" if self.cancelled.is_set() else "end_turn",
            usage=Usage(**tokens, total_tokens=sum(tokens.values())),
        )

    async def _do(self, move: Move) -> None:
        match move:
            case Refuse(message):
                raise RequestError(-32603, message)
            case Call(uses):
                await asyncio.gather(*(self._use(use, n) for n, use in enumerate(uses)))
            case Say(text):
                words = text.replace("{prompts}", str(self.prompts))
                await self._update(update_agent_message_text(words))
            case _:
                await self._update(update_agent_message_text(move.text))
                await self.cancelled.wait()

    async def _use(self, use: Use, number: int) -> None:
        id, kind, args = f"call-{self.prompts}-{number}", KINDS[use.does], dict(use.args)
        await self._update(start_tool_call(id, use.does, kind=kind, raw_input=args))
        try:
            await self._ask_leave(id)
            output = await TOOLS[use.does](self, args)
        except Failed as error:
            await self._update(update_tool_call(id, status="failed", raw_output=str(error)))
        else:
            await self._update(update_tool_call(id, status="completed", raw_output=output))

    async def _ask_leave(self, id: str) -> None:
        answer = await self.client.request_permission(
            "only", ToolCallUpdate(tool_call_id=id), OPTIONS
        )
        chosen = answer.outcome
        if not isinstance(chosen, AllowedOutcome) or chosen.option_id != "yes":
            raise Failed("I was not allowed to")

    async def _write(self, args: dict[str, str]) -> str:
        (self.cwd / args["path"]).write_text(args["content"])
        return "written"

    async def _shell(self, args: dict[str, str]) -> str:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_shell(
            args["command"], cwd=self.cwd, stdout=pipe, stderr=asyncio.subprocess.STDOUT
        )
        output, _ = await process.communicate()
        if process.returncode:
            raise Failed(f"exit code {process.returncode}: {output.decode()}")
        return output.decode()

    async def _mcp(self, args: dict[str, str]) -> str:
        server = self.servers[0]
        env = {variable.name: variable.value for variable in server.env}
        start = StdioServerParameters(command=server.command, args=server.args, env=env)
        async with stdio_client(start) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            answer = await session.call_tool(MCP_TOOL, args)
        return str(answer.content[0].text)

    async def _update(self, update: Any) -> None:
        await self.client.session_update("only", update)


TOOLS: dict[str, Callable[[ScriptedAgent, dict[str, str]], Coroutine[Any, Any, str]]] = {
    "write": ScriptedAgent._write,
    "shell": ScriptedAgent._shell,
    "mcp": ScriptedAgent._mcp,
}

asyncio.run(run_agent(ScriptedAgent()))
