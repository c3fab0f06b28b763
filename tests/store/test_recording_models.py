"""Writing what proxies record: short, without secrets, and exactly as it was."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runledger.ledger.event import ToolCall, ToolResult
from runledger.store.cassette.entry import AgentStamp, McpEntry, ModelAnswer, ModelEntry
from runledger.store.cassette.flaws import flaws_in
from runledger.store.cassette.frames import read_frame
from runledger.store.cassette.load import Cassette, load_cassette
from runledger.store.cassette.masking import Masking, masking_for
from runledger.store.cassette.recording import Recorder
from runledger.store.schemas import read_schema

STREAM = {"content-type": "text/event-stream"}
NOTHING_TO_HIDE = Masking("5a17", lambda said: said, lambda value: False)


def asked(body: Any, answer: ModelAnswer | None = None, **fields: Any) -> ModelEntry:
    """Make a request to a model."""
    entry = ModelEntry(0, "POST", "/v1/messages", body, answer or ModelAnswer(200, {}, (b"ok",)))
    return replace(entry, **fields)


def recorded(
    file: Path, *entries: ModelEntry | McpEntry, masking: Masking = NOTHING_TO_HIDE
) -> Cassette:
    """Record entries, and read the cassette."""
    recorder = Recorder(file, "c.jsonl", masking)
    for entry in entries:
        _keep(recorder, entry)
    recorder.commit()
    return load_cassette(file)


def _keep(recorder: Recorder, entry: ModelEntry | McpEntry) -> None:
    if isinstance(entry, ModelEntry):
        recorder.keep_model(entry)
    else:
        recorder.keep_mcp(entry)


def body_of(entry: ModelEntry) -> Any:
    """Give the body of a request to look into."""
    return entry.body


def text_in(frame: bytes) -> str:
    """Read the piece of text in an event of the Messages API."""
    value: Any = read_frame(frame).value
    return str(value["delta"]["text"])


def lines_of(file: Path) -> list[dict[str, Any]]:
    """Read the lines of a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


