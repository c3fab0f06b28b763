"""An agent that asks an MCP server for the time, and that server."""

from __future__ import annotations

MCP_AGENT = """
import json, subprocess, sys
server = json.load(open(sys.argv[1]))["mcpServers"]["clock"]
child = subprocess.Popen([server["command"], *server["args"]], stdin=-1, stdout=-1, text=True)
def ask(id, method, **params):
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    child.stdin.write(json.dumps(message) + "\\n"); child.stdin.flush()
    return json.loads(child.stdout.readline())
client = {"name": "a", "version": "1"}
hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
ask(1, "initialize", **hello)
answer = ask(2, "tools/call", name="time", arguments={"zone": sys.stdin.read()})
print(answer["result"]["content"][0]["text"] if "result" in answer else answer["error"]["message"])
child.stdin.close(); child.wait()
"""

MCP_SERVER = """
import json, pathlib, sys
pathlib.Path(sys.argv[1], "started").touch()
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        text = f"noon in {asked['params'].get('arguments', {}).get('zone')}"
        result = {"content": [{"type": "text", "text": text}], "protocolVersion": "2025-06-18"}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
