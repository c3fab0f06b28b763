"""What a model said, in the shapes of all APIs, as a stream and in one piece."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runledger.store.cassette.answer_words import Said, said_in
from runledger.store.cassette.entry import ModelAnswer


def stream(*values: Any) -> ModelAnswer:
    """Make a stream of these values."""
    frames = tuple(b"data: " + json.dumps(value).encode() + b"\n\n" for value in values)
    return ModelAnswer(200, {"content-type": "text/event-stream"}, (*frames, b"data: [DONE]\n\n"))


def whole(value: Any) -> ModelAnswer:
    """Make an answer in one piece."""
    return ModelAnswer(200, {}, (json.dumps(value, indent=2).encode(),))


def chat(**delta: Any) -> dict[str, Any]:
    """Make an event of Chat Completions."""
    return {"choices": [{"index": 0, "delta": delta}]}


def gemini(*parts: Any, **fields: Any) -> dict[str, Any]:
    """Make an answer of Gemini."""
    return {"candidates": [{"content": {"parts": list(parts)}}], **fields}


CALL = {"index": 0, "id": "c1", "function": {"name": "ls", "arguments": ""}}
MORE = {"index": 0, "function": {"arguments": '{"a":1}'}}
ITEM = {"type": "function_call", "call_id": "c1", "name": "ls", "arguments": '{"a":1}'}
USE = {"type": "tool_use", "id": "c1", "name": "ls", "input": {"a": 1}}
GEMINI_USE = {"promptTokenCount": 5, "candidatesTokenCount": 2}
FUNCTION = {"name": "ls", "arguments": '{"a":1}'}
MESSAGE = {"content": "hi there", "tool_calls": [{"id": "c1", "function": FUNCTION}]}

ANSWERS = {
    "chat, streamed": stream(
        chat(role="assistant", content="hi "),
        chat(content="there", reasoning_content="hm"),
        chat(tool_calls=[CALL]),
        chat(tool_calls=[MORE]),
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    ),
    "chat": whole(
        {
            "choices": [{"message": MESSAGE}],
            "usage": {"prompt_tokens": 5, "completion_tokens": 2},
        }
    ),
    "responses, streamed": stream(
        {"type": "response.output_text.delta", "output_index": 0, "delta": "hi "},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "there"},
        {"type": "response.output_item.added", "item": {**ITEM, "arguments": ""}},
        {"type": "response.output_item.done", "item": ITEM},
        {
            "type": "response.completed",
            "response": {"output": [ITEM], "usage": {"input_tokens": 5, "output_tokens": 2}},
        },
    ),
    "responses": whole(
        {
            "output": [{"content": [{"type": "output_text", "text": "hi there"}]}, ITEM],
            "usage": {"input_tokens": 5, "output_tokens": 2},
        }
    ),
    "messages": whole(
        {
            "content": [{"type": "text", "text": "hi there"}, USE],
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 2},
        }
    ),
    "gemini, streamed": stream(
        gemini({"text": "hm", "thought": True}),
        gemini({"text": "hi "}),
        gemini({"text": "there"}, {"functionCall": {"name": "ls", "args": {"a": 1}}}),
        gemini(usageMetadata=GEMINI_USE),
    ),
    "gemini": whole(
        gemini(
            {"text": "hi there"},
            {"functionCall": {"name": "ls", "args": {"a": 1}}},
            usageMetadata=GEMINI_USE,
        )
    ),
}


@pytest.mark.parametrize("api", ANSWERS)
def test_an_answer_is_told_in_words(api: str) -> None:
    """Its text without its thoughts, its calls with their arguments, each once, and its tokens."""
    said = said_in(ANSWERS[api])

    ((name, args),) = said.calls
    told = args if isinstance(args, dict) else json.loads(str(args))
    assert (said.text, name, told) == ("hi there", "ls", {"a": 1})
    assert (said.tokens_in, said.tokens_out) == (5, 2)


FIGURES: dict[str, tuple[Any, tuple[int, int]]] = {
    "thoughts of Gemini": (
        {"usageMetadata": {**GEMINI_USE, "thoughtsTokenCount": 90}},
        (5, 92),
    ),
    "tools of Gemini": ({"usageMetadata": {**GEMINI_USE, "toolUsePromptTokenCount": 7}}, (12, 2)),
    "a cache of Responses": (
        {"usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}}},
        (9, 0),
    ),
    "a cache of Anthropic": (
        {"usage": {"input_tokens": 1, "cache_creation_input_tokens": 6, "output_tokens": 3}},
        (7, 3),
    ),
    "nonsense": ({"usage": {"input_tokens": -1, "output_tokens": "many"}}, (0, 0)),
}


@pytest.mark.parametrize(("value", "tokens"), FIGURES.values(), ids=FIGURES)
def test_tokens_are_counted_as_they_are_metered(value: Any, tokens: tuple[int, int]) -> None:
    """Thoughts are paid for, and what is cached was read."""
    said = said_in(whole(value))

    assert (said.tokens_in, said.tokens_out) == tokens


@pytest.mark.parametrize("number", [0, 1, None])
def test_each_choice_has_its_own_calls(number: int | None) -> None:
    """Arguments come behind the name, under the number of the choice."""
    deltas = [{"tool_calls": [CALL]}, {"tool_calls": [MORE]}]
    index = {} if number is None else {"index": number}
    chunks = [{"choices": [{**index, "delta": delta}]} for delta in deltas]

    assert said_in(stream(*chunks)).calls == (("ls", '{"a":1}'),)


def test_a_list_of_chunks_is_read_as_a_stream() -> None:
    """So Gemini streams where it is not asked for events."""
    chunks = [gemini({"text": "hi "}), gemini({"text": "there"}, usageMetadata=GEMINI_USE)]

    assert said_in(whole(chunks)) == Said("hi there", (), 5, 2)


def test_a_call_without_arguments_has_empty_ones() -> None:
    """Not none at all."""
    assert said_in(whole({"content": [{**USE, "input": {}}]})).calls == (("ls", {}),)


def test_an_error_is_told_by_its_message() -> None:
    """As all APIs write it."""
    assert said_in(whole({"error": {"message": "busy"}})) == Said("busy")


@pytest.mark.parametrize("content", [b"", b"gone", b"[1]", b'{"content": 7}', b"\xff"])
def test_an_answer_of_an_unknown_shape_says_nothing(content: bytes) -> None:
    """Nothing is made up."""
    assert said_in(ModelAnswer(502, {}, (content,))) == Said()
