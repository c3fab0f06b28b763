"""Replay: what was recorded is said again, byte for byte, and nothing is asked of the world."""

from __future__ import annotations

import asyncio
import http.client
import json
import selectors
from collections.abc import Mapping
from typing import Any

import pytest

from proxies.model_kit import (
    HELLO,
    HELLO_USAGE,
    JSON,
    NOWHERE,
    SSE,
    Ears,
    FakePlayer,
    ask,
    ask_until_cut,
    connect,
    entry,
    proxy,
    replaying,
    serving,
)
from runledger.proxies.model import open_model
from runledger.proxies.model.asked import Asked
from runledger.proxies.model.meter import Meter
from runledger.proxies.model.outlet import Outlet
from runledger.proxies.model.replay import Replay
from runledger.store.cassette.entry import AgentStamp

ASKED = {"model": "claude", "stream": True, "messages": []}


def test_a_stream_is_said_again_byte_for_byte() -> None:
    """Status, headers and every frame are as they were."""
    ears = Ears()
    with replaying(
        [entry(*HELLO, body=ASKED, headers={**SSE, "request-id": "r1"})], ears
    ) as server:
        got = ask(server.url, body=ASKED)

    assert (got.status, got.body) == (200, b"".join(HELLO))
    assert got.headers["content-type"] == "text/event-stream"
    assert got.headers["request-id"] == "r1"
    assert got.headers["transfer-encoding"] == "chunked"
    assert ears.usage == [HELLO_USAGE]
    assert not ears.faults


def test_a_document_has_its_length_and_its_status() -> None:
    """What was no stream is none again."""
    kept = entry(b'{"error": {}}', status=429, headers={**JSON, "retry-after": "1"})
    with replaying([kept], Ears()) as server:
        got = ask(server.url)

    assert (got.status, got.body) == (429, b'{"error": {}}')
    assert got.headers["content-length"] == "13"
    assert got.headers["retry-after"] == "1"


def test_an_empty_answer_is_empty_again() -> None:
    """An answer without a body replays too."""
    with replaying([entry(status=202, headers={})], Ears()) as server:
        got = ask(server.url)

    assert (got.status, got.body, got.headers["content-length"]) == (202, b"", "0")


def test_every_path_is_replayed() -> None:
    """An API that nobody knows here is recorded and replayed like any other."""
    with replaying([entry(b"pong", path="/odd/path?x=1", headers={})], Ears()) as server:
        assert ask(server.url, "/odd/path?x=1").body == b"pong"


def test_who_asks_and_whether_again_is_told() -> None:
    """The player hears of the agent's version and of the retries of its client."""
    ears, player = Ears(), FakePlayer([entry(*HELLO), entry(*HELLO)])
    sent = {"user-agent": "claude-cli/2.1.197 (external, cli)", "x-stainless-retry-count": "1"}
    with serving(NOWHERE, ears, player=player) as server:
        ask(server.url, headers=sent)
        ask(server.url, headers={"user-agent": "node", "x-stainless-retry-count": "0"})

    first, second = player.requests
    assert (first.agent, first.retry) == (AgentStamp("claude-cli", "2.1.197"), True)
    assert (second.agent, second.retry) == (None, False)


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("/v1/messages?beta=true", {"type": "invalid_request_error"}),
        ("/v1/chat/completions", {"type": "invalid_request_error", "code": None, "param": None}),
        ("/v1/responses", {"type": "invalid_request_error", "code": None, "param": None}),
        (
            "/v1beta/models/gemini-2.5-pro:generateContent",
            {"code": 400, "status": "INVALID_ARGUMENT"},
        ),
    ],
)
def test_a_miss_ends_the_trial_and_is_said_in_the_words_of_the_api(
    path: str, error: Mapping[str, Any]
) -> None:
    """The agent gets an error that it does not try again; the trial gets the miss itself."""
    ears = Ears()
    with replaying([], ears) as server:
        got = ask(server.url, path, ASKED)

    assert got.status == 400
    assert got.headers["x-should-retry"] == "false"
    said = got.document["error"]
    assert "no recorded answer" in said.pop("message")
    assert said == error
    (fault,) = ears.faults
    assert fault.kind == "cassette_miss"


def test_a_part_is_played_to_where_it_ended_and_then_cut() -> None:
    """An answer that was never whole does not pretend to be."""
    ears, player = Ears(), FakePlayer([entry(*HELLO[:3], partial=True)])
    with serving(NOWHERE, ears, player=player) as server:
        assert ask_until_cut(server.url) == b"".join(HELLO[:3])

    assert not player.unused
    assert not ears.usage