LONG = "a long text " * 100
JSON_KEYS = st.sampled_from(["a", "b", "messages", "tools", "$blob", "$after", "$plain", "keep"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.just(2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from([LONG, LONG + "!", "\ud800", LONG * 3])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(JSON_KEYS, inner, max_size=4),
    max_leaves=12,
)
BODIES = VALUES | st.fixed_dictionaries(
    {"messages": st.lists(st.sampled_from([LONG, {"role": "user", "content": LONG}, 1, {}]))},
    optional={"tools": VALUES, "system": VALUES, "$plain": SCALARS, "stream": st.booleans()},
)
STREAMS = st.lists(st.binary(max_size=30), max_size=4).flatmap(
    lambda frames: st.builds(
        ModelAnswer,
        status=st.sampled_from([200, 201, 400, 404]),
        headers=st.just(STREAM),
        frames=st.just(tuple(frames)),
        t=st.just(tuple(range(len(frames)))),
    )
)
WHOLE = st.builds(
    ModelAnswer,
    status=st.just(200),
    headers=st.sampled_from([{}, {"content-type": "application/json", "retry-after": "1"}]),
    frames=st.binary(min_size=1, max_size=30).map(lambda content: (content,))
    | VALUES.map(lambda value: (json.dumps(value).encode(),))
    | VALUES.map(lambda value: (json.dumps(value, separators=(",", ":")).encode(),)),
    partial=st.booleans(),
)
MODELS = st.builds(asked, BODIES, STREAMS | WHOLE)
SERVERS = st.builds(
    McpEntry,
    line=st.just(0),
    server=st.text(max_size=3),
    method=st.text(max_size=3),
    params=VALUES,
    reply=st.dictionaries(st.sampled_from(["result", "error"]), VALUES, min_size=1, max_size=1),
    before=st.lists(VALUES, max_size=2).map(tuple),
    after=st.lists(VALUES, max_size=2).map(tuple),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(entries=st.lists(MODELS | SERVERS, max_size=6))
def test_what_was_kept_is_what_is_loaded(
    tmp_path: Path, entries: Sequence[ModelEntry | McpEntry]
) -> None:
    """Whatever was said: numbers keep their kind, bytes their value, objects their order."""
    kept = [one for one in entries if not (isinstance(one, ModelEntry) and one.answer.partial)]

    found = recorded(tmp_path / "c.jsonl", *kept)

    models = [one for one in kept if isinstance(one, ModelEntry)]
    assert repr([replace(one, line=0) for one in found.models]) == repr(models)
    servers = [one for one in kept if isinstance(one, McpEntry)]
    assert repr([replace(one, line=0) for one in found.servers]) == repr(servers)


def test_lines_are_those_of_the_contract(tmp_path: Path) -> None:
    """The header first, then entries in the order in which they were kept."""
    recorder = Recorder(tmp_path / "c.jsonl", "c.jsonl", NOTHING_TO_HIDE, {"workspace": "/w/x"})
    recorder.meet(AgentStamp("claude-cli", "2.1.197"))
    recorder.meet(AgentStamp("other", "1"))
    stream = ModelAnswer(200, STREAM, (b"event: a\ndata: {}\n\n",), (14,))
    recorder.keep_model(asked({"q": "in /w/x/y"}, stream))
    recorder.keep(ToolCall("search", "c1", {"q": 1}), ToolResult("c1", True, 2))
    recorder.keep_mcp(McpEntry(0, "fs", "tools/list", None, {"result": {}}))
    use = recorder.commit()

    agent = {"name": "claude-cli", "version": "2.1.197"}
    assert lines_of(tmp_path / "c.jsonl") == [
        {"v": 1, "kind": "header", "agent": agent, "places": {"workspace": "/w/x"}},
        {
            "v": 1,
            "kind": "model",
            "req": {"method": "POST", "path": "/v1/messages", "body": {"q": "in /w/x/y"}},
            "resp": {
                "status": 200,
                "headers": {"content-type": "text/event-stream"},
                "sse": ["event: a\ndata: {}\n\n"],
                "t": [14],
            },
        },
        {"tool": "search", "args": {"q": 1}, "ok": True, "result": 2},
        {
            "v": 1,
            "kind": "mcp",
            "server": "fs",
            "req": {"method": "tools/list"},
            "resp": {"result": {}},
        },
    ]
    assert (use.entries, use.used) == (3, 3)


def test_a_place_that_nobody_speaks_of_is_not_told(tmp_path: Path) -> None:
    """A cassette holds no more of a machine than it must."""
    recorder = Recorder(tmp_path / "c.jsonl", "c.jsonl", NOTHING_TO_HIDE, {"home": "/home/me"})
    recorder.keep_model(asked({"q": "elsewhere"}))
    recorder.commit()

    assert load_cassette(tmp_path / "c.jsonl").places == {}


def test_headers_and_keys_of_paths_are_never_stored(tmp_path: Path) -> None:
    """Only what a client acts upon is kept of an answer, and no key of an address."""
    headers = {"Content-Type": "text/plain", "set-cookie": "x", "retry-after": "2"}
    entry = asked(None, ModelAnswer(200, headers, (b"ok",)), path="/v1beta/m:go?alt=sse&key=AIz")

    (found,) = recorded(tmp_path / "c.jsonl", entry).models

    assert found.path == "/v1beta/m:go?alt=sse"
    assert found.answer.headers == {"content-type": "text/plain", "retry-after": "2"}


@pytest.mark.parametrize("status", [408, 409, 429, 500, 529])
def test_an_error_after_which_the_client_asked_again_is_left_out(
    tmp_path: Path, status: int
) -> None:
    """Replay needs only the answer that it got in the end."""
    failed = asked({"q": 1}, ModelAnswer(status, {}, (b"busy",)))
    other = asked({"q": 2}, ModelAnswer(status, {}, (b"busy",)))

    found = recorded(tmp_path / "c.jsonl", failed, other, asked({"q": 1})).models

    assert [(one.body, one.answer.status) for one in found] == [({"q": 2}, status), ({"q": 1}, 200)]


def test_half_an_answer_is_marked_and_stands_beside_the_whole_one(tmp_path: Path) -> None:
    """It tells that the agent left and asked again, as it will in replay."""
    half = asked({"q": 1}, ModelAnswer(200, {}, (b"ha",), partial=True))
    found = recorded(tmp_path / "c.jsonl", half, asked({"q": 1})).models

    assert [entry.answer.partial for entry in found] == [True, False]


def test_equal_requests_with_good_answers_are_all_kept(tmp_path: Path) -> None:
    """The n-th of them gets the n-th answer."""
    first, second = (asked({"q": 1}, ModelAnswer(200, {}, (text,))) for text in (b"a", b"b"))

    found = recorded(tmp_path / "c.jsonl", first, second).models

    assert [one.answer.frames for one in found] == [(b"a",), (b"b",)]


def test_what_every_request_has_stands_once(tmp_path: Path) -> None:
    """Tools and system prompts are blobs, each just before the first line that needs it."""
    turns = [asked({"tools": [LONG], "system": LONG + "!", "n": turn}) for turn in range(3)]

    recorded(tmp_path / "c.jsonl", *turns)

    lines = lines_of(tmp_path / "c.jsonl")
    assert [line["kind"] for line in lines] == ["blob", "blob", "model", "model", "model"]
    assert lines[4]["req"]["body"] == {
        "tools": {"$blob": lines[0]["id"]},
        "system": {"$blob": lines[1]["id"]},
        "n": 2,
    }


def test_of_a_system_prompt_that_changes_only_what_stays_is_a_blob(tmp_path: Path) -> None:
    """A line that varies must not make the long rest of it stand there again and again."""
    turns = [asked({"system": [{"text": f"id {turn}"}, {"text": LONG}]}) for turn in range(3)]

    recorded(tmp_path / "c.jsonl", *turns)

    blob, *models = lines_of(tmp_path / "c.jsonl")
    assert models[2]["req"]["body"] == {"system": [{"text": "id 2"}, {"$blob": blob["id"]}]}


def test_a_conversation_is_written_as_what_it_added(tmp_path: Path) -> None:
    """Also when the client changes its last message, as claude does with its cache marks."""
    first = {"role": "user", "content": LONG}
    asked_first = {"messages": [first, {"role": "user", "content": "go", "cache": True}]}
    then = [first, {"role": "user", "content": "go"}, {"role": "assistant", "content": "ok"}]

    recorded(tmp_path / "c.jsonl", asked(asked_first), asked({"messages": then}))

    messages = lines_of(tmp_path / "c.jsonl")[1]["req"]["body"]["messages"]
    assert (messages["keep"], messages["add"]) == (1, then[1:])


def test_a_session_of_twenty_turns_stays_small(tmp_path: Path) -> None:
    """With 110 KB of tools and system prompt in each request, and long results of tools."""
    words = random.Random(6)
    tools = [{"name": f"t{n}", "description": _prose(words, 4000)} for n in range(20)]
    system = [{"type": "text", "text": _prose(words, 30_000)}]
    messages: list[Any] = [{"role": "user", "content": _prose(words, 500)}]
    entries = []
    for turn in range(20):
        marked = [*messages[:-1], {**messages[-1], "cache_control": {"type": "ephemeral"}}]
        body = {"model": "m", "tools": tools, "system": system, "messages": marked}
        said = _prose(words, 300)
        frames = [_delta(said[start : start + 20]) for start in range(0, 300, 20)]
        entries.append(asked(body, ModelAnswer(200, STREAM, tuple(frames), tuple(range(15)))))
        messages.append({"role": "assistant", "content": [{"type": "text", "text": said}]})
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": _prose(words, 3000)}
        messages.append({"role": "user", "content": [result]})

    found = recorded(tmp_path / "c.jsonl", *entries)

    assert len(json.dumps([one.body for one in entries])) > 2_500_000
    assert (tmp_path / "c.jsonl").stat().st_size < 300_000
    assert [one.body for one in found.models] == [one.body for one in entries]


def _prose(words: random.Random, length: int) -> str:
    return "".join(words.choice("abcdefghij ") for _ in range(length))


def _delta(text: str, block: int = 0) -> bytes:
    delta = {"type": "text_delta", "text": text}
    value = {"type": "content_block_delta", "index": block, "delta": delta}
    return b"event: content_block_delta\ndata: " + json.dumps(value).encode() + b"\n\n"


KEY = "sk-live-Zx81kQpW72mN"
MASKING = masking_for([KEY], "5a17")


def chat(text: str) -> bytes:
    """Write an event of Chat Completions."""
    value = {"choices": [{"index": 0, "delta": {"content": text}}]}
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def arguments(text: str) -> bytes:
    """Write an event of Chat Completions with arguments of a tool."""
    call = {"index": 1, "function": {"arguments": text}}
    value = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def response(text: str) -> bytes:
    """Write an event of Responses."""
    value = {"type": "response.output_text.delta", "output_index": 0, "delta": text}
    return b"event: x\ndata: " + json.dumps(value).encode() + b"\n\n"


def gemini(text: str) -> bytes:
    """Write an event of Gemini."""
    value = {"candidates": [{"content": {"parts": [{"text": text}]}}]}
    return b"data: " + json.dumps(value).encode() + b"\r\n\r\n"


def thinking(text: str) -> bytes:
    """Write an event of Anthropic with a thought."""
    delta = {"type": "thinking_delta", "thinking": text}
    value = {"type": "content_block_delta", "index": 1, "delta": delta}
    return b"data: " + json.dumps(value).encode() + b"\n\n"


@pytest.mark.parametrize("frame", [_delta, chat, arguments, response, gemini, thinking])
def test_a_secret_said_piece_by_piece_is_hidden(tmp_path: Path, frame: Any) -> None:
    """The redacted text is said in the first piece; other events stay byte for byte."""
    others = (b": ping\n\n", b"data: [DONE]\n\n", _delta("in another block", 7))
    said = [frame(text) for text in ("the key is ", KEY[:6], KEY[6:12], KEY[12:], ", keep it")]
    answer = ModelAnswer(200, STREAM, (others[0], *said, *others[1:]))
    file = tmp_path / "c.jsonl"

    found = recorded(file, asked({"key": KEY}, answer), masking=MASKING)

    content = file.read_text()
    assert all(part not in content for part in (KEY, KEY[:8], KEY[6:12], KEY[12:]))
    frames = found.models[0].answer.frames
    assert (frames[0], *frames[6:]) == others
    hidden = body_of(found.models[0])["key"]
    assert f"the key is {hidden}, keep it".encode() in frames[1]
    assert found.salt == "5a17"


def test_what_was_recorded_has_no_secrets_for_lint_to_find(tmp_path: Path) -> None:
    """The same rules look at what is kept, and at what was."""
    said = [_delta(text) for text in ("password: ", "hun", "ter22-x", f" {KEY[:5]}", KEY[5:])]
    entry = asked({"password": "hunter22-x", "n": KEY}, ModelAnswer(200, STREAM, tuple(said)))
    recorded(tmp_path / "c.jsonl", entry, masking=MASKING)

    assert flaws_in(tmp_path / "c.jsonl", [KEY, "hunter22-x"]) == []


def test_half_a_placeholder_is_never_made_of_a_stream(tmp_path: Path) -> None:
    """An agent that reads the stream again, in replay, sees one whole placeholder."""
    said = [_delta(KEY[start : start + 4]) for start in range(0, len(KEY), 4)]

    found = recorded(
        tmp_path / "c.jsonl", asked({}, ModelAnswer(200, STREAM, tuple(said))), masking=MASKING
    )

    texts = [text_in(frame) for frame in found.models[0].answer.frames]
    assert texts[0].startswith("[REDACTED:env:")
    assert set(texts[1:]) == {""}


def test_the_schema_knows_every_line_that_is_written(tmp_path: Path) -> None:
    """Those of models and servers, too."""
    from jsonschema import Draft202012Validator

    server = McpEntry(0, "fs", "x", {}, {"error": {"code": 1}}, ({"method": "n"},), ({},))
    half = ModelAnswer(200, {"retry-after": "1"}, (b"\xff",), partial=True)
    whole = ModelAnswer(200, {}, (b'{"a":1}',))
    stream = ModelAnswer(200, STREAM, (b"data: 1\n\n",), (3,))
    messages = [{"content": LONG}]
    recorder = Recorder(tmp_path / "c.jsonl", "c.jsonl", NOTHING_TO_HIDE, {"home": "/h"})
    recorder.meet(AgentStamp("a", "1"))
    for answer in (half, whole, stream):
        recorder.keep_model(asked({"system": LONG, "messages": messages, "n": "/h"}, answer))
        messages = [*messages, {"content": "more"}]
    recorder.keep_mcp(server)
    recorder.commit()

    schema = Draft202012Validator(read_schema("cassette"))
    lines = lines_of(tmp_path / "c.jsonl")
    assert [line["kind"] for line in lines] == ["header", "blob", *["model"] * 3, "mcp"]
    assert [[*schema.iter_errors(line)] for line in lines] == [[]] * len(lines)


def test_answers_that_are_kept_at_once_are_all_kept(tmp_path: Path) -> None:
    """Servers of several kinds record from threads of their own."""
    recorder = Recorder(tmp_path / "c.jsonl", "c.jsonl", NOTHING_TO_HIDE)

    def keep(number: int) -> None:
        recorder.keep_model(asked({"n": number, "system": LONG}))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(keep, range(200)))
    recorder.commit()

    found = load_cassette(tmp_path / "c.jsonl").models
    assert sorted(body_of(one)["n"] for one in found) == [*range(200)]


@pytest.mark.parametrize("levels", [50, 198])
def test_what_is_nested_deeply_is_kept(tmp_path: Path, levels: int) -> None:
    """As deeply as a message may be, also where all of it has to be escaped."""
    deep: Any = 1
    for _ in range(levels):
        deep = {"$blob": deep}

    (found,) = recorded(tmp_path / "c.jsonl", asked({"a": deep})).models

    assert found.body == {"a": deep}


def test_secrets_are_hidden_wherever_they_stand(tmp_path: Path) -> None:
    """In requests and answers of every kind, also under names that tell."""
    answer = ModelAnswer(200, {"request-id": KEY}, (json.dumps({"a": [KEY]}, indent=1).encode(),))
    text = ModelAnswer(200, {}, (f"plain {KEY}".encode(),))
    event = ModelAnswer(200, STREAM, (f"event: {KEY}\ndata: {KEY}\n\n".encode(),))
    server = McpEntry(
        0, "fs", "x", {"q": KEY}, {"result": KEY}, ({"p": KEY},), ({"password": "hunter22"},)
    )
    entries: list[ModelEntry | McpEntry] = [
        asked({"messages": [{"content": f"my key: {KEY}"}]}, answer, path=f"/{KEY}"),
        asked("hunter22", text),
        asked(None, event),
        server,
    ]
    file = tmp_path / "c.jsonl"

    found = recorded(file, *entries, masking=MASKING)

    assert KEY not in file.read_text()
    assert "hunter22" not in file.read_text()
    assert (len(found.models), len(found.servers)) == (3, 1)


def test_a_schema_that_describes_a_secret_is_no_secret(tmp_path: Path) -> None:
    """Tools have parameters for keys, and what they are for may be told."""
    key = {"type": "string", "description": "The key to use for the service"}
    body = {"tools": [{"input_schema": {"properties": {"api_key": key}}}], "note": key}

    found = recorded(tmp_path / "c.jsonl", asked(body), masking=MASKING)

    assert (found.models[0].body, found.salt) == (body, None)


def test_entries_stand_in_the_order_in_which_they_were_asked(tmp_path: Path) -> None:
    """Not in that in which they were answered: `order: strict` is about asking."""
    recorder = Recorder(tmp_path / "c.jsonl", "c.jsonl", NOTHING_TO_HIDE)
    first, second = recorder.turn(), recorder.turn()
    recorder.keep_model(asked("second"), second)
    recorder.keep_model(asked("first"), first)
    recorder.commit()

    assert [one.body for one in load_cassette(tmp_path / "c.jsonl").models] == ["first", "second"]


def test_a_proxy_is_named_where_an_entry_has_one(tmp_path: Path) -> None:
    """An error of one is not taken back by a success of another."""
    limited = ModelAnswer(429, {}, (b"slow",))
    entries = [asked("a", limited, via="ONE"), asked("a", via="TWO"), asked("a")]

    found = recorded(tmp_path / "c.jsonl", *entries).models

    assert [one.via for one in found] == ["ONE", "TWO", None]
    schema = read_schema("cassette")
    lines = lines_of(tmp_path / "c.jsonl")
    assert [line["req"].get("via") for line in lines] == ["ONE", "TWO", None]
    assert schema["then"]["allOf"][3]["then"]["properties"]["req"]["properties"]["via"]
