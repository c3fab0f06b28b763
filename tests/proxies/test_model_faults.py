"""Faults on purpose: what an agent would meet one day, whenever a case asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import anthropic
import openai
import pytest

from proxies.model_kit import (
    HELLO,
    HELLO_USAGE,
    NOWHERE,
    Ears,
    FakePlayer,
    FakeRecorder,
    Reply,
    Upstream,
    ask,
    ask_until_cut,
    entry,
    serving,
)
from runledger.ledger.event import Log
from runledger.ledger.proxy import Fault

STREAM = {"model": "claude", "stream": True, "messages": []}


def player_of(*entries: Any) -> FakePlayer:
    """Record the same stream for each body."""
    return FakePlayer([entry(*HELLO, body=body) for body in entries])


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
    assert len(player.unused) == 1
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
    assert not player.unused


def test_clients_survive_a_rate_limit_by_trying_again() -> None:
    """The real clients retry on their own; the recording is used once."""
    ears, body = Ears(), {"model": "m", "max_tokens": 1, "messages": []}
    reply = {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": []}
    kept = entry(
        json.dumps(reply).encode(), body=body, headers={"content-type": "application/json"}
    )
    player = FakePlayer([kept])
    with serving(NOWHERE, ears, player=player, inject=fault(status=429)) as server:
        client = anthropic.Anthropic(base_url=server.url, api_key="k")
        message = client.messages.create(model="m", max_tokens=1, messages=[])
        client.close()

    assert message.id == "1"
    assert [request.retry for request in player.requests] == [True]
    assert not player.unused


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
        player = player_of()
        with (
            serving(NOWHERE, Ears(), player=player, inject=fault(malformed=True)) as server,
            pytest.raises((json.JSONDecodeError, anthropic.APIError, openai.APIError)),
        ):
            read(server.url, talk)
        assert not player.requests


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
