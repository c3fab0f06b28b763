"""The way back to the agent: an answer goes out piece by piece, and may be cut off."""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping

import orjson
from aiohttp import HttpVersion11, web

from ...ledger.value import Json

_AT_ONCE = struct.pack("ii", 1, 0)  # linger for no time: the peer sees a reset


class Gone(Exception):
    """Tell that the client left before it had all."""


class Cut(Exception):
    """Tell that an answer is to end here, without its end."""


class Outlet:
    """Send one answer; after so many frames it is cut, where that is wanted."""

    def __init__(self, request: web.BaseRequest) -> None:
        self._request = request
        self._response: web.StreamResponse | None = None
        self._endless = False
        self.left: int | None = None  # frames until the cut

    @property
    def cuts_next(self) -> bool:
        """Say whether the next frame of the stream is the last one that goes out."""
        return self._endless and self.left == 1

    @property
    def begun(self) -> bool:
        """Say whether anything was sent."""
        return self._response is not None

    @property
    def response(self) -> web.StreamResponse:
        """Give what aiohttp wants to see in the end."""
        return self._response or web.Response()

    async def begin(self, status: int, headers: Mapping[str, str], length: int | None) -> None:
        """Send the head of an answer; without a length it goes on until its end."""
        response = web.StreamResponse(status=status, headers=headers)
        self._endless = length is None
        if length is not None:
            response.content_length = length
        elif self._request.version >= HttpVersion11:
            response.enable_chunked_encoding()
        else:
            response.force_close()  # which is how an older client sees the end
        self._response = response
        try:
            await response.prepare(self._request)
        except ConnectionError:
            raise Gone from None
        if self.left == 0:
            raise Cut

    async def write(self, frame: bytes) -> None:
        """Send a frame; raise Cut where no other is to follow. A body of known length is whole."""
        last = self.cuts_next
        await self.pass_on(frame)
        if last:
            raise Cut
        if self.left is not None:
            self.left -= 1

    async def pass_on(self, piece: bytes) -> None:
        """Send bytes that are no frame of their own."""
        try:
            await self.response.write(piece)
        except ConnectionError:
            raise Gone from None

    async def end(self) -> None:
        """Send the end of an answer."""
        try:
            await self.response.write_eof()
        except ConnectionError:
            raise Gone from None

    async def say(self, status: int, document: Json, headers: Mapping[str, str]) -> None:
        """Send a whole document."""
        text = orjson.dumps(document)
        await self.begin(status, {"content-type": "application/json", **headers}, len(text))
        await self.pass_on(text)
        await self.end()

    def cut(self) -> None:
        """Close the connection, once what was written is out."""
        if (transport := self._request.transport) is not None:
            transport.close()

    def reset(self) -> None:
        """Break the connection off."""
        if (transport := self._request.transport) is None:
            return
        if (connected := transport.get_extra_info("socket")) is not None:
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        transport.abort()
