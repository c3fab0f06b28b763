"""The passing of one answer, from upstream to the agent."""

from __future__ import annotations

import aiohttp
from multidict import CIMultiDict

from .asked import Asked
from .frames import read_event
from .heard import Heard
from .meter import Meter
from .outlet import Outlet

# They hold for one connection only (RFC 9110), or are made anew for the next.
OF_A_CONNECTION = frozenset(
    [
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te"),
        *("proxy-connection", "trailer", "transfer-encoding", "upgrade", "http2-settings"),
        *("content-length", "content-encoding"),
    ]
)
NOT_PASSED_BACK = OF_A_CONNECTION | {"alt-svc", "date", "server"}


class Passage:
    """Send an answer on while it comes, and tell what it used before the agent has it all."""

    def __init__(self, asked: Asked, heard: Heard, outlet: Outlet, meter: Meter) -> None:
        self._api = asked.api
        self._heard = heard
        self._outlet = outlet
        self._meter = meter
        self.ended = False  # many clients leave at the last event, before the end of the stream

    async def go(self, response: aiohttp.ClientResponse) -> None:
        """Send all that comes; the end of the answer is left to the caller."""
        headers = CIMultiDict(
            (name, value)
            for name, value in response.headers.items()
            if name.lower() not in NOT_PASSED_BACK
        )
        if self._heard.is_stream:
            await self._stream(response, headers)
        elif response.content_length is None or "content-encoding" in response.headers:
            await self._pieces(response, headers)
        else:
            await self._body(response, headers)

    async def _stream(self, response: aiohttp.ClientResponse, headers: CIMultiDict[str]) -> None:
        await self._outlet.begin(response.status, headers, None)
        async for piece in response.content.iter_any():
            for frame in self._heard.take(piece):
                await self._send(frame)
        for frame in self._heard.rest():
            await self._send(frame)
        self._end()

    async def _send(self, frame: bytes) -> None:
        if not self._outlet.cuts_next and self._api.is_last(read_event(frame)):
            self._end()
        await self._outlet.write(frame)

    async def _pieces(self, response: aiohttp.ClientResponse, headers: CIMultiDict[str]) -> None:
        await self._outlet.begin(response.status, headers, None)
        async for piece in response.content.iter_any():
            self._heard.take_body(piece)
            await self._outlet.pass_on(piece)
        self._end()

    async def _body(self, response: aiohttp.ClientResponse, headers: CIMultiDict[str]) -> None:
        async for piece in response.content.iter_any():
            self._heard.take_body(piece)
        body = b"".join(self._heard.answer().frames)
        await self._outlet.begin(response.status, headers, len(body))
        self._end()
        await self._outlet.pass_on(body)

    def _end(self) -> None:
        if not self.ended:
            self.ended = True
            self._meter.note(self._heard.answer(), self._api)
