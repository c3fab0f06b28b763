"""A request of the agent's, as it came in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...ledger.proxy import Profile
from ...ledger.value import Json
from ...store.cassette.entry import AgentStamp, ModelRequest
from ...store.cassette.public import public_path
from ...store.replay.body import read_body
from .apis import Api
from .apis.choice import api_of

if TYPE_CHECKING:
    from aiohttp import web

RETRIES = "x-stainless-retry-count"  # how the SDKs of Anthropic and OpenAI count

_COUNT = re.compile(r"[0-9]{1,9}")
_PRODUCT = re.compile(r"([!-~]{1,80}?)[/ ]v?(\d[\w.+-]{0,40})")  # claude-cli/2.1.197 (…)


@dataclass(frozen=True, slots=True)
class Asked:
    """What an agent asks of a model's API."""

    method: str
    target: str  # path and query, as upstream is to see them
    headers: Mapping[str, str]  # found in any case of letters
    body: bytes
    is_owed: bool = False  # a fault on purpose took the place of its answer when it was asked first

    @property
    def path(self) -> str:
        """Give path and query, but for what is secret in it."""
        return public_path(self.target)

    @property
    def api(self) -> Api:
        """Tell which API it belongs to."""
        return api_of(self.target)

    @property
    def document(self) -> Json:
        """Read the body: JSON, or a text that is none; None where there is nothing."""
        return read_body(self.body)

    @property
    def agent(self) -> AgentStamp | None:
        """Tell who asks, as it calls itself."""
        return stamp_in(self.headers.get("user-agent", ""))

    @property
    def retry(self) -> int:
        """Tell how often the client says that it asked this before."""
        count = self.headers.get(RETRIES, "")
        return int(count) if _COUNT.fullmatch(count) else 0

    def request(self, profile: Profile, via: str | None = None) -> ModelRequest:
        """Ask for the answer that was recorded; one that is owed is asked for the first time."""
        retry = 0 if self.is_owed else self.retry
        return ModelRequest(self.method, self.path, self.body, profile, self.agent, retry, via)


async def read_request(request: web.BaseRequest, target: str) -> Asked:
    """Read a request to its end; aiohttp undoes its compression, and raises when it is too long."""
    if request.headers.get("expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # what follows is the answer
    return Asked(request.method, target, request.headers, await request.read())


def stamp_in(user_agent: str) -> AgentStamp | None:
    """Read name and version from the first product that a User-Agent names."""
    found = _PRODUCT.match(user_agent)
    return AgentStamp(found[1], found[2]) if found else None
