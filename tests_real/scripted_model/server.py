"""The server that agents take for their model's API."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from . import anthropic, openai
from .decision import DECIDE, decide
from .errands import ERRANDS
from .investigation import INVESTIGATE, investigate
from .script import SCRIPTS, Conversation, Move, Refuse, Stall, next_move

APIS = {api.PATH: api for api in (anthropic, openai)}
DECIDERS = {INVESTIGATE: investigate, DECIDE: decide}  # scripts that look at results
MODELS = [{"id": "scripted", "object": "model", "type": "model"}]

PING_EVERY_S = 0.2  # so that a client that went is noticed, and its thread ends


@dataclass(frozen=True, slots=True)
class Request:
    """A request for the model's next words."""

    path: str
    body: dict[str, Any]
    talk: Conversation
    headers: Mapping[str, str]


class ModelServer(ThreadingHTTPServer):
    """A scripted model at a port of its own; it remembers what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Desk)
        self.requests: list[Request] = []
        self.stuck_at: str | None = None  # whoever is asked this gets no end of an answer
        self.stalled = threading.Event()  # set when a client waits for an answer without an end
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        """Give its address, without a path."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self, script: str) -> list[Request]:
        """List the requests that belonged to a script, without those on the side."""
        return [one for one in self.requests if one.talk.script == script and one.talk.offers]

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, *request: Any) -> None:
        """Say nothing of clients that went away in the middle of an answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(*request)


class Desk(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Keep quiet."""

    def do_HEAD(self) -> None:
        """Say that somebody is here."""
        self._reply(200, {})

    def do_GET(self) -> None:
        """List the models."""
        self._reply(200, {"object": "list", "data": MODELS, "has_more": False})

    def do_POST(self) -> None:
        """Say what comes next in the script."""
        path = urlsplit(self.path).path
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if path.endswith("/count_tokens"):
            self._reply(200, {"input_tokens": 1})
        elif path not in APIS:
            self._reply(404, {"error": {"message": f"nothing is at {path}"}})
        else:
            talk = APIS[path].read(body)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.requests.append(Request(path, body, talk, headers))
            self._tell(path, talk)

    def _tell(self, path: str, talk: Conversation) -> None:
        move = self._move(talk)
        if isinstance(move, Refuse):
            return self._reply(400, APIS[path].error(move.message))
        try:
            document, frames = APIS[path].whole(move, talk), list(APIS[path].frames(move, talk))
        except LookupError as error:  # told to the agent, so that the test shows it
            return self._reply(400, APIS[path].error(str(error)))
        if not talk.stream:
            return self._reply(200, document)
        self._stream(frames)
        if isinstance(move, Stall):
            self._stall(APIS[path].PING)
        return None

    def _move(self, talk: Conversation) -> Move:
        stuck = self.server.stuck_at
        if stuck is not None and stuck in talk.prompt and talk.offers:
            return Stall()
        decider = DECIDERS.get(talk.script or "") if talk.offers else None
        return decider(talk) if decider else next_move(talk, {**SCRIPTS, **ERRANDS})

    def _reply(self, status: int, document: dict[str, Any]) -> None:
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.send_header("x-should-retry", "false")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def _stream(self, frames: Sequence[str]) -> None:
        self.close_connection = True  # the end of the connection is the end of the answer
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for frame in frames:
            self._send(frame)

    def _stall(self, ping: str) -> None:
        self.server.stalled.set()
        while not self.server.closing.wait(PING_EVERY_S):
            self._send(ping)

    def _send(self, frame: str) -> None:
        self.wfile.write(frame.encode())
        self.wfile.flush()
