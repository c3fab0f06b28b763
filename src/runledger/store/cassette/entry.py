"""What a cassette holds: one noun for each kind of entry, and what they all have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from ...ledger.proxy import Profile
from ...ledger.value import Json

EntryKind: TypeAlias = Literal["tool", "mcp", "model"]

STREAM = "text/event-stream"

RETRIED = frozenset({408, 409, 429})  # with these, and from 500 on, clients ask once more


class Recorded(Protocol):
    """An entry as matching sees it: who was asked, and what."""

    @property
    def line(self) -> int:
        """Give the line of the cassette that it stands on."""

    @property
    def kind(self) -> EntryKind:
        """Tell at which level it was recorded."""

    @property
    def name(self) -> str:
        """Name the tool; or the server and its method; or the method and path of HTTP."""

    @property
    def asked(self) -> Json:
        """Give the arguments, parameters or body."""


@dataclass(frozen=True, slots=True)
class AgentStamp:
    """Which agent was recorded, as it calls itself."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded call of a tool and its answer, with the line it stands on."""

    line: int
    tool: str
    args: Mapping[str, Json]
    ok: bool
    result: Json = None
    error: Json = None

    @property
    def kind(self) -> EntryKind:
        """Tell that the runner answered it."""
        return "tool"

    @property
    def name(self) -> str:
        """Name the tool."""
        return self.tool

    @property
    def asked(self) -> Json:
        """Give the arguments."""
        return self.args


@dataclass(frozen=True, slots=True)
class McpEntry:
    """One recorded request to an MCP server, its reply, and what the server said around it."""

    line: int
    server: str
    method: str
    params: Json
    reply: Mapping[str, Json]  # {"result": …} or {"error": …}; empty where nobody waited for it
    before: tuple[Json, ...] = ()  # messages of the server between the request and the reply
    after: tuple[Json, ...] = ()  # and from then to the next request

    @property
    def is_open(self) -> bool:
        """Say whether it was never answered: the agent cancelled it, or left before."""
        return not self.reply

    @property
    def kind(self) -> EntryKind:
        """Tell that an MCP server answered it."""
        return "mcp"

    @property
    def name(self) -> str:
        """Name the server and the method."""
        return f"{self.server} {self.method}"

    @property
    def asked(self) -> Json:
        """Give the parameters."""
        return self.params


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What came back from a model API, in the pieces in which it came."""

    status: int
    headers: Mapping[str, str]  # the few that are kept, in lower case
    frames: tuple[bytes, ...]  # events of a stream, each whole; or one piece, the body
    t: tuple[int, ...] = ()  # milliseconds from the request to each frame
    partial: bool = False  # the client left before the end: not as good as a whole one

    @property
    def is_stream(self) -> bool:
        """Say whether it is a stream of events."""
        return self.headers.get("content-type", "").lower().startswith(STREAM)

    @property
    def is_retried(self) -> bool:
        """Say whether a client that got this asks once more, to get a better one."""
        return self.partial or self.status in RETRIED or self.status >= 500


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One recorded request to a model API and its answer."""

    line: int
    method: str
    path: str  # with the query, but for what is secret in it
    body: Json  # None where there was none; a text where it was no JSON
    answer: ModelAnswer = field(default=ModelAnswer(200, {}, ()))
    via: str | None = None  # the variable of the proxy it came through, where there were several

    @property
    def kind(self) -> EntryKind:
        """Tell that a model answered it."""
        return "model"

    @property
    def name(self) -> str:
        """Name the method and the path."""
        return f"{self.method} {self.path}"

    @property
    def asked(self) -> Json:
        """Give the body."""
        return self.body


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request of an agent to a model API, for which the recorded answer is wanted."""

    method: str
    path: str  # with the query, but for what is secret in it
    body: bytes  # as it came
    profile: Profile  # of the proxy it came through
    agent: AgentStamp | None = None  # as its User-Agent tells
    retry: int = 0  # how often the client says that it asked this before
    via: str | None = None  # the variable of that proxy, where there are several
