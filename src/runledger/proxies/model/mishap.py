"""Faults on purpose: what goes wrong with one request, instead of its answer or in it."""

from __future__ import annotations

import asyncio
from dataclasses import fields

from ...ledger.event import Log
from ...ledger.proxy import Fault
from ...ledger.value import Json
from .asked import Asked
from .frames import read_document
from .outlet import Outlet
from .tokens import below

BROKEN_BODY = b'{"id": "broken_on_purpose", "type": "message", "content": [{"ty'
BROKEN_FRAME = b'event: message_start\ndata: {"type": "message_start", "message": {"id": "bro\n\n'
WORDS = "this fault is injected on purpose, by `inject` of the suite or case"


async def suffer(fault: Fault, asked: Asked, outlet: Outlet) -> bool:
    """Let a fault happen; say whether the request was answered by it."""
    if fault.delay_ms:
        await asyncio.sleep(fault.delay_ms / 1000)
    if fault.reset:
        outlet.reset()
        return True
    if fault.status is not None:
        await outlet.say(fault.status, asked.api.error(fault.status, WORDS), {})
        return True
    if fault.malformed:
        await _say_nonsense(asked, outlet)
        return True
    outlet.left = fault.cut_after_frames
    return False


def note_of(fault: Fault) -> Log:
    """Write for the record what was done to a request."""
    done: dict[str, Json] = {
        one.name: value
        for one in fields(fault)
        if one.name not in ("kind", "nth")
        and (value := getattr(fault, one.name)) not in (None, False)
    }
    return Log("info", "fault injected", {"kind": fault.kind, "nth": fault.nth, "do": done})


async def _say_nonsense(asked: Asked, outlet: Outlet) -> None:
    if wants_stream(asked):
        await outlet.begin(200, {"content-type": "text/event-stream"}, None)
        await outlet.pass_on(BROKEN_FRAME)
    else:
        await outlet.begin(200, {"content-type": "application/json"}, len(BROKEN_BODY))
        await outlet.pass_on(BROKEN_BODY)
    await outlet.end()


def wants_stream(asked: Asked) -> bool:
    """Say whether a client asked for a stream of events."""
    if ":stream" in asked.target:
        return "alt=sse" in asked.target
    return below(read_document(asked.body), "stream") is True
