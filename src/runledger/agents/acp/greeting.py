"""The first words between us and an ACP agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ledger.cut import beginning
from ...ledger.fingerprint import preview
from ...ledger.suite import AgentSettings, McpServer
from ...ledger.value import Json
from ...ledger.version import VERSION
from .shapes import as_object, text_at

PROTOCOL = 1
SHOWN = 200  # characters of what an agent calls itself


def initialize(agent: AgentSettings) -> Json:
    """Say who we are and what we offer to do for the agent."""
    return {
        "protocolVersion": PROTOCOL,
        "clientCapabilities": {
            "fs": {"readTextFile": agent.fs, "writeTextFile": agent.fs},
            "terminal": agent.terminal,
        },
        "clientInfo": {"name": "runledger", "title": "RunLedger", "version": VERSION},
    }


def new_session(directory: str, servers: Sequence[McpServer]) -> Json:
    """Ask for a session in a directory, with MCP servers; that there are none is said, too."""
    return {"cwd": directory, "mcpServers": [_server(one) for one in servers]}


def version_problem(met: Json) -> str | None:
    """Say what is wrong with the version that the agent agreed to, if anything is."""
    version = as_object(met).get("protocolVersion")
    if version == PROTOCOL:
        return None
    return f"the agent speaks ACP version {preview(version, 60)}; RunLedger speaks {PROTOCOL}"


def session_facts(met: Json, session_id: str, model: str | None) -> Mapping[str, Json]:
    """Gather what an agent told of itself and its session; none but an id is worth no telling."""
    agent = as_object(met).get("agentInfo")
    told = {"name": text_at(agent, "name"), "version": text_at(agent, "version"), "model": model}
    known = {fact: beginning(text, SHOWN) for fact, text in told.items() if text}
    return {"id": session_id, **known} if known else {}


def _server(server: McpServer) -> Json:
    env = [{"name": name, "value": value} for name, value in server.env.items()]
    return {
        "name": server.name,
        "command": server.command,
        "args": list(server.args),
        "env": env,
    }