def test_an_answer_that_never_began_is_cut_before_any_byte() -> None:
    """A client that left before it was answered gets no head that it never saw."""
    left = entry(headers={}, partial=True)
    with replaying([left], Ears()) as server, pytest.raises(http.client.RemoteDisconnected):
        ask(server.url)


def test_an_answer_that_the_client_does_not_wait_for_is_given_back() -> None:
    """A client that leaves before all was written finds its answer again."""
    large = b"data: " + b"x" * (32 << 20) + b"\n\n"
    ears, player = Ears(), FakePlayer([entry(HELLO[0], large, HELLO[-1])])
    with serving(NOWHERE, ears, player=player) as server:
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", b"")
        connection.getresponse().read(10)
        connection.close()
        assert player.given_back.wait(30)

    assert len(player.unused) == 1


def test_a_client_that_leaves_at_the_last_event_has_had_its_answer() -> None:
    """What follows the last event is nothing that it would wait for; usage is told before."""
    ears, player = Ears(), FakePlayer([entry(*HELLO, b": bye\n\n", t=(*[0] * 6, 10**7))])
    late = open_model(proxy(latency="recorded"), ears.station(player=player))
    with late as server:
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", b"")
        whole = b"".join(HELLO)
        assert connection.getresponse().read(len(whole)) == whole
        connection.close()

    assert ears.usage == [HELLO_USAGE]
    assert not player.given_back.is_set()


def test_a_document_that_the_client_does_not_wait_for_is_given_back() -> None:
    """Its one piece is not out before the last byte is."""
    large = b'"%s"' % (b"x" * (32 << 20))
    ears, player = Ears(), FakePlayer([entry(large, headers=JSON)])
    with serving(NOWHERE, ears, player=player) as server:
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", b"")
        connection.getresponse().read(10)
        connection.close()
        assert player.given_back.wait(30)


def test_answers_come_as_slowly_as_they_were_recorded_where_that_is_wanted() -> None:
    """Each frame waits for its moment on the clock of the loop, which is skipped forward here."""
    kept = entry(*HELLO[:3], t=(100, 100, 2500))
    slow = Replay(proxy(latency="recorded"), FakePlayer([kept]), Meter(print))  # type: ignore[arg-type]
    at_once = Replay(proxy(), FakePlayer([kept]), Meter(print))  # type: ignore[arg-type]

    assert moments(slow) == [0.1, 0.1, 2.5]
    assert moments(at_once) == [0, 0, 0]


def moments(source: Replay) -> list[float]:
    """Tell when each frame of an answer goes out, in seconds since it was asked for."""
    loop = SkippingLoop()
    outlet = Clockwork(loop)
    try:
        loop.run_until_complete(source.answer(Asked("POST", "/v1/messages", {}, b""), outlet))
    finally:
        loop.close()
    return outlet.moments


class SkippingLoop(asyncio.SelectorEventLoop):
    """A loop that does not wait: its clock jumps to what comes next."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(Skipping(self))

    def time(self) -> float:
        """Give the time that it pretends."""
        return self.now


class Skipping(selectors.DefaultSelector):
    """Pass over every wait."""

    def __init__(self, loop: SkippingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Let the time pass at once."""
        self._loop.now += timeout or 0
        return super().select(0)


class Clockwork(Outlet):
    """Note when frames go out."""

    def __init__(self, loop: SkippingLoop) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self._loop = loop
        self.moments: list[float] = []

    async def begin(self, *_: object) -> None:
        """Send no head."""

    async def write(self, frame: bytes) -> None:
        """Note the moment."""
        self.moments.append(round(self._loop.time(), 6))

    async def end(self) -> None:
        """Send no end."""


def test_many_clients_are_answered_at_once() -> None:
    """Requests on several connections get each its own answer."""
    bodies = [{"n": number} for number in range(20)]
    kept = [entry(b"%d" % body["n"], body=body, headers={}) for body in bodies]
    with replaying(kept, Ears()) as server:
        connections = [connect(server.url) for _ in bodies]
        for connection, body in zip(connections, bodies, strict=True):
            connection.request("POST", "/v1/messages", json.dumps(body))
        said = [connection.getresponse().read() for connection in reversed(connections)]
        for connection in connections:
            connection.close()

    assert said == [b"%d" % body["n"] for body in reversed(bodies)]
