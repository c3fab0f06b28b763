"""Answer the requests of one agent, whatever comes."""

from __future__ import annotations

from aiohttp import web

from ...errors import CassetteMiss, TrialFault
from ...ledger.cut import beginning
from ...store.cassette.weight import MOST_BYTES
from .. import Station
from ..faults import note_of
from .apis import Api
from .apis.choice import api_of
from .asked import read_request
from .mishap import Debts, suffer
from .outlet import Cut, Gone, Outlet
from .source import Source

SAID = 1000  # characters of a fault that the agent is told
STATUSES = {"message_too_large": 413, "internal_error": 502}
NO_RETRY = {"x-should-retry": "false"}  # which SDKs and agents obey


class Desk:
    """Answer one request after another; what cannot be answered ends the trial."""

    def __init__(self, source: Source, station: Station) -> None:
        self._source = source
        self._station = station
        self._debts = Debts()

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        if request.method == "HEAD":  # to see whether anybody is here
            return web.Response()
        if not request.raw_path.startswith("/"):  # an address: we lead to one upstream only
            return web.Response(status=400)
        outlet = Outlet(request)
        try:
            await self._serve(request, outlet)
        except (Gone, Cut, ConnectionError, web.RequestPayloadError):
            outlet.cut()
        except Exception as problem:
            await self._refuse(_fault_of(problem), api_of(request.raw_path), outlet)
        return outlet.response

    async def _serve(self, request: web.BaseRequest, outlet: Outlet) -> None:
        fault = self._station.faults.next("model") if request.method == "POST" else None
        asked = self._debts.settle(await read_request(request))
        if fault is not None:
            self._station.tell(note_of(fault))
            self._debts.note(asked)  # first: who is told, or leaves meanwhile, may ask at once
            if await suffer(fault, asked, outlet):
                return
            self._debts.forgive(asked)
        await self._source.answer(asked, outlet)

    async def _refuse(self, fault: TrialFault, api: Api, outlet: Outlet) -> None:
        self._station.fail(fault)  # first: an agent that is told may end at once
        if outlet.begun:
            outlet.cut()
            return
        status = 400 if isinstance(fault, CassetteMiss) else STATUSES.get(fault.kind, 400)
        words = beginning(str(fault), SAID)
        try:
            await outlet.say(status, api.error(status, words), NO_RETRY)
        except (Gone, Cut):
            outlet.cut()


def _fault_of(problem: Exception) -> TrialFault:
    match problem:
        case TrialFault():
            return problem
        case web.HTTPRequestEntityTooLarge():
            message = f"a request to the model is over {MOST_BYTES >> 20} MiB"
            return TrialFault("message_too_large", message)
    said = f"{type(problem).__name__}: {problem}"
    return TrialFault("internal_error", f"the model proxy failed: {beginning(said, SAID)}")
