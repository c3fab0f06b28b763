"""What tests of the model proxy share: an upstream that says what it is told to, and ears."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Self, TypeAlias
from urllib.parse import urlsplit

from runledger.errors import CassetteMiss, TrialFault
from runledger.ledger.event import Happening, Log, UsageReport
from runledger.ledger.fingerprint import canonical_bytes
from runledger.ledger.proxy import Fault, ModelProxy, Profile
from runledger.ledger.usage import Usage
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.proxies.model import open_model
from runledger.proxies.model.server import ModelServer
from runledger.store.cassette.entry import AgentStamp, ModelAnswer, ModelEntry, ModelRequest
from runledger.store.replay.body import read_body

GENERIC = Profile("generic", 1)
NOWHERE = "http://127.0.0.1:9"  # the port of nobody
LONG_S = 30  # for what happens at once, unless it never does
SSE = {"content-type": "text/event-stream"}
JSON = {"content-type": "application/json"}


class Break:
    """Break the connection off."""


class UntilLeft:
    """Wait until the client has left, and remember that it did."""


Piece: TypeAlias = bytes | threading.Event | Break | UntilLeft


@dataclass(frozen=True)
class Reply:
    """What upstream answers: pieces are sent one by one, and an event among them is waited for."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: SSE)
    pieces: Sequence[Piece] = ()
    chunked: bool = True


def document(value: Any, status: int = 200, **headers: str) -> Reply:
    """Answer with a document of known length."""
    return Reply(status, {**JSON, **headers}, [json.dumps(value).encode()], chunked=False)


@dataclass(frozen=True)
class Request:
    """What upstream was asked."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class Upstream(ThreadingHTTPServer):
    """A model API that gives the replies it was given, one after the other."""

    daemon_threads = True

    def __init__(self, replies: Iterable[Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Desk)
        self.replies = iter(replies)
        self.requests: list[Request] = []
        self.left = threading.Event()

    @property
    def url(self) -> str:
        """Give its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: Any) -> None:
        """Say nothing of clients that leave."""


