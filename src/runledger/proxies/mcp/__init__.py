"""MCP servers as an agent sees them: ours stands in front of each, on standard input and output.

The agent starts a small `relay`, which connects to a `desk` in the runner. Each connection is a
session of its own: `replaying` answers from a cassette and starts nothing, `passing` lets the real
server answer, and keeps a `book` of it where somebody records. What the agent says is heard by a
`caller`, who puts in the faults on purpose.
"""

from __future__ import annotations

from .backroom import Backroom
from .desk import McpDesk, open_mcp

__all__ = ["Backroom", "McpDesk", "open_mcp"]
