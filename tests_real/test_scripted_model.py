"""The scripted model itself, as a client without a stream sees it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import pytest

from scripted_model.script import CONTENT, REFUSAL
from scripted_model.server import ModelServer

TURN = {"role": "user", "content": "SCRIPT: write_file"}


def post(model: ModelServer, path: str, **body: Any) -> Any:
    """Send a request and read the answer."""
    data = json.dumps({"model": "m", **body}).encode()
    with urllib.request.urlopen(urllib.request.Request(model.url + path, data)) as answer:
        return json.load(answer)


def test_messages(model: ModelServer) -> None:
    """The Messages API calls the tool that was offered, and answers its result."""
    schema: Any = {"properties": {"file_path": {}, "content": {}}}
    tools = [{"name": "Write", "input_schema": schema}]

    asked = post(model, "/v1/messages", messages=[TURN], tools=tools)
    (call,) = asked["content"]
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call["id"]}]}
    answer = post(model, "/v1/messages", messages=[TURN, result], tools=tools)

    assert call["input"] == {"file_path": "made.txt", "content": CONTENT}
    assert asked["stop_reason"] == "tool_use"
    assert answer["content"] == [{"type": "text", "text": "I wrote made.txt."}]
    assert answer["usage"] == {"input_tokens": 100, "output_tokens": 20}


def test_chat_completions(model: ModelServer) -> None:
    """The Chat Completions API does the same in its own words."""
    function = {"name": "write", "parameters": {"properties": {"filePath": {}, "content": {}}}}
    tools = [{"type": "function", "function": function}]

    asked = post(model, "/v1/chat/completions", messages=[TURN], tools=tools)
    (call,) = asked["choices"][0]["message"]["tool_calls"]
    result = {"role": "tool", "tool_call_id": call["id"], "content": "done"}
    answer = post(model, "/v1/chat/completions", messages=[TURN, result], tools=tools)

    arguments = json.loads(call["function"]["arguments"])
    assert arguments == {"filePath": "made.txt", "content": CONTENT}
    assert answer["choices"][0]["message"]["content"] == "I wrote made.txt."
    assert answer["usage"]["total_tokens"] == 120


def test_a_prompt_in_natural_words(model: ModelServer) -> None:
    """A phrase chooses a script, too, and the call is in the words of the agent's own tools."""
    turn = {"role": "user", "content": "Say in README.md how to run the tests."}
    tools = [{"name": "Read", "input_schema": {"properties": {"file_path": {}}}}]

    (call,) = post(model, "/v1/messages", messages=[turn], tools=tools)["content"]

    assert (call["name"], call["input"]) == ("Read", {"file_path": "README.md"})


def test_a_request_on_the_side(model: ModelServer) -> None:
    """A request that offers no tools is no part of a script, whatever it quotes."""
    answer = post(model, "/v1/messages", messages=[TURN])

    assert answer["content"][0]["text"] == "Fine."


def test_a_refusal(model: ModelServer) -> None:
    """An error has the status and the shape that the API gives it."""
    turn = {"role": "user", "content": "SCRIPT: model_error"}
    tools = [{"name": "Write"}]

    with pytest.raises(urllib.error.HTTPError) as refused:
        post(model, "/v1/messages", messages=[turn], tools=tools)

    assert refused.value.code == 400
    assert json.load(refused.value)["error"]["message"] == REFUSAL
    refused.value.close()


def test_an_investigator_reads_what_it_is_told_of(model: ModelServer) -> None:
    """It calls for the file that the context names, and states what it is given of it."""
    block = "<some_context>\nlib/wait.py: Waiting.\n</some_context>"
    turn = {"role": "user", "content": f"{block}\n\nHow long?\n\nSCRIPT: investigate"}
    tools = [{"name": "Read", "input_schema": {"properties": {"file_path": {}}}}]

    asked = post(model, "/v1/messages", messages=[turn], tools=tools)
    (call,) = asked["content"]
    file = '1\t"""Waiting.\n2\t\n3\tIt waits for\n4\t5 seconds.\n5\t"""'
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": file}
    turns = [turn, {"role": "user", "content": [result]}]
    answer = post(model, "/v1/messages", messages=turns, tools=tools)

    assert call["input"] == {"file_path": "lib/wait.py"}
    assert answer["content"][0]["text"].splitlines() == [
        "Total tool calls made: 1",
        "Files read: 1",
        "Key findings:",
        "- It waits for 5 seconds.",
    ]


@pytest.mark.parametrize(
    ("notes", "type"), [("1\tgo ahead", "tool_use"), ("1\twait for me", "text")]
)
def test_what_a_file_says_decides(model: ModelServer, notes: str, type: str) -> None:
    """A script that looks before it acts does one thing or the other, by what it was given."""
    turn = {"role": "user", "content": "SCRIPT: decide"}
    tools = [{"name": "Read"}, {"name": "Write"}]

    (call,) = post(model, "/v1/messages", messages=[turn], tools=tools)["content"]
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": notes}
    turns = [turn, {"role": "user", "content": [result]}]
    (then,) = post(model, "/v1/messages", messages=turns, tools=tools)["content"]

    assert (call["name"], then["type"]) == ("Read", type)


def test_three_turns_in_chat_completions(model: ModelServer) -> None:
    """A script of several calls makes one after each result, and then answers."""
    tools = [{"type": "function", "function": {"name": name}} for name in ("write", "read", "bash")]
    messages: list[Any] = [{"role": "user", "content": "SCRIPT: three_turns"}]
    names = []
    for _ in range(3):
        answer = post(model, "/v1/chat/completions", messages=messages, tools=tools)
        (call,) = answer["choices"][0]["message"]["tool_calls"]
        names.append(call["function"]["name"])
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": "done"})
    answer = post(model, "/v1/chat/completions", messages=messages, tools=tools)

    assert names == ["write", "read", "bash"]
    assert answer["choices"][0]["message"]["content"].startswith("I wrote it")
