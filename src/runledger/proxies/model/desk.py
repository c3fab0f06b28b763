"""Answer the requests of one agent, whatever comes."""

from __future__ import annotations

import orjson
from aiohttp import web

from ...errors import CassetteMiss, TrialFault
from ...ledger.cut import beginning
from ...ledger.event import Log
from ...store.cassette.weight import MOST_BYTES
from .. import Station
from ..faults import note_of
from .apis import Api
from .apis.choice import api_of
from .asked import read_request
from .door import Door
from .mishap import Debts, suffer
from .outlet import Cut, Gone, Outlet
from .source import Source

METHOD = 20  # characters of a stranger's method that the record tells
SAID = 1000  # characters of a fault that the agent is told
STATUSES = {"message_too_large": 413, "internal_error": 502}
NO_RETRY = {"x-should-retry": "false"}  # which SDKs and agents obey


class Desk:
    """Answer one request after another; what cannot be answered ends the trial."""

    def __init__(self, source: Source, station: Station, door: Door) -> None:
        self._source = source
        self._station = station
        self._door = door
        self._debts = Debts()
        self._turned_away = False

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request."""
        if (objection := self._door.objection(request)) is not None:
            return self._turn_away(request, objection)
        if request.method == "HEAD":  # to see whether anybody is here
            return web.Response()
        outlet, target = Outlet(request), self._door.target(request)
        try:
            await self._serve(request, target, outlet)
        except (Gone, Cut, ConnectionError, web.RequestPayloadError):
            outlet.cut()
        except Exception as problem:
            await self._refuse(_fault_of(problem), api_of(target), outlet)
        return outlet.response

    async def _serve(self, request: web.BaseRequest, target: str, outlet: Outlet) -> None:
        fault = self._station.faults.next("model") if request.method == "POST" else None
        asked = self._debts.settle(await read_request(request, target))
        if fault is not None:
            self._station.tell(note_of(fault))
            self._debts.note(asked)  # first: who is told, or leaves meanwhile, may ask at once
            if await suffer(fault, asked, outlet):
                return
            self._debts.forgive(asked)
        await self._source.answer(asked, outlet)

    def _turn_away(self, request: web.BaseRequest, objection: str) -> web.Response:
        """Answer a stranger; the trial hears of the first one only, and goes on."""
        if not self._turned_away:
            self._turned_away = True
            said = {"method": beginning(request.method, METHOD), "reason": objection}
            self._station.tell(Log("warning", "a request to the model was turned away", said))
        text = orjson.dumps(api_of(request.raw_path).error(403, objection))
        return web.Response(
            status=403, body=text, headers=NO_RETRY, content_type="application/json"
        )

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
