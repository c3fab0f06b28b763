"""Reading what proxies recorded: models, MCP servers, and what stands in short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runledger.errors import CassetteError
from runledger.store.cassette import expansion
from runledger.store.cassette.entry import McpEntry, ModelAnswer, ModelEntry
from runledger.store.cassette.load import Cassette, load_cassette, open_cassette
from runledger.store.cassette.shorthand import START, links_from, shown_link


def model(body: Any = None, **answer: Any) -> dict[str, Any]:
    """Write the line of a request to a model."""
    asked = {"method": "POST", "path": "/v1/messages"} | ({} if body is None else {"body": body})
    return {"v": 1, "kind": "model", "req": asked, "resp": {"status": 200, "text": "", **answer}}


def streamed(*frames: str, **answer: Any) -> dict[str, Any]:
    """Write the line of a request that was answered by a stream."""
    line = model(**{"sse": list(frames), **answer})
    del line["resp"]["text"]
    return line


def blob(id: str, value: Any) -> dict[str, Any]:
    """Write the line of a blob."""
    return {"v": 1, "kind": "blob", "id": id, "value": value}


def mcp(**fields: Any) -> dict[str, Any]:
    """Write the line of a request to an MCP server."""
    line = {"server": "fs", "req": {"method": "tools/call"}, "resp": {"result": 1}}
    return {"v": 1, "kind": "mcp", **line, **fields}


def known_by(*items: Any) -> str:
    """Give what a list of messages is known by."""
    return shown_link([*links_from(START, items)][-1])


def body_of(entry: ModelEntry) -> Any:
    """Give the body of a request to look into."""
    return entry.body


def read(directory: Path, *lines: dict[str, Any]) -> Cassette:
    """Write a cassette and read it."""
    file = directory / "c.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return load_cassette(file, "c.jsonl")


def refusal(directory: Path, *lines: dict[str, Any]) -> str:
    """Write a cassette and say why it is refused."""
    with pytest.raises(CassetteError) as error:
        read(directory, *lines)
    return str(error.value)


def test_a_request_to_a_model_has_its_answer_in_frames(tmp_path: Path) -> None:
    """Each event is one frame, with the moment when it came."""
    line = streamed("data: 1\n\n", "data: é\n\n", t=[0, 14])
    line["resp"]["headers"] = {"Content-Type": "text/event-stream; charset=utf-8"}

    (entry,) = read(tmp_path, line).models

    headers = {"content-type": "text/event-stream; charset=utf-8"}
    frames = (b"data: 1\n\n", "data: é\n\n".encode())
    answer = ModelAnswer(200, headers, frames, (0, 14))
    assert entry == ModelEntry(1, "POST", "/v1/messages", None, answer)


def test_the_contracts_own_example_is_read(tmp_path: Path) -> None:
    """A stream without headers is one all the same."""
    lines = [
        '{"v":1,"kind":"header","agent":{"name":"claude","version":"2.1.197"},"salt":"5a"}',
        '{"v":1,"kind":"blob","id":"b3f1","value":[]}',
        '{"v":1,"kind":"mcp","server":"fs","req":{"method":"tools/call","params":{}},'
        '"resp":{"result":{}}}',
        '{"v":1,"kind":"model","req":{"method":"POST","path":"/v1/messages","body":{"tools":'
        '{"$blob":"b3f1"}}},"resp":{"status":200,"headers":{},"sse":["event: a\\ndata: b\\n\\n"],'
        '"t":[0]}}',
    ]

    found = read(tmp_path, *map(json.loads, lines))

    assert found.servers == (McpEntry(3, "fs", "tools/call", {}, {"result": {}}),)
    assert found.models[0].body == {"tools": []}
    assert found.models[0].answer.is_stream


def test_a_request_to_a_server_may_have_no_reply(tmp_path: Path) -> None:
    """The agent cancelled it, or left before."""
    (entry,) = read(tmp_path, mcp(resp={})).servers

    assert entry.is_open


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ({"body": {"b": 1, "a": "é"}}, '{"b":1,"a":"é"}'.encode()),
        ({"text": "not {json"}, b"not {json"),
        ({"base64": "/w=="}, b"\xff"),
        ({"text": ""}, b""),
    ],
)
def test_an_answer_that_is_no_stream_is_one_piece(
    tmp_path: Path, answer: dict[str, Any], content: bytes
) -> None:
    """JSON is written without spaces, as it came."""
    line = model()
    line["resp"] = {"status": 404, **answer, "partial": True}

    (entry,) = read(tmp_path, line).models

    assert entry.answer == ModelAnswer(404, {}, (content,) if content else (), partial=True)


def test_a_request_to_a_server_has_what_was_said_around_it(tmp_path: Path) -> None:
    """Notifications before and after the reply are told in their order."""
    line = mcp(before=[{"method": "a"}], after=[{"method": "b"}, {"method": "c"}])

    (entry,) = read(tmp_path, line).servers

    assert entry.before == ({"method": "a"},)
    assert entry.after == ({"method": "b"}, {"method": "c"})


def test_blobs_and_continued_messages_are_written_out(tmp_path: Path) -> None:
    """A reader sees whole requests, and what they have in common is there once."""
    first = model({"system": {"$blob": "s"}, "messages": [{"n": 1}, {"n": 2}]})
    after = {"$after": known_by({"n": 1}, {"n": 2}), "keep": 1, "add": [{"$blob": "s"}]}

    found = read(tmp_path, blob("s", ["long"]), first, model({"messages": after})).models

    one, two = (body_of(entry) for entry in found)
    assert two == {"messages": [{"n": 1}, ["long"]]}
    assert one["messages"][0] is two["messages"][0]


def test_what_only_looks_short_is_escaped(tmp_path: Path) -> None:
    """An agent may speak of cassettes."""
    body = {"$plain": {"$blob": "x", "in": {"$plain": {"$after": 1}}}}

    assert read(tmp_path, model(body)).models[0].body == {"$blob": "x", "in": {"$after": 1}}


def test_blobs_that_nobody_uses_are_known(tmp_path: Path) -> None:
    """Those who look after a cassette want to hear of them."""
    file = tmp_path / "c.jsonl"
    lines = [blob("a", 1), blob("b", 2), model({"x": {"$blob": "b"}})]
    file.write_text("\n".join(map(json.dumps, lines)))

    found = open_cassette(file)

    assert (dict(found.blobs), found.unused_blobs) == ({"a": 1, "b": 2}, frozenset("a"))


WRONG = [
    ({"kind": "blob", "id": 7, "value": 1}, "'id' must be a text, not a number"),
    ({"kind": "blob", "id": "a"}, "the key 'value' is missing"),
    ({"kind": "blob", "id": "a", "value": {"$blob": "b"}}, "a blob refers to the blob 'b'"),
    ({"kind": "blob", "id": "b", "value": 2}, "the blob 'b' has another value on line 1"),
    (mcp(server=1), "'server' must be a text, not a number"),
    (mcp(req={}), "req: the key 'method' is missing"),
    (mcp(resp={"result": 1, "error": {}}), "resp: must have either 'result' or 'error'"),
    (mcp(resp={"resutl": 1}), "resp: unknown key 'resutl'; did you mean result?"),
    (mcp(before={}), "'before' must be a list, not an object"),
    (mcp(later=1), "unknown key 'later'"),
    (model({"a": {"$blob": "nope"}}), "there is no blob 'nope' above this line"),
    (model({"a": {"$blob": "b", "c": 1}}), '{"$blob":"b","c":1} should have $blob (a text)'),
    (model({"a": {"$after": "x"}}), "$after may stand only for messages, input, contents"),
    (model({"a": {"$plain": 1}}), '{"$plain":1} should have $plain (an object)'),
    (
        model({"messages": {"$after": "x", "keep": 1, "add": []}}),
        "goes on after the messages 'x', which no line above has: one was deleted or changed",
    ),
    (model({"messages": {"$after": "x"}}), '{"$after":"x"} should have $after (a text), keep'),
    (
        model({"messages": {"$after": known_by(1), "keep": 2, "add": []}}),
        f"keeps 2 of the 1 messages '{known_by(1)}'",
    ),
    (model(status=99), "resp: 'status' must be a number from 200 to 599, not 99"),
    (model(status=True), "resp: 'status' must be a number, not true or false"),
    (model(base64=""), "resp: must have one of sse, body, text, base64"),
    (model(t=[1, 2]), "resp: 't' has 2 items, and the answer has 1"),
    (model(text=1), "resp: 'text' must be a text, not a number"),
    (model(text="\ud800"), "resp: 'text' holds half a surrogate pair"),
    (model(headers={"set-cookie": "x"}), "resp: the header 'set-cookie' is not for cassettes"),
    (model(headers={"request-id": "a\r\nb: c"}), "resp: the header 'request-id' has signs"),
    (model(partial=1), "resp: 'partial' must be true or false, not a number"),
    (streamed("a", t=[1, 2]), "resp: 't' has 2 items, and the answer has 1"),
    (streamed("a", t=[-1]), "resp: 't' must be a list of milliseconds"),
    (streamed("\ud800"), "resp: 'sse' holds half a surrogate pair"),
    (
        streamed("a", headers={"content-type": "text/plain"}),
        "resp: 'sse' stands beside the content-type 'text/plain'",
    ),
]


@pytest.mark.parametrize(("line", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_line_is_refused_by_its_number(
    tmp_path: Path, line: dict[str, Any], message: str
) -> None:
    """The error says what is wrong on which line."""
    before = [blob("b", 1), model({"messages": [1]})]

    assert refusal(tmp_path, *before, {"v": 1, **line}).startswith(f"c.jsonl:3: {message}")


def test_base64_that_is_none_is_refused(tmp_path: Path) -> None:
    """Bytes are not guessed."""
    line = model()
    line["resp"] = {"status": 200, "base64": "?"}

    assert "'base64' is not base64" in refusal(tmp_path, line)


def test_a_small_file_cannot_grow_without_end(tmp_path: Path) -> None:
    """References to references are refused before memory or time run out."""
    big = blob("b", "x" * 100_000)
    lines = [model([{"$blob": "b"}] * 1000) for _ in range(12)]

    assert f"over {expansion.MOST_EXPANDED >> 20} MiB in short" in refusal(tmp_path, big, *lines)


def test_messages_that_grow_by_one_each_line_cannot_grow_without_end(tmp_path: Path) -> None:
    """Nor can a long chain of requests, each with all messages of the one before it."""
    first, further = "m" * 3_000_000, "n"
    link = [*links_from(START, [first])][-1]
    lines = [model({"messages": [first]})]
    for turn in range(1, 400):
        after = {"$after": shown_link(link), "keep": turn, "add": [further]}
        lines.append(model({"messages": after}))
        link = [*links_from(link, [further])][-1]

    assert "MiB in short" in refusal(tmp_path, *lines)


@pytest.mark.parametrize("levels", [150, 300])
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, levels: int) -> None:
    """Also when only blob and line together are too deep."""
    deep: Any = 1
    for _ in range(levels):
        deep = [deep]
    within: Any = {"$blob": "b"}
    for _ in range(100):
        within = [within]

    assert "nested too deeply, over 200 levels" in refusal(tmp_path, blob("b", deep), model(within))
