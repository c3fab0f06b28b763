"""Faults on purpose: what goes wrong with one request, instead of its answer or in it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from hashlib import sha256

from ...ledger.proxy import Fault
from .asked import Asked
from .frames import read_document
from .outlet import Outlet
from .tokens import below

BROKEN_BODY = b'{"id": "broken_on_purpose", "type": "message", "content": [{"ty'
BROKEN_FRAME = b'event: message_start\ndata: {"type": "message_start", "message": {"id": "bro\n\n'
WORDS = "this fault is injected on purpose, by `inject` of the suite or case"


class Debts:
    """Remember the requests that met a fault in place of their answer.

    The retry of one is no retry for a recording, which gives its client what it heard last time:
    that was the answer of an earlier, equal request.
    """

    def __init__(self) -> None:
        self._owed: Counter[bytes] = Counter()

    def note(self, asked: Asked) -> None:
        """Note that a request may go without its answer."""
        self._owed[_digest(asked)] += 1

    def forgive(self, asked: Asked) -> None:
        """Note that a request is to be answered after all."""
        self._owed -= Counter([_digest(asked)])

    def settle(self, asked: Asked) -> Asked:
        """Give a request as it is to be answered: a retry may have to be answered as the first."""
        if not asked.retry or self._owed[_digest(asked)] < 1:
            return asked
        self.forgive(asked)
        return replace(asked, is_owed=True)


def _digest(asked: Asked) -> bytes:
    return sha256(f"{asked.method} {asked.target!r}\n".encode() + asked.body).digest()


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
    if ":streamGenerate" in asked.target:  # only Gemini has another way, without events
        return "alt=sse" in asked.target
    return below(read_document(asked.body), "stream") is True
