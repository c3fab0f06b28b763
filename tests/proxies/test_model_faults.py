"""Faults on purpose: what an agent would meet one day, whenever a case asks for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import anthropic
import openai
import pytest

from proxies.model_kit import (
    HELLO,
    HELLO_USAGE,
    JSON,
    LONG_S,
    NOWHERE,
    Ears,
    FakeRecorder,
    Reply,
    Upstream,
    ask,
    ask_until_cut,
    connect,
    entry,
    serving,
)
from runledger.ledger.event import Happening, Log
from runledger.ledger.proxy import Fault
from runledger.store.cassette.entry import ModelEntry
from runledger.store.cassette.load import Cassette
from runledger.store.replay.player import Player

STREAM = {"model": "claude", "stream": True, "messages": []}


def player_of(*bodies: Any) -> Player:
    """Record the same stream for each body."""
    return playing(*(entry(*HELLO, body=body) for body in bodies))


def playing(*entries: ModelEntry) -> Player:
    """Play a cassette with these answers."""
    lines = [replace(one, line=line) for line, one in enumerate(entries, start=1)]
    return Player(Cassette("c.jsonl", "0" * 64, (), models=tuple(lines)))


def fault(nth: int = 1, **does: Any) -> Iterable[Fault]:
    """Ask for one fault."""
    return [Fault("model", nth, **does)]


@pytest.mark.parametrize(
    ("status", "path", "kind"),
    [
        (429, "/v1/messages", "rate_limit_error"),
        (529, "/v1/messages", "overloaded_error"),
        (500, "/v1/messages", "api_error"),
        (429, "/v1/chat/completions", "rate_limit_error"),
        (503, "/v1/responses", "server_error"),
    ],
)
def test_a_status_is_said_in_the_words_of_the_api(status: int, path: str, kind: str) -> None:
    """The agent cannot tell it from the real thing; the trial goes on, and knows."""
    ears, player = Ears(), player_of(STREAM)
    with serving(NOWHERE, ears, player=player, inject=fault(status=status)) as server:
        got = ask(server.url, path, STREAM)

    assert got.status == status
    assert got.document["error"]["type"] == kind
    assert player.use().unused == 1
    assert not ears.faults
    told = {"kind": "model", "nth": 1, "do": {"status": status}}
    assert ears.logs == [Log("info", "fault injected", told)]


def test_gemini_has_words_of_its_own() -> None:
    """A rate limit is RESOURCE_EXHAUSTED there."""
    path = "/v1beta/models/gemini-2.5-pro:generateContent"
    with serving(NOWHERE, Ears(), player=player_of(), inject=fault(status=429)) as server:
        assert ask(server.url, path, {}).document["error"]["status"] == "RESOURCE_EXHAUSTED"


def test_only_the_nth_request_has_the_fault() -> None:
    """Those before and after are answered from the recording, in order; lists do not count."""
    ears, player = Ears(), player_of(STREAM, STREAM)
    with serving(NOWHERE, ears, player=player, inject=fault(2, status=529)) as server:
        ask(server.url, method="HEAD")
        statuses = [ask(server.url, body=STREAM).status for _ in range(3)]

    assert statuses == [200, 529, 200]
    assert not player.use().unused


SMALL = {"model": "m", "max_tokens": 1, "messages": []}


def said(name: str) -> ModelEntry:
    """Record a message of Anthropic's, known by its id."""
    reply = {"id": name, "type": "message", "role": "assistant", "model": "m", "content": []}
    return entry(json.dumps(reply).encode(), body=SMALL, headers=JSON)


@pytest.mark.parametrize(
    "inject",
    [
        fault(1, status=429),
        fault(2, status=529),
        fault(2, reset=True),
        [Fault("model", 2, reset=True), Fault("model", 3, status=500)],
    ],
)
def test_clients_survive_a_fault_by_trying_again(inject: Iterable[Fault]) -> None:
    """The real clients retry on their own, and hear each answer once, in its turn."""
    ears, player = Ears(), playing(said("heads"), said("tails"))
    with (
        serving(NOWHERE, ears, player=player, inject=inject) as server,
        anthropic.Anthropic(base_url=server.url, api_key="k") as client,
    ):
        heard = [client.messages.create(model="m", max_tokens=1, messages=[]).id for _ in range(2)]

    assert heard == ["heads", "tails"]
    assert not player.use().unused
    assert not ears.faults


def test_a_retry_without_a_fault_before_it_gets_the_same_answer_again() -> None:
    """What a fault leaves behind is for the next retry alone."""
    player = playing(said("heads"), said("tails"))
    with serving(NOWHERE, Ears(), player=player, inject=fault(2, status=429)) as server:
        tries = [
            ask(server.url, body=SMALL, headers={"x-stainless-retry-count": count})
            for count in ("0", "0", "1", "2")
        ]

    assert [one.document.get("id") for one in tries] == ["heads", None, "tails", "tails"]


