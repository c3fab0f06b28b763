"""Passing on: what goes upstream, what comes back, and what is kept of it."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from proxies.model_kit import (
    HELLO,
    HELLO_USAGE,
    JSON,
    NOWHERE,
    SSE,
    Break,
    Ears,
    FakePlayer,
    FakeRecorder,
    Reply,
    UntilLeft,
    Upstream,
    ask,
    ask_until_cut,
    connect,
    document,
    entry,
    proxy,
    serving,
)
from runledger.proxies.model import open_model
from runledger.store.cassette.entry import AgentStamp

ASKED = {"model": "claude", "stream": True, "messages": []}
CLAUDE = {"user-agent": "claude-cli/2.1.197 (external, cli)"}


def test_a_stream_comes_through_unchanged_and_is_kept_in_whole_frames() -> None:
    """However upstream cuts its bytes, the client gets them all and the record has whole events."""
    ears, recorder = Ears(), FakeRecorder()
    whole = b"".join(HELLO)
    torn = [whole[start : start + 7] for start in range(0, len(whole), 7)]
    with (
        Upstream([Reply(pieces=torn)]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        got = ask(server.url, body=ASKED, headers=CLAUDE)

    assert (got.status, got.body) == (200, whole)
    assert recorder.answer.frames == HELLO
    assert recorder.answer.headers == SSE
    assert len(recorder.answer.t) == len(HELLO)
    assert not recorder.answer.partial
    assert recorder.entries[0].body == ASKED
    assert recorder.agents == [AgentStamp("claude-cli", "2.1.197")]
    assert ears.usage == [HELLO_USAGE]


@pytest.mark.parametrize("end", [b"\r\n\r\n", b"\n\n", b"\r\r"])
def test_events_end_with_any_blank_line(end: bytes) -> None:
    """Every end of line that the standard knows ends a frame, which keeps it as it came."""
    recorder = FakeRecorder()
    frames = (b"data: 1" + end, b": ping" + end, b"data: 2" + end, b"data: torn")
    with (
        Upstream([Reply(pieces=[b"".join(frames)])]) as upstream,
        serving(upstream.url, Ears(), recorder=recorder) as server,
    ):
        got = ask(server.url)

    assert got.body == b"".join(frames)
    assert recorder.answer.frames == frames


def test_frames_arrive_while_upstream_still_holds_the_next() -> None:
    """A frame is passed on at once, not when the answer is whole."""
    seen = threading.Event()
    pieces = [HELLO[0], seen, *HELLO[1:]]
    with (
        Upstream([Reply(pieces=pieces)]) as upstream,
        serving(upstream.url, Ears(), recorder=FakeRecorder()) as server,
    ):
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", json.dumps(ASKED))
        response = connection.getresponse()
        first = response.read(len(HELLO[0]))
        seen.set()
        rest = response.read()
        connection.close()

    assert (first, rest) == (HELLO[0], b"".join(HELLO[1:]))


def test_upstream_gets_what_the_agent_sent_but_for_what_belongs_to_the_connection() -> None:
    """Method, path, query, body and headers go on; compression is not asked for."""
    sent = {"X-Api-Key": "k1", "anthropic-beta": "a,b", "Accept-Encoding": "gzip, br", "TE": "x"}
    with (
        Upstream([document({})]) as upstream,
        serving(f"{upstream.url}/base", Ears()) as server,
    ):
        assert server.url.endswith("/base")
        ask(server.url, "/base/v1/messages?beta=true&a=%2Fb", ASKED, headers=sent)

    (request,) = upstream.requests
    assert (request.method, request.target) == ("POST", "/base/v1/messages?beta=true&a=%2Fb")
    assert json.loads(request.body) == ASKED
    assert request.headers["x-api-key"] == "k1"
    assert request.headers["anthropic-beta"] == "a,b"
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["host"] == upstream.url.removeprefix("http://")
    assert "te" not in request.headers
    assert "user-agent" not in request.headers


def test_keys_are_kept_nowhere() -> None:
    """A key in the query reaches upstream, but not the record; headers of requests never do."""
    recorder = FakeRecorder()
    reply = document({}, **{"request-id": "r1", "set-cookie": "a=b", "x-other": "1"})
    with (
        Upstream([reply]) as upstream,
        serving(upstream.url, Ears(), recorder=recorder) as server,
    ):
        got = ask(server.url, "/v1beta/models/g:streamGenerateContent?alt=sse&key=AIza1", ASKED)

    assert upstream.requests[0].target.endswith("key=AIza1")
    assert recorder.entries[0].path == "/v1beta/models/g:streamGenerateContent?alt=sse"
    assert recorder.answer.headers == {**JSON, "request-id": "r1"}
    assert got.headers["x-other"] == "1"


def test_a_compressed_request_is_read_and_passed_on_plain() -> None:
    """What is kept, and what upstream gets, is the body itself."""
    recorder = FakeRecorder()
    body = gzip.compress(json.dumps(ASKED).encode())
    with (
        Upstream([document({})]) as upstream,
        serving(upstream.url, Ears(), recorder=recorder) as server,
    ):
        ask(server.url, body=body, headers={"content-encoding": "gzip"})

    assert recorder.entries[0].body == ASKED
    assert json.loads(upstream.requests[0].body) == ASKED
    assert "content-encoding" not in upstream.requests[0].headers


def test_a_compressed_answer_is_passed_on_and_kept_plain() -> None:
    """An upstream that compresses although it was asked not to does no harm."""
    recorder = FakeRecorder()
    reply = Reply(200, {**JSON, "content-encoding": "gzip"}, [gzip.compress(b'{"a": 1}')], False)
    with (
        Upstream([reply]) as upstream,
        serving(upstream.url, Ears(), recorder=recorder) as server,
    ):
        got = ask(server.url)

    assert got.body == b'{"a": 1}'
    assert recorder.answer.frames == (b'{"a": 1}',)


def test_a_stream_that_is_no_stream_of_events_comes_through_piece_by_piece() -> None:
    """A JSON array that comes bit by bit is passed on at once, and kept as one piece."""
    seen = threading.Event()
    recorder = FakeRecorder()
    reply = Reply(200, JSON, [b'[{"a": 1}', seen, b',{"b": 2}]'])
    with (
        Upstream([reply]) as upstream,
        serving(upstream.url, Ears(), recorder=recorder) as server,
    ):
        connection = connect(server.url)
        connection.request("POST", "/v1beta/models/g:streamGenerateContent", b"{}")
        response = connection.getresponse()
        assert response.read(9) == b'[{"a": 1}'
        seen.set()
        assert response.read() == b',{"b": 2}]'
        connection.close()

    assert recorder.answer.frames == (b'[{"a": 1},{"b": 2}]',)
    assert len(recorder.answer.t) == 1


def test_errors_of_upstream_are_passed_on() -> None:
    """What upstream says is the agent's business: an error is kept too."""
    ears, recorder = Ears(), FakeRecorder()
    limited = document({"error": {}}, 429, **{"retry-after": "0"})
    with (
        Upstream([limited]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        got = ask(server.url)

    assert (got.status, got.headers["retry-after"]) == (429, "0")
    assert recorder.answer.status == 429
    assert not ears.faults


def test_a_redirect_of_upstream_ends_the_trial() -> None:
    """An agent that followed it would leave the proxy, and be replayed by nobody."""
    ears, recorder = Ears(), FakeRecorder()
    moved = Reply(308, {"location": "https://example.test/v2?key=k"}, [], chunked=False)
    with (
        Upstream([moved]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        got = ask(server.url)

    (fault,) = ears.faults
    assert got.status == 502
    assert "location" not in got.headers
    assert str(fault) == (
        f"the model API at {upstream.url} answers with a redirect (308) "
        "to https://example.test/v2\n"
        "set `upstream` of proxies.model to an address that answers by itself"
    )
    assert not recorder.entries


def test_a_client_that_leaves_ends_its_request_upstream_and_leaves_a_part() -> None:
    """What came until then is kept, marked as a part; the trial goes on."""
    ears, recorder = Ears(), FakeRecorder()
    with (
        Upstream([Reply(pieces=[*HELLO[:2], UntilLeft()])]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", json.dumps(ASKED))
        connection.getresponse().read(len(HELLO[0] + HELLO[1]))
        connection.close()
        assert recorder.kept.wait(30)
        assert upstream.left.wait(30)

    assert recorder.answer.partial
    assert recorder.answer.frames == HELLO[:2]
    assert not ears.usage
    assert not ears.faults


def test_a_client_that_leaves_before_any_answer_is_kept_too() -> None:
    """In replay it asks the same, and must not be told that nobody recorded it."""
    recorder = FakeRecorder()
    with Silent() as upstream, serving(upstream.url, Ears(), recorder=recorder) as server:
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", json.dumps(ASKED))
        assert upstream.asked.wait(30)
        connection.close()
        assert recorder.kept.wait(30)

    assert recorder.answer.partial
    assert recorder.answer.frames == ()


class Silent(Upstream):
    """An upstream that takes requests and never answers."""

    def __init__(self) -> None:
        super().__init__([])
        self.asked = threading.Event()

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Hold the connection until the client leaves."""
        self.asked.set()
        while request.recv(65536):
            pass


def test_a_client_that_leaves_at_the_last_event_has_it_all() -> None:
    """Clients close at the last event, before upstream ends the stream: the answer is whole."""
    ears, recorder = Ears(), FakeRecorder()
    with (
        Upstream([Reply(pieces=[*HELLO, UntilLeft()])]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", json.dumps(ASKED))
        connection.getresponse().read(len(b"".join(HELLO)))
        assert ears.usage == [HELLO_USAGE]  # told before the client has it all
        connection.close()
        assert recorder.kept.wait(30)

    assert recorder.answer.frames == HELLO
    assert not recorder.answer.partial


def test_closing_the_server_ends_what_is_open_and_keeps_what_came() -> None:
    """A trial that is over waits for nobody."""
    recorder = FakeRecorder()
    with Upstream([Reply(pieces=[HELLO[0], UntilLeft()])]) as upstream:
        with serving(upstream.url, Ears(), recorder=recorder) as server:
            connection = connect(server.url)
            connection.request("POST", "/v1/messages", json.dumps(ASKED))
            response = connection.getresponse()
            response.read(len(HELLO[0]))
        assert recorder.answer.partial
        assert upstream.left.wait(30)
        response.close()
        connection.close()


def test_an_upstream_that_breaks_off_leaves_a_part_and_a_cut_connection() -> None:
    """The client sees what an agent sees when its network fails."""
    ears, recorder = Ears(), FakeRecorder()
    with (
        Upstream([Reply(pieces=[*HELLO[:3], Break()])]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        assert ask_until_cut(server.url, body=ASKED) == b"".join(HELLO[:3])

    assert recorder.answer.partial
    assert recorder.answer.frames == HELLO[:3]
    assert not ears.faults


@pytest.mark.parametrize("mode", ["record", "live"])
def test_an_upstream_that_cannot_be_reached_ends_the_trial(mode: str) -> None:
    """The agent gets an error that it need not try again, and the trial one that names upstream."""
    ears, recorder = Ears(), FakeRecorder()
    with serving(NOWHERE, ears, **({"recorder": recorder} if mode == "record" else {})) as server:
        got = ask(server.url, body=ASKED)

    assert got.status == 502
    assert got.headers["x-should-retry"] == "false"
    assert got.document["error"]["type"] == "api_error"
    (fault,) = ears.faults
    assert fault.kind == "internal_error"
    assert NOWHERE in str(fault)
    assert not recorder.entries


def test_an_upstream_that_does_not_speak_tls_is_named() -> None:
    """An https address needs a certificate that holds; what is wrong with it is told."""
    ears = Ears()
    with Upstream([]) as upstream:
        secure = upstream.url.replace("http:", "https:")
        with serving(secure, ears) as server:
            assert ask(server.url, body=ASKED).status == 502

    assert secure in str(ears.faults[0])


class Raw(Upstream):
    """An upstream that first says these bytes to one connection each, and then hangs up."""

    def __init__(self, said: Sequence[bytes], replies: Iterable[Reply] = ()) -> None:
        super().__init__(replies)
        self._said = iter(said)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Say what is not what one says in HTTP; when all is said, become an API."""
        said = next(self._said, None)
        if said is None:
            super().finish_request(request, client_address)
            return
        request.recv(65536)
        if said:
            request.sendall(said)
        else:  # the client sees a reset
            request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            request.close()


@pytest.mark.parametrize("mode", ["record", "live"])
@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200"])
def test_an_upstream_that_breaks_off_before_its_answer_may_be_asked_again(
    mode: str, said: bytes
) -> None:
    """The agent gets an error after which clients try again; of it nothing is kept."""
    ears, recorder = Ears(), FakeRecorder()
    station = {"recorder": recorder} if mode == "record" else {}
    with (
        Raw([said], [document({"fine": True})]) as upstream,
        serving(upstream.url, ears, **station) as server,
    ):
        first, second = (ask(server.url, body=ASKED) for _ in range(2))

    assert first.status == 502
    assert "x-should-retry" not in first.headers
    assert first.document["error"]["type"] == "api_error"
    assert f"{upstream.url} broke off before it answered" in first.document["error"]["message"]
    assert second.document == {"fine": True}
    assert not ears.faults
    assert len(recorder.entries) == (1 if mode == "record" else 0)


def test_an_upstream_that_does_not_speak_http_is_named_as_such() -> None:
    """It was reached: its network is not what to look at."""
    ears, recorder = Ears(), FakeRecorder()
    with (
        Raw([b"220 mail.example.test ESMTP\r\n"]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        got = ask(server.url, body=ASKED)

    (fault,) = ears.faults
    assert got.status == 502
    assert got.headers["x-should-retry"] == "false"
    assert str(fault).startswith(f"the model API at {upstream.url} does not speak HTTP: ")
    assert "cannot be reached" not in str(fault)
    assert not recorder.entries


def test_answers_are_kept_in_the_order_of_their_requests() -> None:
    """One that takes longer than the next was asked before it all the same."""
    recorder = FakeRecorder()
    held = threading.Event()
    with (
        Upstream([Reply(pieces=[HELLO[0], held, *HELLO[1:]]), document({})]) as upstream,
        serving(upstream.url, Ears(), recorder=recorder) as server,
    ):
        connection = connect(server.url)
        connection.request("POST", "/v1/messages", json.dumps({"n": 1}))
        response = connection.getresponse()
        ask(server.url, body={"n": 2})
        assert recorder.kept.wait(30)
        held.set()
        response.read()
        connection.close()

    assert [one.body for one in recorder.entries] == [{"n": 1}, {"n": 2}]


def test_a_proxy_beside_others_tells_through_which_it_was_asked() -> None:
    """In the recording, and when a recording is asked."""
    ears, recorder, player = Ears(), FakeRecorder(), FakePlayer([entry(*HELLO, body=ASKED)])
    with Upstream([document({})]) as upstream:
        modes = [{"recorder": recorder}, {"player": player}]
        for mode in modes:
            station = ears.station(**mode)
            with open_model(proxy(upstream.url), station, "MODEL_URL") as server:
                ask(server.url, body=ASKED)

    assert [one.via for one in recorder.entries] == ["MODEL_URL"]
    assert [one.via for one in player.requests] == ["MODEL_URL"]


def test_live_passes_on_and_reads_usage_only() -> None:
    """Without a recorder nothing is kept, and tokens are counted all the same."""
    ears = Ears()
    with Upstream([Reply(pieces=HELLO)]) as upstream, serving(upstream.url, ears) as server:
        assert ask(server.url, body=ASKED).body == b"".join(HELLO)

    assert ears.usage == [HELLO_USAGE]


def test_an_answer_beyond_all_measure_ends_the_trial() -> None:
    """An upstream cannot fill the memory of the runner."""
    ears, recorder = Ears(), FakeRecorder()
    frame = b"data: " + b"x" * (1 << 20) + b"\n\n"
    with (
        Upstream([Reply(pieces=[frame] * 65)]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        ask_until_cut(server.url, body=ASKED)

    assert [fault.kind for fault in ears.faults] == ["message_too_large"]
    assert not recorder.entries
