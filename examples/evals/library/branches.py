"""An MCP server on standard input and output with one tool, in as few lines as it takes."""

import json
import sys

HOURS = {"Harbour": "9 to 17", "Hill": "10 to 20"}
TOOL = {
    "name": "opening_hours",
    "description": "Say when a branch is open.",
    "inputSchema": {"type": "object", "properties": {"branch": {"type": "string"}}},
}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "branches", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        hours = HOURS.get(params["arguments"]["branch"], "by appointment")
        return {"content": [{"type": "text", "text": hours}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
