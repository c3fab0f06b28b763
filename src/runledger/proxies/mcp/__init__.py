"""MCP servers, with ours in front of each or in its place."""
