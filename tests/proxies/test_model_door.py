"""The door: who is let in to the model API of a case, and what strangers cannot do."""

from __future__ import annotations

import os
import re
import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from proxies.model_kit import (
    HELLO,
    LONG_S,
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
from runledger.errors import OutsideError
from runledger.ledger.proxy import Fault
from runledger.proxies.model import open_model
from runledger.proxies.model.server import ModelServer

GOOD_HOSTS = ("127.0.0.1:{port}", "localhost:{port}", "LocalHost:{port}")
BAD_HOSTS = (
    "evil.example:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "127.0.0.1:{port}.evil.example",
    "127.0.0.1:{port}, evil.example",
    "user@127.0.0.1:{port}",
    "[::1]:{port}",
    "0.0.0.0:{port}",
    "",
)
STRANGE_PATHS = (
    "/v1/messages",
    "/",
    "//{token}/v1/messages",
    "/{token}x/v1/messages",
    "/{part}/v1/messages",
    "/{upper}/v1/messages",
    "/{token}@evil.example/v1/messages",
    "/{token}%2fv1/messages",
    "/./{token}/v1/messages",
    "/v1/{token}/messages",
    "/v1/messages?{token}",
    "/v1/messages/{token}",
    "http://example.org/v1/messages",
    "http://example.org/{token}/v1/messages",
)
NO_PATHS = ("*", "{token}/v1/messages", "@example.org/v1/messages")


def told(server: ModelServer, shape: str) -> str:
    """Fill in what a stranger may know, or guess."""
    token = door_of(server.url)[1:]
    known = {"token": token, "part": token[:-1], "upper": token.upper()}
    return shape.format(port=urlsplit(server.url).port, **known)


def knock(server: ModelServer, *hosts: str, path: str = "/{token}/v1/messages") -> bytes:
    """Ask for a message at a path, by these Host headers; give the first line of the answer."""
    headers = [f"host: {told(server, host)}" for host in hosts]
    line = f"POST {told(server, path)} HTTP/1.1"
    said = say_raw(server.url, line, *headers, "content-length: 0", "connection: close")
    return said.partition(b"\r\n")[0]


@pytest.mark.parametrize("path", STRANGE_PATHS)
def test_whoever_does_not_know_the_whole_address_is_turned_away(path: str) -> None:
    """Nothing is used up for a stranger, no fault on purpose is spent, and the trial goes on."""
    ears, player = Ears(), FakePlayer([entry(*HELLO)])
    fault = Fault("model", 1, status=429)
    with serving(NOWHERE, ears, player=player, inject=[fault]) as server:
        assert knock(server, GOOD_HOSTS[0], path=path) == b"HTTP/1.1 403 Forbidden"
        assert not player.requests
        assert [ask(server.url).status, ask(server.url).status] == [429, 200]

    assert not ears.faults


@pytest.mark.parametrize("path", NO_PATHS)
def test_what_is_no_path_leads_nowhere(path: str) -> None:
    """It is no HTTP, and nobody's business."""
    ears, player = Ears(), FakePlayer([])
    with serving(NOWHERE, ears, player=player) as server:
        assert knock(server, GOOD_HOSTS[0], path=path).endswith(b" 400 Bad Request")

    assert (player.requests, ears.told, ears.faults) == ([], [], [])


@pytest.mark.parametrize("hosts", [(), *((one,) for one in BAD_HOSTS), GOOD_HOSTS[:2]])
def test_whoever_comes_by_another_name_is_turned_away(hosts: tuple[str, ...]) -> None:
    """A page whose host name was made to lead here knows no better than its own name."""
    ears, player = Ears(), FakePlayer([entry(*HELLO)])
    with serving(NOWHERE, ears, player=player) as server:
        status = knock(server, *hosts).split(b" ")[1]
        assert status in (b"403", b"400")  # two of them are no HTTP
        assert not player.requests
        assert ask(server.url).status == 200

    assert not ears.faults


@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_loopback_may_be_called_by_its_name(host: str) -> None:
    """Some clients write it in their own way."""
    with replaying([entry(*HELLO)], Ears()) as server:
        assert knock(server, host) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize("rest", ["", "/", "?beta=true"])
def test_the_bare_address_is_the_root_of_upstream(rest: str) -> None:
    """Upstream is asked for the path that is left."""
    with (
        Upstream([document({})]) as upstream,
        serving(upstream.url, Ears(), recorder=FakeRecorder()) as server,
    ):
        assert ask(server.url, rest, method="GET").status == 200

    assert upstream.requests[0].target == "/" + rest.removeprefix("/")


def test_a_stranger_is_told_what_is_missing_as_the_api_would_say_it() -> None:
    """An agent that builds addresses of its own fails with a reason, and without retries."""
    with replaying([], Ears()) as server:
        connection = connect(f"http://{urlsplit(server.url).netloc}")
        connection.request("POST", "/v1/messages", b"{}")
        response = connection.getresponse()
        said = response.read().decode()
        connection.close()

    assert (response.status, response.headers["x-should-retry"]) == (403, "false")
    assert '"type":"permission_error"' in said
    assert "$MODEL_URL: use the whole of it" in said
    assert door_of(server.url)[1:] not in said


def test_strangers_are_told_of_once() -> None:
    """The record names the first; nobody can fill it by knocking."""
    ears = Ears()
    with replaying([], ears) as server:
        for _ in range(3):
            knock(server, *GOOD_HOSTS[:1], path="/v1/messages")
            knock(server, "evil.example")

    (log,) = ears.logs
    assert (log.level, log.message) == ("warning", "a request to the model was turned away")


def test_strangers_reach_no_upstream_and_no_recording() -> None:
    """When recording, a request that is passed on costs money."""
    ears, recorder = Ears(), FakeRecorder()
    with (
        Upstream([]) as upstream,
        serving(upstream.url, ears, recorder=recorder) as server,
    ):
        knock(server, GOOD_HOSTS[0], path="/v1/messages")
        knock(server, "evil.example")

    assert (upstream.requests, recorder.entries, ears.faults) == ([], [], [])


def test_strangers_are_not_even_told_that_somebody_is_here() -> None:
    """A HEAD needs the address too."""
    with replaying([], Ears()) as server:
        got = ask(f"http://{urlsplit(server.url).netloc}", "/", method="HEAD")

    assert (got.status, got.body) == (403, b"")


def test_pages_of_a_browser_are_never_invited() -> None:
    """No header says that another origin may read an answer, whether it knew the address or not."""
    page = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    with replaying([entry(*HELLO)], Ears()) as server:
        base = f"http://{urlsplit(server.url).netloc}"
        heard = [ask(base, method="OPTIONS", headers=page), ask(server.url, headers=page)]

    assert [got.status for got in heard] == [403, 200]
    for got in heard:
        assert not [name for name in got.headers if name.startswith("access-control-")]


def test_a_stranger_who_never_ends_holds_nobody() -> None:
    """A body that does not come keeps the agent from no answer, and the case from no end."""
    with replaying([entry(*HELLO)], Ears()) as server:
        parts = urlsplit(server.url)
        with socket.create_connection((parts.hostname or "", parts.port or 0), LONG_S) as stranger:
            head = f"POST / HTTP/1.1\r\nhost: {parts.netloc}\r\ncontent-length: 99999999\r\n\r\n"
            stranger.sendall(head.encode())
            assert stranger.recv(12) == b"HTTP/1.1 403"
            assert ask(server.url).status == 200


def test_the_token_is_the_doors_business_alone() -> None:
    """Upstream, the cassette and the words of a miss know nothing of it."""
    ears, recorder = Ears(), FakeRecorder()
    with (
        Upstream([document({"id": "m"})]) as upstream,
        serving(upstream.url + "/base", ears, recorder=recorder) as server,
    ):
        ask(server.url, "/base/v1/messages?beta=true", {"messages": []})
    with replaying([], ears) as other:
        missed = ask(other.url, "/v1/messages", {"messages": []})

    assert upstream.requests[0].target == "/base/v1/messages?beta=true"
    assert recorder.entries[0].path == "/base/v1/messages?beta=true"
    (fault,) = ears.faults
    said = f"{upstream.requests} {recorder.entries} {missed} {fault} {fault.details} {ears.told}"
    assert "case-" not in said


def test_nobody_can_guess_the_token() -> None:
    """Each case has one of its own, of 144 random bits, that needs no quoting anywhere."""
    opened = [open_model(proxy(), Ears().station()) for _ in range(3)]
    tokens = {door_of(server.url)[1:] for server in opened}
    for server in opened:
        server.close()

    assert len(tokens) == 3
    assert all(re.fullmatch(r"case-[A-Za-z0-9_-]{24}", token) for token in tokens)


def test_the_token_of_another_case_opens_nothing() -> None:
    """Cases that run at once cannot take each other's answers."""
    player = FakePlayer([entry(*HELLO)])
    with (
        serving(NOWHERE, Ears(), player=player) as server,
        open_model(proxy(), Ears().station()) as other,
    ):
        path = f"{door_of(other.url)}/v1/messages"
        assert knock(server, GOOD_HOSTS[0], path=path) == b"HTTP/1.1 403 Forbidden"

    assert not player.requests


def listening() -> set[object]:
    """List the addresses at which this process listens."""
    found = set()
    for number in [int(file.name) for file in Path("/dev/fd").iterdir()]:
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            with socket.socket(fileno=os.dup(number)) as one:
                if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    found.add(one.getsockname())
        except OSError:  # closed meanwhile
            continue
    return found


def test_it_listens_on_loopback_and_nowhere_else() -> None:
    """Neither another machine nor another address of this one leads there."""
    before = listening()
    with replaying([], Ears()) as server:
        port = urlsplit(server.url).port
        assert listening() - before == {("127.0.0.1", port)}


def test_behind_a_file_is_the_same_door(tmp_path: Path) -> None:
    """An agent with a loopback of its own is led there; who lacks the token is turned away."""
    player, path = FakePlayer([entry(*HELLO)]), tmp_path / "model"
    before = listening()
    with open_model(proxy(), Ears().station(player=player), None, path) as server:
        port, host = urlsplit(server.url).port, f"host: {urlsplit(server.url).netloc}"
        assert listening() - before == {("127.0.0.1", port), str(path)}
        said = [
            say_raw(
                server.url,
                f"POST {base}/v1/messages HTTP/1.1",
                *(host, "connection: close"),
                family=socket.AF_UNIX,
                at=str(path),
            )
            for base in ("", door_of(server.url))
        ]

    assert [one[:12] for one in said] == [b"HTTP/1.1 403", b"HTTP/1.1 200"]
    assert HELLO[-1] in said[1]
    assert listening() == before


@pytest.mark.parametrize(
    ("path", "reason"), [("none/model", "No such file or directory"), ("x" * 200, "too long")]
)
def test_a_file_that_cannot_be_listened_at_is_named(tmp_path: Path, path: str, reason: str) -> None:
    """No port is left open either."""
    before = listening()
    with pytest.raises(OutsideError, match=reason) as raised:
        open_model(proxy(), Ears().station(), None, tmp_path / path)

    assert str(tmp_path / path) in str(raised.value)
    assert listening() == before
