"""Real clients are recorded and, with upstream gone, replayed through a cassette on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from proxies.model_kit import (
    HELLO,
    JSON,
    NOWHERE,
    SSE,
    Ears,
    Reply,
    UntilLeft,
    Upstream,
    ask,
    connect,
    document,
    serving,
)
from runledger.ledger.usage import Usage
from runledger.proxies.model.server import ModelServer
from runledger.store.cassette.entry import AgentStamp
from runledger.store.cassette.load import load_cassette
from runledger.store.cassette.masking import masking_for
from runledger.store.cassette.recording import Recorder
from runledger.store.replay.player import Player
from scripted_model.server import ModelServer as ScriptedModel

PROMPT: Any = [{"role": "user", "content": "SCRIPT: write_file"}]
WRITE: Any = {
    "name": "Write",
    "description": "Write a file.",
    "input_schema": {
        "type": "object",
        "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}},
    },
}
FUNCTION: Any = {
    "type": "function",
    "function": {"name": "Write", "parameters": WRITE["input_schema"]},
}


class Tape:
    """A cassette on disk, to be recorded and replayed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.ears = Ears()

    @contextmanager
    def recording(self, upstream: str) -> Iterator[ModelServer]:
        """Serve what upstream says, and write it down."""
        recorder = Recorder(self._file, self._file.name, masking_for((), "5a17"))
        with serving(upstream, self.ears, recorder=recorder) as server:
            yield server
        recorder.commit()

    @contextmanager
    def replaying(self) -> Iterator[ModelServer]:
        """Serve what was written down, all of which must be used, and nothing else be asked."""
        self.ears = Ears()
        player = Player(load_cassette(self._file))
        with serving(NOWHERE, self.ears, player=player) as server:
            yield server
        assert self.ears.faults == []
        assert player.use().unused == 0

    def agent(self) -> AgentStamp | None:
        """Tell who was recorded."""
        return load_cassette(self._file).agent


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    """Give an empty cassette."""
    return Tape(tmp_path / "case.jsonl")


def anthropic_turns(url: str, stream: bool) -> list[str]:
    """Let the client of Anthropic talk until no tool is called any more."""
    talk, heard = list(PROMPT), []
    with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
        while True:
            asked: Any = {"model": "scripted", "max_tokens": 99, "messages": talk, "tools": [WRITE]}
            if stream:
                with client.messages.stream(**asked) as events:
                    heard += [one.to_json() for one in events]
                    message = events.get_final_message()
            else:
                message = client.messages.create(**asked)
                heard.append(message.to_json())
            uses = [block for block in message.content if block.type == "tool_use"]
            if not uses:
                return heard
            results = [{"type": "tool_result", "tool_use_id": use.id} for use in uses]
            said = [block.model_dump(exclude_none=True) for block in message.content]
            talk += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]


def openai_turns(url: str, stream: bool) -> list[str]:
    """Let the client of OpenAI ask once, and hear all of the answer."""
    asked: Any = {"model": "scripted", "messages": PROMPT, "tools": [FUNCTION], "stream": stream}
    with openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        answer: Any = client.chat.completions.create(**asked)
        return [one.to_json() for one in answer] if stream else [answer.to_json()]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("turns", [anthropic_turns, openai_turns])
def test_clients_hear_the_same_again(
    tape: Tape, turns: Callable[[str, bool], list[str]], stream: bool
) -> None:
    """Events of streams and documents are equal; so is what they used; all of it is asked for."""
    with ScriptedModel() as upstream, tape.recording(upstream.url) as server:
        recorded = turns(server.url, stream)
    usage = tape.ears.usage
    with tape.replaying() as server:
        replayed = turns(server.url, stream)

    assert replayed == recorded
    assert len(recorded) > (2 if stream else 0)
    assert usage
    assert tape.ears.usage == usage
    agent = tape.agent()
    assert agent is not None
    assert agent.name in ("Anthropic/Python", "OpenAI/Python")


def test_clients_side_by_side_hear_the_same_again(tape: Tape) -> None:
    """Requests that run at once are told apart by what they ask, not by when."""

    def ask_all(url: str) -> list[list[str]]:
        def one(number: int) -> list[str]:
            talk: Any = [{"role": "user", "content": f"question {number}"}]
            with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
                asked: Any = {"model": f"m{number}", "max_tokens": 9, "messages": talk}
                return [event.to_json() for event in client.messages.create(**asked, stream=True)]

        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(one, range(16)))

    with ScriptedModel() as upstream, tape.recording(upstream.url) as server:
        recorded = ask_all(server.url)
    with tape.replaying() as server:
        assert ask_all(server.url) == recorded


