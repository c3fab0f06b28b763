"""A model API at a port of its own on loopback, for one trial."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
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
from .meter import Meter
from .source import Source

if TYPE_CHECKING:
    from typing import Self

HOST = "127.0.0.1"
END_S = 0.2  # after which tasks that do not end by themselves are cancelled
LONGEST_LINE = 65536  # of a head: keys and queries may be long

_SILENT = logging.Logger("runledger.model")  # of nobody's tree: what matters is in the record
_SILENT.addHandler(logging.NullHandler())


class ModelServer:
    """Serve in a thread of its own, from its making until it is closed."""

    def __init__(self, proxy: ModelProxy, station: Station, via: str | None = None) -> None:
        self._proxy = proxy
        self._station = station
        self._via = via
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        port: Future[int] = Future()
        self._thread = threading.Thread(
            target=self._run, args=(port,), name=f"model {proxy.env}", daemon=True
        )
        self._thread.start()
        try:
            found = port.result()
        except OSError as error:
            self._thread.join()
            raise OutsideError(f"no port on {HOST} for {proxy.env}: {error.strerror}") from error
        self.url = f"http://{HOST}:{found}{urlsplit(proxy.upstream).path.rstrip('/')}"

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

    def _run(self, port: Future[int]) -> None:
        try:
            self._loop.run_until_complete(self._serve(port))
        except Exception as error:
            if port.done():
                raise
            port.set_exception(error)
        finally:
            self._loop.close()

    async def _serve(self, port: Future[int]) -> None:
        async with AsyncExitStack() as stack:
            desk = Desk(await self._source(stack), self._station)
            server = web.Server(
                desk.answer,
                request_factory=_request,
                handler_cancellation=True,  # a client that leaves ends its request upstream
                logger=_SILENT,
                access_log=None,
                max_line_size=LONGEST_LINE,
                max_field_size=LONGEST_LINE,
            )
            listening = await self._loop.create_server(server, HOST, 0)
            port.set_result(listening.sockets[0].getsockname()[1])
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


async def _stop_listening(listening: asyncio.Server) -> None:
    """Take no connection any more; one that was just taken is made, or its socket stays open."""
    loop = asyncio.get_running_loop()
    for one in listening.sockets:
        loop.remove_reader(one.fileno())
    await asyncio.sleep(0)
    listening.close()


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
