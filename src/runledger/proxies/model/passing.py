"""Pass requests on to the real API, and its answers back as they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from ...errors import TrialFault
from ...ledger.printable import one_line
from ...store.cassette.entry import ModelAnswer
from ...store.cassette.public import KEPT_HEADERS
from .asked import Asked
from .heard import Heard
from .meter import Meter
from .outlet import Cut, Gone, Outlet
from .passage import OF_A_CONNECTION, Passage

Keep: TypeAlias = Callable[[Asked, ModelAnswer], None]

NOT_PASSED_ON = OF_A_CONNECTION | {"host", "accept-encoding", "expect"}
AUTOMATIC = ("accept", "content-type", "user-agent")  # what aiohttp would add on its own
KEPT = tuple(sorted(KEPT_HEADERS))  # so that equal answers make equal cassettes
CONNECT_S = 30
NOTHING_YET = ModelAnswer(200, {}, (), partial=True)


def open_session() -> aiohttp.ClientSession:
    """Open what connects to upstream: certificates are checked, no proxy of ours is between."""
    # Each request has a connection of its own: one that upstream closed meanwhile fails a POST.
    connector = aiohttp.TCPConnector(force_close=True, limit=0)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S)
    return aiohttp.ClientSession(
        connector=connector,
        timeout=timeout,
        skip_auto_headers=AUTOMATIC,
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=65536,
        max_field_size=65536,
    )


@dataclass(frozen=True, slots=True)
class PassOn:
    """Let upstream answer; `keep` gets each answer, whole or as far as it came."""

    upstream: str
    session: aiohttp.ClientSession
    meter: Meter
    keep: Keep

    async def answer(self, asked: Asked, outlet: Outlet) -> None:
        """Ask upstream and send what it answers; raise TrialFault when it cannot be reached."""
        clock = _stopwatch()
        try:
            response = await self._ask(asked)
        except (aiohttp.ClientError, OSError) as error:
            raise self._unreachable(error) from None
        except asyncio.CancelledError:  # the client left: in replay it will ask this too
            self.keep(asked, NOTHING_YET)
            raise
        async with response:
            heard = Heard(response.status, _kept(response), clock)
            await self._relay(asked, response, heard, outlet)

    async def _ask(self, asked: Asked) -> aiohttp.ClientResponse:
        headers = [
            (name, value)
            for name, value in asked.headers.items()
            if name.lower() not in NOT_PASSED_ON
        ]
        return await self.session.request(
            asked.method,
            URL(origin_of(self.upstream) + asked.target, encoded=True),
            headers=[*headers, ("accept-encoding", "identity")],
            data=asked.body or None,
            allow_redirects=False,
        )

    async def _relay(
        self, asked: Asked, response: aiohttp.ClientResponse, heard: Heard, outlet: Outlet
    ) -> None:
        """Send an answer on while it comes, and keep it when it is over, however it ended."""
        passage = Passage(asked, heard, outlet, self.meter)
        try:
            await passage.go(response)
        except Cut:  # on purpose: in replay it is asked for, and cut, again
            self.keep(asked, heard.answer(partial=True))
            raise
        except (Gone, asyncio.CancelledError):
            self.keep(asked, heard.answer(partial=not passage.ended))
            raise
        except (aiohttp.ClientError, OSError):
            self.keep(asked, heard.answer(partial=True))
            raise Cut from None
        self.keep(asked, heard.answer())
        await outlet.end()

    def _unreachable(self, error: Exception) -> TrialFault:
        reason = one_line(str(error) or type(error).__name__)
        return TrialFault(
            "internal_error",
            f"the model API at {self.upstream} cannot be reached: {reason}\n"
            "check `upstream` of proxies.model and the network; replay needs neither",
            {"upstream": self.upstream},
        )


def origin_of(upstream: str) -> str:
    """Give scheme and host of an address: the agent's paths begin with the rest of it."""
    parts = urlsplit(upstream)
    return f"{parts.scheme}://{parts.netloc}"


def _stopwatch() -> Callable[[], float]:
    time = asyncio.get_running_loop().time
    started = time()
    return lambda: time() - started


def _kept(response: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: response.headers[name] for name in KEPT if name in response.headers}