class _Desk(BaseHTTPRequestHandler):
    server: Upstream
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append(Request(self.command, self.path, headers, body))
        self._say(next(self.server.replies))

    def _say(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.chunked:
            self.send_header("transfer-encoding", "chunked")
        else:
            whole = sum(len(one) for one in reply.pieces if isinstance(one, bytes))
            if "content-length" not in reply.headers:
                self.send_header("content-length", str(whole))
        self.end_headers()
        if all(self._send(piece, reply.chunked) for piece in reply.pieces) and reply.chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _send(self, piece: Piece, chunked: bool) -> bool:
        match piece:
            case bytes():
                framed = b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece
                self.wfile.write(framed)
                self.wfile.flush()
            case threading.Event():
                assert piece.wait(LONG_S)
            case UntilLeft():
                self.connection.settimeout(LONG_S)
                if not self.connection.recv(1):
                    self.server.left.set()
            case Break():
                self.close_connection = True
                self.connection.shutdown(2)
                return False
        return True


class FakePlayer:
    """Give the n-th recorded answer to the n-th equal request, and remember what came back."""

    def __init__(self, entries: Iterable[ModelEntry]) -> None:
        self._entries: dict[tuple[str, str, bytes], list[ModelEntry]] = defaultdict(list)
        for entry in entries:
            self._entries[entry.method, entry.path, canonical_bytes(entry.body)].append(entry)
        self.requests: list[ModelRequest] = []
        self.given_back = threading.Event()

    @property
    def unused(self) -> list[ModelEntry]:
        """List what nobody asked for."""
        return [entry for entries in self._entries.values() for entry in entries]

    def model(self, request: ModelRequest) -> ModelEntry:
        """Give the next answer."""
        self.requests.append(request)
        left = self._entries[_key(request)]
        if not left:
            raise CassetteMiss(
                "cassette_miss", f"no recorded answer for {request.path}\nnearest: 1"
            )
        return left.pop(0)

    def give_back(self, entry: ModelEntry) -> None:
        """Take an answer back."""
        key = entry.method, entry.path, canonical_bytes(entry.body)
        self._entries[key].insert(0, entry)
        self.given_back.set()


def _key(request: ModelRequest) -> tuple[str, str, bytes]:
    return request.method, request.path, canonical_bytes(read_body(request.body))


class FakeRecorder:
    """Remember what is to be kept."""

    def __init__(self) -> None:
        self.agents: list[AgentStamp] = []
        self.kept = threading.Event()
        self.turn = count().__next__
        self._entries: dict[int, ModelEntry] = {}

    @property
    def entries(self) -> list[ModelEntry]:
        """List what was kept, in the order in which it was asked."""
        return [self._entries[turn] for turn in sorted(self._entries)]

    def keep_model(self, entry: ModelEntry, turn: int) -> None:
        """Keep an answer."""
        self._entries[turn] = entry
        self.kept.set()

    def meet(self, agent: AgentStamp) -> None:
        """Remember who asked."""
        self.agents.append(agent)

    @property
    def answer(self) -> ModelAnswer:
        """Give the only answer that was kept."""
        (entry,) = self.entries
        return entry.answer


@dataclass
class Ears:
    """Hear what the servers of one trial tell."""

    told: list[Happening] = field(default_factory=list)
    faults: list[TrialFault] = field(default_factory=list)

    def station(self, inject: Iterable[Fault] = (), **mode: Any) -> Station:
        """Make the station of a trial: with a player, a recorder, or neither."""
        return Station(self.told.append, self.faults.append, Faults(inject), **mode)

    @property
    def usage(self) -> list[Usage]:
        """List the usage that was told."""
        return [one.usage for one in self.told if isinstance(one, UsageReport)]

    @property
    def logs(self) -> list[Log]:
        """List what was logged."""
        return [one for one in self.told if isinstance(one, Log)]


def proxy(upstream: str = NOWHERE, **more: Any) -> ModelProxy:
    """Make the proxy of an upstream."""
    return ModelProxy("MODEL_URL", upstream, GENERIC, **more)


@contextmanager
def serving(upstream: str, ears: Ears, **station: Any) -> Iterator[ModelServer]:
    """Serve a model API, and see that its thread ends."""
    with open_model(proxy(upstream), ears.station(**station)) as server:
        yield server
    assert not [one for one in threading.enumerate() if one.name.startswith("model ")]


@contextmanager
def replaying(entries: Iterable[ModelEntry], ears: Ears, **more: Any) -> Iterator[ModelServer]:
    """Serve what was recorded, with an upstream that nobody could reach."""
    with serving(NOWHERE, ears, player=FakePlayer(entries), **more) as server:
        yield server


def entry(
    *frames: bytes, body: Any = None, path: str = "/v1/messages", **answer: Any
) -> ModelEntry:
    """Make a recorded answer; a stream, unless it is told otherwise."""
    headers = answer.pop("headers", SSE)
    said = ModelAnswer(answer.pop("status", 200), headers, frames, **answer)
    return ModelEntry(0, "POST", path, body, said)


@dataclass(frozen=True)
class Got:
    """What a client got."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        """Read the body."""
        return json.loads(self.body)


class Line(http.client.HTTPConnection):
    """A connection to a model API; paths are those that upstream is to see."""

    def __init__(self, url: str) -> None:
        super().__init__(urlsplit(url).netloc, timeout=LONG_S)
        self._door = door_of(url)

    def putrequest(self, method: str, url: str, *more: Any, **flags: Any) -> None:
        """Begin a request at the address that was given."""
        super().putrequest(method, self._door + url, *more, **flags)


def door_of(url: str) -> str:
    """Give the part of an address that only the agent knows."""
    first = urlsplit(url).path.split("/")[1:2]
    return f"/{first[0]}" if first else ""


def connect(url: str) -> Line:
    """Connect to a server."""
    return Line(url)


def say_raw(url: str, *lines: str, family: Any = socket.AF_INET, at: Any = None) -> bytes:
    """Send the lines of a request as they are, and read what comes until the end."""
    parts = urlsplit(url)
    with socket.socket(family) as client:
        client.settimeout(LONG_S)
        client.connect(at or (parts.hostname, parts.port))
        client.sendall("".join(f"{line}\r\n" for line in (*lines, "")).encode())
        with client.makefile("rb") as answer:
            return answer.read()


def ask(
    url: str,
    path: str = "/v1/messages",
    body: Any = None,
    method: str = "POST",
    headers: dict[str, str] | None = None,
) -> Got:
    """Send one request with a JSON body, or with bytes, and read the whole answer."""
    connection = connect(url)
    try:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode() if body else b""
        connection.request(method, path, sent, {**JSON, **(headers or {})})
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Got(response.status, found, response.read())
    finally:
        connection.close()


def ask_until_cut(url: str, path: str = "/v1/messages", body: Any = None) -> bytes:
    """Send a request whose answer breaks off; give what came of it."""
    try:
        got = ask(url, path, body)
    except http.client.IncompleteRead as cut:
        return cut.partial
    raise AssertionError(f"the answer did not break off: {got}")


def event(name: str, **fields: Any) -> bytes:
    """Write an event as Anthropic does."""
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()


HELLO = (
    event(
        "message_start",
        message={
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-haiku-4-5-20251001",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1000, "cache_read_input_tokens": 500, "output_tokens": 1},
        },
    ),
    event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    event("content_block_delta", index=0, delta={"type": "text_delta", "text": "Héllo"}),
    event("content_block_stop", index=0),
    event(
        "message_delta",
        delta={"stop_reason": "end_turn", "stop_sequence": None},
        usage={"output_tokens": 200},
    ),
    event("message_stop"),
)
"""A whole stream of the Messages API."""
HELLO_USAGE = Usage(1500, 200, 0.00205, "claude-haiku-4-5-20251001")
