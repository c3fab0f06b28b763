"""A model API at an address of its own on loopback, for one trial."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from socket import create_server
from types import TracebackType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import StreamReader, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage

from ...errors import OutsideError
from ...ledger.proxy import ModelProxy
from ...store.cassette.weight import MOST_BYTES
from .. import Station
from .desk import Desk
from .door import HOST, Door, draw_token
from .meter import Meter
from .source import Source

if TYPE_CHECKING:
    from typing import Self

END_S = 0.2  # after which tasks that do not end by themselves are cancelled
LONGEST_LINE = 65536  # of a head: keys and queries may be long

_SILENT = logging.Logger("runledger.model")  # of nobody's tree: what matters is in the record
_SILENT.addHandler(logging.NullHandler())


class ModelServer:
    """Serve in a thread of its own, from its making until it is closed."""

    def __init__(
        self,
        proxy: ModelProxy,
        station: Station,
        via: str | None = None,
        socket: Path | None = None,
    ) -> None:
        self._proxy = proxy
        self._station = station
        self._via = via
        self._socket = socket
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        opened: Future[Door] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(opened,), name=f"model {proxy.env}", daemon=True
        )
        self._thread.start()
        try:
            door = opened.result()
        except OSError as error:
            self._thread.join()
            raise _unheard(proxy, socket, error) from error
        self.address = door.address  # whatever the agent asks for begins with it
        self.url = door.address + urlsplit(proxy.upstream).path.rstrip("/")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every connection and every request upstream; what came of them is kept by then."""
        with suppress(RuntimeError):  # closed already
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()

    def _run(self, opened: Future[Door]) -> None:
        try:
            self._loop.run_until_complete(self._serve(opened))
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)
        finally:
            self._loop.close()

    async def _serve(self, opened: Future[Door]) -> None:
        async with AsyncExitStack() as stack:
            bound = stack.enter_context(create_server((HOST, 0)))  # loopback, and nothing else
            door = Door(self._proxy.env, bound.getsockname()[1], draw_token())
            server = _web_server(Desk(await self._source(stack), self._station, door))
            listening = [await self._loop.create_server(server, sock=bound)]
            stack.callback(listening[0].close)
            if self._socket is not None:
                listening.append(await self._loop.create_unix_server(server, self._socket))
            opened.set_result(door)
            await self._closing.wait()
            await _stop_listening(listening)
            await _end_all(server)

    async def _source(self, stack: AsyncExitStack) -> Source:
        """Choose where answers come from; replay pays for no client."""
        station, meter = self._station, Meter(self._station.tell)
        if station.player is not None:
            from .replay import Replay

            return Replay(self._proxy, station.player, meter, self._via)
        from .passing import PassOn, open_session
        from .recording import Keeper, keep_nothing

        session = await stack.enter_async_context(open_session())
        recorder = station.recorder
        keeper = keep_nothing if recorder is None else Keeper(recorder, self._via)
        return PassOn(self._proxy.upstream, session, meter, keeper)


def _unheard(proxy: ModelProxy, socket: Path | None, error: OSError) -> OutsideError:
    where = f"a port of {HOST}" if socket is None else f"a port of {HOST} and at {socket}"
    reason = error.strerror or str(error)
    return OutsideError(f"could not listen on {where} for {proxy.env}: {reason}")


def _web_server(desk: Desk) -> web.Server:
    return web.Server(
        desk.answer,
        request_factory=_request,
        handler_cancellation=True,  # a client that leaves ends its request upstream
        logger=_SILENT,
        access_log=None,
        max_line_size=LONGEST_LINE,
        max_field_size=LONGEST_LINE,
    )


async def _stop_listening(listening: Sequence[asyncio.Server]) -> None:
    """Take no connection any more; one that was just taken is made, or its socket stays open."""
    loop = asyncio.get_running_loop()
    for server in listening:
        for one in server.sockets:
            loop.remove_reader(one.fileno())
    await asyncio.sleep(0)
    for server in listening:
        server.close()


async def _end_all(server: web.Server) -> None:
    """End every connection, those too that are only just being made, and wait for their tasks."""
    while tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        for connection in server.connections:
            if (transport := connection.transport) is not None:
                transport.abort()  # which cancels its task
        ended, _ = await asyncio.wait(tasks, timeout=END_S, return_when=asyncio.FIRST_COMPLETED)
        if not ended:
            for task in tasks:
                task.cancel()
    await asyncio.sleep(0)  # so that every transport hears of its end


def _request(
    message: RawRequestMessage,
    payload: StreamReader,
    protocol: web.RequestHandler,
    writer: AbstractStreamWriter,
    task: asyncio.Task[None],
) -> web.BaseRequest:
    loop = asyncio.get_running_loop()
    return web.BaseRequest(
        message, payload, protocol, writer, task, loop, client_max_size=MOST_BYTES
    )
