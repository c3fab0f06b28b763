"""The Chat Completions API of OpenAI, as far as agents use it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

from .script import (
    TOKENS_IN,
    TOKENS_OUT,
    Answer,
    Answered,
    Call,
    Conversation,
    Filled,
    Heard,
    Offer,
    Prompted,
    Stall,
    fill,
    follow,
)

Json: TypeAlias = dict[str, Any]

PATH = "/v1/chat/completions"
PING = ": still here\n\n"
USAGE = {
    "prompt_tokens": TOKENS_IN,
    "completion_tokens": TOKENS_OUT,
    "total_tokens": TOKENS_IN + TOKENS_OUT,
}


def read(body: Json) -> Conversation:
    """Read a request."""
    offers = tuple(_offer(tool["function"]) for tool in body.get("tools", ()))
    talk = Conversation(offers=offers, model=body["model"], stream=bool(body.get("stream")))
    return follow(talk, (one for message in body["messages"] for one in _heard(message)))


def whole(answer: Answer, talk: Conversation) -> Json:
    """Write an answer as one document."""
    choice = {"index": 0, "message": _message(answer, talk), "finish_reason": _reason(answer)}
    return {**_head(talk), "object": "chat.completion", "choices": [choice], "usage": USAGE}


def frames(answer: Answer, talk: Conversation) -> Iterator[str]:
    """Write an answer as chunks; one that stalls has no end."""
    yield _chunk(talk, choices=[_choice(_message(answer, talk))])
    if isinstance(answer, Stall):
        return
    yield _chunk(talk, choices=[_choice({}, _reason(answer))])
    yield _chunk(talk, choices=[], usage=USAGE)
    yield "data: [DONE]\n\n"


def error(message: str) -> Json:
    """Write an error as the API does."""
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _heard(message: Json) -> Iterator[Heard]:
    if message["role"] == "tool":
        yield Answered(message["tool_call_id"], _text(message["content"]))
    if message["role"] != "user":
        return
    content = message["content"]
    if isinstance(content, str):
        yield Prompted(content)
        return
    yield from (Prompted(part["text"]) for part in content if part["type"] == "text")


def _text(content: str | list[Json]) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def _offer(function: Json) -> Offer:
    return Offer(function["name"], tuple(function.get("parameters", {}).get("properties", ())))


def _message(answer: Answer, talk: Conversation) -> Json:
    if not isinstance(answer, Call):
        text = answer.text.replace("{prompts}", str(talk.prompts))
        return {"role": "assistant", "content": text}
    calls = [_call(call, index) for index, call in enumerate(fill(answer, talk))]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _call(call: Filled, index: int) -> Json:
    function = {"name": call.name, "arguments": json.dumps(dict(call.args))}
    return {"index": index, "id": call.id, "type": "function", "function": function}


def _reason(answer: Answer) -> str:
    return "tool_calls" if isinstance(answer, Call) else "stop"


def _choice(delta: Json, reason: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "finish_reason": reason}


def _head(talk: Conversation) -> Json:
    return {"id": f"chatcmpl-{talk.place}", "created": 0, "model": talk.model}


def _chunk(talk: Conversation, **fields: Any) -> str:
    chunk = {**_head(talk), "object": "chat.completion.chunk", **fields}
    return f"data: {json.dumps(chunk)}\n\n"
