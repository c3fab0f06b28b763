"""A few words of ACP, spoken by hand: for peers that do what no well-made agent does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any

__all__ = ["ask", "call", "end", "json", "more", "offer", "open_session", "os", "prompted", "read"]
__all__ += ["reply", "say", "send", "signal", "subprocess", "sys", "think", "update"]

ONCE = [
    {"optionId": "yes!", "name": "Always", "kind": "allow_always"},
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def read() -> Any:
    """Wait for the next message."""
    line = sys.stdin.readline()
    return json.loads(line) if line else None


def send(**message: Any) -> None:
    """Write a message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def reply(request: Any, result: Any) -> None:
    """Answer a request."""
    send(id=request["id"], result=result)


def open_session(session: Any = None, **met: Any) -> tuple[Any, Any]:
    """Answer the greeting, and give what was asked in it."""
    hello = read()
    reply(hello, {"protocolVersion": 1, **met})
    new = read()
    reply(new, {"sessionId": "s1", **(session or {})})
    return hello, new


def prompted(**met: Any) -> Any:
    """Come as far as the first prompt, and give it."""
    open_session(**met)
    return read()


def update(what: str, **fields: Any) -> None:
    """Tell something of the session."""
    told = {"sessionUpdate": what, **fields}
    send(method="session/update", params={"sessionId": "s1", "update": told})


def say(text: str, **fields: Any) -> None:
    """Tell a piece of a message."""
    update("agent_message_chunk", content={"type": "text", "text": text}, **fields)


def think(text: str, **fields: Any) -> None:
    """Tell a piece of a thought."""
    update("agent_thought_chunk", content={"type": "text", "text": text}, **fields)


def call(id: str, title: str = "read", **fields: Any) -> None:
    """Tell of a new tool call."""
    update("tool_call", toolCallId=id, title=title, **fields)


def more(id: str, **fields: Any) -> None:
    """Tell more of a tool call."""
    update("tool_call_update", toolCallId=id, **fields)


def ask(method: str, **params: Any) -> Any:
    """Ask the other side for something, and wait for the answer."""
    send(id=f"ask {method}", method=method, params={"sessionId": "s1", **params})
    return read()


def offer(id: str, options: Any = ONCE, **fields: Any) -> str | None:
    """Ask for permission, and give the id of the option that was chosen."""
    told = {"toolCallId": id, **fields}
    answer = ask("session/request_permission", toolCall=told, options=options)
    chosen: str | None = answer["result"]["outcome"].get("optionId")
    return chosen


def end(prompt: Any, reason: str = "end_turn", **fields: Any) -> None:
    """End the turn of a prompt."""
    reply(prompt, {"stopReason": reason, **fields})
