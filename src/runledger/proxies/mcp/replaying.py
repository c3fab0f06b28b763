"""Answer an agent from a cassette, as the server answered when it was recorded."""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from ...errors import CassetteMiss
from ...ledger.fingerprint import canonical_bytes
from ...ledger.value import Json
from ...store.cassette.entry import McpEntry
from ...wire.jsonrpc import INTERNAL_ERROR, Answer, Heard, NotSpoken, Request
from .. import Station
from .book import PING
from .caller import Caller, attend
from .kept import Fields, asked, key_of, remark_to, reply_to, stamp_of
from .line import HungUp, Line

if TYPE_CHECKING:
    from ...store.replay.player import Player

NOT_A_REQUEST = -32600
LASTING = frozenset(
    {
        "initialize",
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    }
)
"""What an agent may ask more often than it did: the answer does not change by being given."""


class Recording:
    """The recorded replies of one server, for all sessions of a trial."""

    def __init__(self, server: str, player: Player) -> None:
        self._server = server
        self._player = player
        self._lasting: dict[tuple[str, bytes], McpEntry] = {}
        self._returned: dict[tuple[str, bytes], deque[McpEntry]] = defaultdict(deque)
        self._lock = threading.Lock()

    def find(self, request: Request) -> McpEntry:
        """Give the next reply that was recorded for a request, or raise CassetteMiss."""
        params = asked(request)
        key = (request.method, canonical_bytes(params))
        if (stamp := stamp_of(request)) is not None:
            self._player.meet(stamp)
        with self._lock:
            if self._returned[key]:
                return self._returned[key].popleft()
            return self._next(key, params)

    def give_back(self, request: Request, entry: McpEntry) -> None:
        """Take back a reply that did not reach the agent: the next equal request gets it."""
        with self._lock:
            self._returned[request.method, canonical_bytes(asked(request))].append(entry)

    def _next(self, key: tuple[str, bytes], params: Json) -> McpEntry:
        method, _ = key
        try:
            entry = self._player.mcp(self._server, method, params)
        except CassetteMiss:
            if key in self._lasting:
                return self._lasting[key]
            raise
        if method in LASTING and not entry.is_open:
            self._lasting[key] = entry
        return entry


class Replayed:
    """Serve sessions from a cassette; no server is started."""

    def __init__(self, server: str, station: Station, player: Player) -> None:
        self._station = station
        self._recording = Recording(server, player)

    def serve(self, line: Line) -> None:
        """Answer one session until the agent has no more to say."""
        peer = Replaying(line, self._station, self._recording)
        attend(line, Caller(line, self._station, peer))

    def close(self) -> None:
        """Do nothing: a cassette is read whole before the trial."""


@dataclass(frozen=True, slots=True)
class _Part:
    """What is left to say to one request."""

    request: Request
    entry: McpEntry
    rest: deque[Fields]


class Replaying:
    """Be the peer that speaks from a recording."""

    def __init__(self, line: Line, station: Station, recording: Recording) -> None:
        self._line = line
        self._station = station
        self._recording = recording
        self._numbers = count(1)  # the ids of what we ask
        self._waiting: dict[bytes, _Part] = {}  # for the agent's answer to what we asked

    def hear(self, line: bytes, heard: Heard) -> None:
        """Answer a request; what the agent answers is only waited for, and told to nobody."""
        match heard:
            case Request(method=method) if method == PING:
                self._line.tell({"id": heard.id, "result": {}})
            case Request():
                self._reply(heard)
            case Answer(id=id):
                if part := self._waiting.pop(key_of(id), None):
                    self._play(part)

    def stumble(self, line: bytes, reason: NotSpoken) -> None:
        """Refuse a line that is no message."""
        error: Json = {"code": NOT_A_REQUEST, "message": f"not JSON-RPC: {reason}"}
        self._line.tell({"id": None, "error": error})

    def _reply(self, request: Request) -> None:
        try:
            entry = self._recording.find(request)
        except CassetteMiss as miss:
            if self._line.is_limited:  # what is cut off is not kept unless the agent comes again
                raise HungUp from None
            self._station.fail(miss)  # first: an agent that is told may end at once
            message = str(miss).partition("\n")[0]
            error: Json = {"code": INTERNAL_ERROR, "message": message}
            self._line.tell({"id": request.id, "error": error})
            return
        before = (remark_to(request, one) for one in entry.before)
        rest = deque(one for one in before if one is not None)
        if not entry.is_open:
            rest.append(reply_to(request, entry.reply))
        self._play(_Part(request, entry, rest))

    def _play(self, part: _Part) -> None:
        """Say what comes up to the reply and after it, or up to a question of ours."""
        while part.rest:
            id = self._say(part, part.rest.popleft())
            if id is not None:
                self._waiting[key_of(id)] = part
                return
        for one in part.entry.after:
            if (remark := remark_to(part.request, one)) is not None:
                self._say(part, remark)

    def _say(self, part: _Part, message: Fields) -> Json:
        """Send a message, under an id of ours if it is a question; give that."""
        id = next(self._numbers) if "method" in message and "id" in message else None
        try:
            self._line.tell(message if id is None else {**message, "id": id})
        except HungUp:
            if part.rest:
                self._recording.give_back(part.request, part.entry)
            raise
        return id
