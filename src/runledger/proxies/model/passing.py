"""Pass requests on to the real API, and its answers back as they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
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
from .recording import Keep

NOT_PASSED_ON = OF_A_CONNECTION | {"host", "accept-encoding", "expect"}
AUTOMATIC = ("accept", "content-type", "user-agent")  # what aiohttp would add on its own
KEPT = tuple(sorted(KEPT_HEADERS))  # so that equal answers make equal cassettes
CONNECT_S = 30
REDIRECTS = frozenset({301, 302, 303, 307, 308})
NOTHING_YET = ModelAnswer(200, {}, (), partial=True)
UNCONNECTED = (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError)
CHECK = "check `upstream` of proxies.model"


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
    """Let upstream answer; `keeper` is shown each request, and its answer as far as it came."""

    upstream: str
    session: aiohttp.ClientSession
    meter: Meter
    keeper: Callable[[Asked], Keep]

    async def answer(self, asked: Asked, outlet: Outlet) -> None:
        """Ask upstream and send what it answers; raise TrialFault when it cannot be reached."""
        clock, keep = _stopwatch(), self.keeper(asked)
        try:
            response = await self._ask(asked)
        except UNCONNECTED as error:
            raise self._unreachable(error) from None
        except (aiohttp.ClientConnectionError, OSError) as error:
            # The next try may go well: it is the agent's to make, and this one is not kept.
            await outlet.say(502, asked.api.error(502, self._broken_off(error)), {})
            return
        except aiohttp.ClientResponseError as error:
            raise self._not_spoken(error) from None
        except aiohttp.ClientError as error:
            raise self._unreachable(error) from None
        except asyncio.CancelledError:  # the client left: in replay it will ask this too
            keep(NOTHING_YET)
            raise
        async with response:
            if response.status in REDIRECTS:
                raise self._redirected(response)
            heard = Heard(response.status, _kept(response), clock)
            await _relay(response, Passage(asked, heard, outlet, self.meter), heard, keep)
            await outlet.end()

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

    def _redirected(self, response: aiohttp.ClientResponse) -> TrialFault:
        """Refuse to send the agent elsewhere: from there nothing could be heard, nor replayed."""
        place = response.headers.get("location", "").partition("?")[0]
        return TrialFault(
            "internal_error",
            f"the model API at {self.upstream} answers with a redirect ({response.status}) "
            f"to {one_line(place, 200) or 'nowhere'}\n"
            "set `upstream` of proxies.model to an address that answers by itself",
            {"upstream": self.upstream},
        )

    def _unreachable(self, error: Exception) -> TrialFault:
        return TrialFault(
            "internal_error",
            f"the model API at {self.upstream} cannot be reached: {_reason(error)}\n"
            f"{CHECK} and the network; replay needs neither",
            {"upstream": self.upstream},
        )

    def _not_spoken(self, error: aiohttp.ClientResponseError) -> TrialFault:
        return TrialFault(
            "internal_error",
            f"the model API at {self.upstream} does not speak HTTP: {one_line(error.message)}\n"
            f"{CHECK}: another program may be at this port, or https may be needed",
            {"upstream": self.upstream},
        )

    def _broken_off(self, error: Exception) -> str:
        return f"{self.upstream} broke off before it answered: {_reason(error)}"


def origin_of(upstream: str) -> str:
    """Give scheme and host of an address: the agent's paths begin with the rest of it."""
    parts = urlsplit(upstream)
    return f"{parts.scheme}://{parts.netloc}"


async def _relay(
    response: aiohttp.ClientResponse, passage: Passage, heard: Heard, keep: Keep
) -> None:
    """Send an answer on while it comes, and keep it when it is over, however it ended."""
    try:
        await passage.go(response)
    except Cut:  # on purpose: in replay it is asked for, and cut, again
        keep(heard.answer(partial=True))
        raise
    except (Gone, asyncio.CancelledError):
        keep(heard.answer(partial=not passage.ended))
        raise
    except (aiohttp.ClientError, OSError):
        keep(heard.answer(partial=True))
        raise Cut from None
    keep(heard.answer())


def _reason(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__)


def _stopwatch() -> Callable[[], float]:
    time = asyncio.get_running_loop().time
    started = time()
    return lambda: time() - started


def _kept(response: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: response.headers[name] for name in KEPT if name in response.headers}