def test_raw_streams_are_equal_byte_for_byte(tape: Tape) -> None:
    """Whatever a stream holds comes back as it was: pings, comments, odd ends of lines, no end."""
    odd = (
        b": ping\n\n",
        b"data: caf\xc3\xa9\r\n\r\n",
        b"id: 1\ndata: a\ndata: b\n\n",
        b"data: torn",
    )
    with (
        Upstream([Reply(pieces=odd), Reply(pieces=HELLO)]) as upstream,
        tape.recording(upstream.url) as server,
    ):
        assert ask(server.url, body={"n": 1}).body == b"".join(odd)
        assert ask(server.url, body={"n": 2}).body == b"".join(HELLO)
    with tape.replaying() as server:
        assert ask(server.url, body={"n": 1}).body == b"".join(odd)
        assert ask(server.url, body={"n": 2}).body == b"".join(HELLO)


RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 0,
    "status": "completed",
    "model": "gpt-5",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "usage": {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 120,
    },
}


def test_the_responses_api_is_recorded_and_replayed(tape: Tape) -> None:
    """Its client hears the same events and the same document again."""
    ended = {"type": "response.completed", "sequence_number": 0, "response": RESPONSE}
    frame = f"event: response.completed\ndata: {json.dumps(ended)}\n\n".encode()

    def ask_both(url: str) -> list[str]:
        with openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
            events = client.responses.create(model="gpt-5", input="hi", stream=True)
            heard = [one.to_json() for one in events]
            return [*heard, client.responses.create(model="gpt-5", input="hi").to_json()]

    with (
        Upstream([Reply(pieces=[frame]), document(RESPONSE)]) as upstream,
        tape.recording(upstream.url) as server,
    ):
        recorded = ask_both(server.url)
    with tape.replaying() as server:
        assert ask_both(server.url) == recorded

    assert len(recorded) == 2
    assert tape.ears.usage == [Usage(100, 20, 0.000325, "gpt-5")] * 2


CHUNK = {
    "candidates": [{"content": {"parts": [{"text": "hi"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5},
    "modelVersion": "gemini-2.5-flash",
}
GEMINI = "/v1beta/models/gemini-2.5-flash"


def test_gemini_is_recorded_and_replayed(tape: Tape) -> None:
    """A document, a stream of events and an array that comes bit by bit are all the same again."""
    array = json.dumps([CHUNK, CHUNK]).encode()
    replies = [
        document(CHUNK),
        Reply(200, SSE, [f"data: {json.dumps(CHUNK)}\r\n\r\n".encode()]),
        Reply(200, JSON, [array[:50], array[50:]]),
    ]
    paths = [":generateContent", ":streamGenerateContent?alt=sse", ":streamGenerateContent"]

    def ask_all(url: str, key: str) -> list[bytes]:
        asked = {"contents": [{"parts": [{"text": "hello"}]}]}
        signed = [f"{path}{'&' if '?' in path else '?'}key={key}" for path in paths]
        return [ask(url, GEMINI + path, asked).body for path in signed]

    with Upstream(replies) as upstream, tape.recording(upstream.url) as server:
        recorded = ask_all(server.url, "AIzaRecorded")
    with tape.replaying() as server:
        assert ask_all(server.url, "none") == recorded

    assert tape.ears.usage == [Usage(10, 5, 0.0000155, "gemini-2.5-flash")] * 3


def test_tokens_are_counted_as_in_the_recording(tape: Tape) -> None:
    """A count of tokens is an answer like any other, and no usage."""

    def count(url: str) -> int:
        with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
            return client.messages.count_tokens(model="scripted", messages=PROMPT).input_tokens

    with ScriptedModel() as upstream, tape.recording(upstream.url) as server:
        recorded = count(server.url)
    with tape.replaying() as server:
        assert count(server.url) == recorded

    assert tape.ears.usage == []


def test_retries_of_a_client_do_not_use_up_recordings(tape: Tape) -> None:
    """What was limited once and then answered is recorded as answered, and replays at once."""
    limited = document({"error": {"message": "slow down"}}, 429, **{"retry-after-ms": "1"})
    reply = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": []}

    def say(url: str) -> str:
        with anthropic.Anthropic(base_url=url, api_key="k", max_retries=2) as client:
            return client.messages.create(model="m", max_tokens=1, messages=[]).to_json()

    with (
        Upstream([limited, document(reply)]) as upstream,
        tape.recording(upstream.url) as server,
    ):
        recorded = say(server.url)
    with tape.replaying() as server:
        assert say(server.url) == recorded


def test_a_client_that_left_and_asked_again_is_replayed(tape: Tape) -> None:
    """The part that it left is not kept as good: the whole answer that followed is."""
    with (
        Upstream([Reply(pieces=[HELLO[0], UntilLeft()]), Reply(pieces=HELLO)]) as upstream,
        tape.recording(upstream.url) as server,
    ):
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", b'{"n": 1}')
        connection.getresponse().read(10)
        connection.close()
        assert upstream.left.wait(30)
        assert ask(server.url, body={"n": 1}).body == b"".join(HELLO)
    with tape.replaying() as server:
        assert ask(server.url, body={"n": 1}).body == b"".join(HELLO)
