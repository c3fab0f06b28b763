"""An MCP server with one tool, on the official package."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

server = MCPServer("echo")


@server.tool()
def echo_text(text: str) -> str:
    """Say the text again."""
    return f"echo: {text}"


server.run("stdio")
