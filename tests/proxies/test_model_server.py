"""The server: what it answers by itself, how it is opened, and how it ends."""

from __future__ import annotations

import socket
import subprocess
import sys
import textwrap
import threading
from urllib.parse import urlsplit

import pytest

from proxies.model_kit import (
    HELLO,
    NOWHERE,
    Ears,
    FakePlayer,
    FakeRecorder,
    Upstream,
    ask,
    connect,
    document,
    door_of,
    entry,
    proxy,
    replaying,
    say_raw,
    serving,
)
from runledger.proxies.model import open_model
from runledger.proxies.model.asked import stamp_in
from runledger.store.cassette.entry import AgentStamp, ModelEntry, ModelRequest


def test_head_is_answered_in_every_mode_and_touches_nothing() -> None:
    """Agents ask whether anybody is there; that is nobody else's business."""
    ears, player, recorder = Ears(), FakePlayer([]), FakeRecorder()
    for mode in ({"player": player}, {"recorder": recorder}, {}):
        with serving(NOWHERE, ears, **mode) as server:
            got = ask(server.url, "/", method="HEAD")
            assert (got.status, got.body) == (200, b"")

    assert not ears.faults
    assert not player.requests
    assert not recorder.entries


def test_lists_of_models_are_recorded_and_replayed() -> None:
    """A GET has no body; what was recorded for it is said again."""
    recorder = FakeRecorder()
    with (
        Upstream([document({"data": []})]) as upstream,
        serving(upstream.url, Ears(), recorder=recorder) as server,
    ):
        first = ask(server.url, "/v1/models?limit=1", method="GET")
    with replaying(recorder.entries, Ears()) as server:
        second = ask(server.url, "/v1/models?limit=1", method="GET")

    assert recorder.entries[0].method == "GET"
    assert recorder.entries[0].body is None
    assert first.body == second.body


def test_connections_are_kept_open_between_requests() -> None:
    """An agent need not connect anew for every turn."""
    with replaying([entry(*HELLO), entry(*HELLO)], Ears()) as server:
        connection = connect(server.url)
        for _ in range(2):
            connection.request("POST", "/v1/messages", b"")
            assert connection.getresponse().read() == b"".join(HELLO)
        connection.close()


@pytest.mark.parametrize("asked", [[], ["connection: keep-alive"]])
def test_a_client_of_http_1_0_gets_a_stream_that_ends_with_its_connection(asked: list[str]) -> None:
    """It does not know chunks."""
    ears = Ears()
    with replaying([entry(*HELLO)], ears) as server:
        first = f"POST {door_of(server.url)}/v1/messages HTTP/1.0"
        said = say_raw(server.url, first, f"host: {urlsplit(server.url).netloc}", *asked)

    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200")
    assert b"chunked" not in head.lower()
    assert body == b"".join(HELLO)
    assert not ears.faults


def test_a_client_that_waits_to_be_told_to_go_on_is_told() -> None:
    """Some send a large body only after 100 Continue."""
    with replaying([entry(b"{}", body={"a": 1}, headers={})], Ears()) as server:
        parts = urlsplit(server.url)
        with socket.create_connection((parts.hostname or "", parts.port or 0), 30) as client:
            head = f"POST {parts.path}/v1/messages HTTP/1.1\r\nhost: {parts.netloc}\r\n".encode()
            more = b"content-length: 7\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n"
            client.sendall(head + more)
            assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
            client.sendall(b'{"a":1}')
            with client.makefile("rb") as answer:
                assert answer.read().startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_request_beyond_all_measure_ends_the_trial() -> None:
    """An agent cannot fill the memory of the runner."""
    ears = Ears()
    with replaying([], ears) as server:
        got = ask(server.url, body=b" " * ((64 << 20) + 1))

    assert got.status == 413
    assert got.document["error"]["type"] == "request_too_large"
    assert [fault.kind for fault in ears.faults] == ["message_too_large"]


class BrokenPlayer(FakePlayer):
    """Fail in a way that nobody thought of."""

    def model(self, request: ModelRequest) -> ModelEntry:
        """Fail."""
        raise ZeroDivisionError("oh")


def test_a_fault_of_ours_is_told_and_judged_by_nobody() -> None:
    """A mistake in the proxy makes the run invalid; it is not the agent's."""
    ears = Ears()
    with serving(NOWHERE, ears, player=BrokenPlayer([])) as server:
        assert ask(server.url).status == 502

    (fault,) = ears.faults
    assert fault.kind == "internal_error"
    assert "ZeroDivisionError: oh" in str(fault)


def test_several_servers_stand_side_by_side() -> None:
    """Cases that run at once have ports of their own."""
    stations = [Ears().station(player=FakePlayer([entry(b"%d" % n, headers={})])) for n in (1, 2)]
    with (
        open_model(proxy(), stations[0]) as first,
        open_model(proxy(), stations[1]) as second,
    ):
        assert first.url != second.url
        assert (ask(first.url).body, ask(second.url).body) == (b"1", b"2")


def test_closing_is_at_once_and_may_be_done_twice() -> None:
    """A client that keeps its connection open, or is in the middle of a request, holds nobody."""
    with replaying([entry(*HELLO)], Ears()) as server:
        idle, busy = connect(server.url), connect(server.url)
        idle.request("POST", "/v1/messages", b"")
        idle.getresponse().read()
        busy.putrequest("POST", "/v1/messages")
        busy.putheader("content-length", "10")
        busy.endheaders(b"12345")
        server.close()
    server.close()

    with pytest.raises(ConnectionError):
        ask(server.url)
    idle.close()
    busy.close()
    assert not [one for one in threading.enumerate() if one.name.startswith("model ")]


def test_a_lack_of_aiohttp_says_what_to_install() -> None:
    """Replay of models is an extra; whoever lacks it is told its name."""
    program = """
        import sys
        sys.modules["aiohttp"] = None
        from runledger.errors import UsageError
        from runledger.ledger.proxy import ModelProxy, Profile
        from runledger.proxies.model import open_model
        try:
            open_model(ModelProxy("MODEL_URL", "http://x", Profile("generic", 1)), None)
        except UsageError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )

    assert "pip install 'runledger[proxy]'" in done.stdout
    assert "MODEL_URL" in done.stdout


def test_naming_the_proxy_imports_no_server() -> None:
    """Only who opens one pays for it."""
    program = """
        import sys
        from runledger.proxies.model import open_model
        assert "aiohttp" not in sys.modules and "asyncio" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


@pytest.mark.parametrize(
    ("said", "stamp"),
    [
        ("claude-cli/2.1.197 (external, cli)", AgentStamp("claude-cli", "2.1.197")),
        ("opencode/1.18.33 ai-sdk/5.0", AgentStamp("opencode", "1.18.33")),
        ("Anthropic/Python 2.8.0", AgentStamp("Anthropic/Python", "2.8.0")),
        ("agent v3", AgentStamp("agent", "3")),
        ("node", None),
        ("", None),
        ("x" * 1000, None),
    ],
)
def test_agents_are_known_by_their_user_agent(said: str, stamp: AgentStamp | None) -> None:
    """The first product with a version is who asks."""
    assert stamp_in(said) == stamp
