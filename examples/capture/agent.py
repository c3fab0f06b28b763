"""A small agent that speaks ACP: it makes the file that a prompt asks for. No model, no network.

A prompt such as "write hello to greeting.txt" is understood; anything else is answered politely.
"""

import json
import re
import sys
from pathlib import Path

WISH = re.compile(r"write (?P<text>.+) to (?P<file>[\w./-]+)")


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit(0)


class Session:
    def __init__(self, cwd):
        self.cwd = Path(cwd)
        self.calls = 0

    def update(self, session_update, **fields):
        params = {"sessionId": "s1", "update": {"sessionUpdate": session_update, **fields}}
        send({"method": "session/update", "params": params})

    def say(self, text):
        for word in re.findall(r"\S+\s*", text):  # in pieces, as a model would
            content = {"type": "text", "text": word}
            self.update("agent_message_chunk", content=content)

    def allowed(self, call):
        options = [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        params = {"sessionId": "s1", "toolCall": call, "options": options}
        send({"id": "permission", "method": "session/request_permission", "params": params})
        outcome = receive()["result"]["outcome"]
        return outcome.get("optionId") == "yes"

    def prompt(self, text):
        wish = WISH.search(text)
        if not wish:
            self.say("I can only write files: ask me to write something to a file.")
            return
        self.calls += 1
        arguments = {"file_path": wish["file"], "content": wish["text"]}
        call = {"toolCallId": f"call-{self.calls}", "title": "Write", "kind": "edit"}
        self.update("tool_call", **call, status="pending", rawInput=arguments)
        if not self.allowed(call):
            self.update("tool_call_update", toolCallId=call["toolCallId"], status="failed")
            self.say(f"I was not allowed to write {wish['file']}.")
            return
        (self.cwd / wish["file"]).write_text(wish["text"] + "\n")
        done = {"status": "completed", "rawOutput": f"wrote {wish['file']}"}
        self.update("tool_call_update", toolCallId=call["toolCallId"], **done)
        self.say(f"I wrote {wish['text']} to {wish['file']}.")


def main():
    session = None
    while True:
        request = receive()
        params = request.get("params", {})
        result = {}
        match request.get("method"):
            case "initialize":
                result = {"protocolVersion": 1, "agentCapabilities": {}}
            case "session/new":
                session = Session(params["cwd"])
                result = {"sessionId": "s1"}
            case "session/prompt":
                session.prompt("".join(part.get("text", "") for part in params["prompt"]))
                usage = {"inputTokens": 12, "outputTokens": 8, "totalTokens": 20}
                result = {"stopReason": "end_turn", "usage": usage}
        if "id" in request:
            send({"id": request["id"], "result": result})


if __name__ == "__main__":
    main()
