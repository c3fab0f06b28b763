"""The Messages API of Anthropic, as far as agents use it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from .script import (
    TOKENS_IN,
    TOKENS_OUT,
    Answer,
    Answered,
    Call,
    Conversation,
    Heard,
    Offer,
    Prompted,
    Stall,
    fill,
    follow,
)

Json: TypeAlias = dict[str, Any]

PATH = "/v1/messages"
PING = 'event: ping\ndata: {"type": "ping"}\n\n'


def read(body: Json) -> Conversation:
    """Read a request."""
    offers = tuple(_offer(tool) for tool in body.get("tools", ()))
    talk = Conversation(offers=offers, model=body["model"], stream=bool(body.get("stream")))
    return follow(talk, (one for message in body["messages"] for one in _heard(message)))


def whole(answer: Answer, talk: Conversation) -> Json:
    """Write an answer as one document."""
    return {
        "id": f"msg_{talk.place}",
        "type": "message",
        "role": "assistant",
        "model": talk.model,
        "content": _content(answer, talk),
        "stop_reason": "tool_use" if isinstance(answer, Call) else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
    }


def frames(answer: Answer, talk: Conversation) -> Iterator[str]:
    """Write an answer as events; one that stalls has no end."""
    message = whole(answer, talk)
    usage = {"input_tokens": TOKENS_IN, "output_tokens": 1}
    empty: Json = {"content": [], "stop_reason": None, "usage": usage}
    yield _event("message_start", message=message | empty)
    for index, block in enumerate(message["content"]):
        yield _event("content_block_start", index=index, content_block=_emptied(block))
        yield _event("content_block_delta", index=index, delta=_delta(block))
        if isinstance(answer, Stall):
            return
        yield _event("content_block_stop", index=index)
    reason = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=reason, usage={"output_tokens": TOKENS_OUT})
    yield _event("message_stop")


def error(message: str) -> Json:
    """Write an error as the API does."""
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def _heard(message: Json) -> Iterator[Heard]:
    if message["role"] != "user":
        return
    content = message["content"]
    text = [{"type": "text", "text": content}]
    blocks: Sequence[Json] = text if isinstance(content, str) else content
    for block in blocks:
        if block["type"] == "tool_result":
            yield Answered(block["tool_use_id"], _text(block.get("content", "")))
        elif block["type"] == "text":
            yield Prompted(block["text"])


def _text(content: str | list[Json]) -> str:
    if isinstance(content, str):
        return content
    return "".join(block["text"] for block in content if block["type"] == "text")


def _offer(tool: Json) -> Offer:
    return Offer(tool["name"], tuple(tool.get("input_schema", {}).get("properties", ())))


def _content(answer: Answer, talk: Conversation) -> list[Json]:
    if not isinstance(answer, Call):
        return [{"type": "text", "text": answer.text.replace("{prompts}", str(talk.prompts))}]
    return [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.args)}
        for call in fill(answer, talk)
    ]


def _emptied(block: Json) -> Json:
    return {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}


def _delta(block: Json) -> Json:
    if block["type"] == "text":
        return {"type": "text_delta", "text": block["text"]}
    return {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}


def _event(type: str, **fields: Any) -> str:
    return f"event: {type}\ndata: {json.dumps({'type': type, **fields})}\n\n"