def test_a_client_that_does_not_wait_for_a_delayed_answer_is_owed_it() -> None:
    """It left before its answer was looked for, so its retry is not for the answer before."""
    player, told = playing(said("heads"), said("tails")), Told()
    inject = fault(2, delay_ms=LONG_S * 1000)
    with serving(NOWHERE, Ears(told), player=player, inject=inject) as server:
        assert ask(server.url, body=SMALL).document["id"] == "heads"
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", json.dumps(SMALL), JSON)
        assert told.anything.wait(LONG_S)
        connection.close()
        again = ask(server.url, body=SMALL, headers={"x-stainless-retry-count": "1"})

    assert again.document["id"] == "tails"


class Told(list[Happening]):
    """What was told, which can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.anything = threading.Event()

    def append(self, one: Happening) -> None:
        """Hear one thing more."""
        super().append(one)
        self.anything.set()


def test_a_reset_comes_before_any_byte() -> None:
    """The connection breaks; nothing is used up."""
    player = player_of(STREAM)
    with serving(NOWHERE, Ears(), player=player, inject=fault(reset=True)) as server:
        with pytest.raises(ConnectionError):
            ask(server.url, body=STREAM)
        assert ask(server.url, body=STREAM).body == b"".join(HELLO)


@pytest.mark.parametrize("count", [0, 2, len(HELLO)])
def test_a_stream_is_cut_after_some_frames(count: int) -> None:
    """The answer begins as it should, and breaks off; the next request gets it whole."""
    ears, player = Ears(), player_of(STREAM)
    cut = fault(cut_after_frames=count)
    with serving(NOWHERE, ears, player=player, inject=cut) as server:
        assert ask_until_cut(server.url, body=STREAM) == b"".join(HELLO[:count])
        assert not ears.usage
        assert ask(server.url, body=STREAM).body == b"".join(HELLO)

    assert ears.usage == [HELLO_USAGE]


def test_a_cut_answer_is_recorded_as_far_as_it_came() -> None:
    """An agent that then asks for something else finds the cut one in replay, to be cut again."""
    ears, recorder = Ears(), FakeRecorder()
    with (
        Upstream([Reply(pieces=HELLO)] * 2) as upstream,
        serving(upstream.url, ears, recorder=recorder, inject=fault(cut_after_frames=2)) as server,
    ):
        assert ask_until_cut(server.url, body=STREAM) == b"".join(HELLO[:2])
        assert ask(server.url, body=STREAM).body == b"".join(HELLO)

    cut, whole = (entry.answer for entry in recorder.entries)
    assert (cut.frames, cut.partial) == (HELLO[:2], True)
    assert (whole.frames, whole.partial) == (HELLO, False)
    assert ears.usage == [HELLO_USAGE]


def test_a_delay_is_followed_by_the_answer_or_by_another_fault() -> None:
    """It comes first, whatever comes then."""
    inject = [Fault("model", 1, delay_ms=1), Fault("model", 2, delay_ms=1, status=500)]
    ears = Ears()
    with serving(NOWHERE, ears, player=player_of(STREAM), inject=inject) as server:
        assert ask(server.url, body=STREAM).body == b"".join(HELLO)
        assert ask(server.url, body=STREAM).status == 500

    assert len(ears.logs) == 2


def test_a_malformed_stream_breaks_the_clients_that_read_it() -> None:
    """The answer says 200, and then what no client can read."""
    talk: Any = [{"role": "user", "content": "x"}]
    for read in (read_anthropic, read_openai):
        ears = Ears()
        with (
            serving(NOWHERE, ears, player=player_of(), inject=fault(malformed=True)) as server,
            pytest.raises((json.JSONDecodeError, anthropic.APIError, openai.APIError)),
        ):
            read(server.url, talk)
        assert not ears.faults  # nobody looked for an answer, as there is none


def read_anthropic(url: str, talk: Any) -> None:
    """Read a stream with the client of Anthropic."""
    with anthropic.Anthropic(base_url=url, api_key="k", max_retries=0) as client:
        list(client.messages.create(model="m", max_tokens=1, messages=talk, stream=True))


def read_openai(url: str, talk: Any) -> None:
    """Read a stream with the client of OpenAI."""
    with openai.OpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
        list(client.chat.completions.create(model="m", messages=talk, stream=True))


def test_a_malformed_document_is_no_json() -> None:
    """It has the length that it says, and ends in the middle of a value."""
    with serving(NOWHERE, Ears(), player=player_of(), inject=fault(malformed=True)) as server:
        got = ask(server.url, body={"model": "m"})

    assert got.status == 200
    with pytest.raises(json.JSONDecodeError):
        json.loads(got.body)
