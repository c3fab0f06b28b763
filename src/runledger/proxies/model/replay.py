"""Answer from a recording: byte for byte, and without any connection."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...ledger.proxy import ModelProxy
from ...store.cassette.entry import ModelAnswer
from .apis import Api
from .asked import Asked
from .frames import read_event
from .meter import Meter
from .outlet import Cut, Gone, Outlet

if TYPE_CHECKING:
    from ...store.replay.player import Player


@dataclass(frozen=True, slots=True)
class Replay:
    """Send what was recorded, at once or as slowly as it came."""

    proxy: ModelProxy
    player: Player
    meter: Meter
    via: str | None = None

    async def answer(self, asked: Asked, outlet: Outlet) -> None:
        """Send the recorded answer; one that the client does not wait for is given back."""
        entry = self.player.model(asked.request(self.proxy.profile, self.via))
        playback = Playback(entry.answer, asked.api, outlet, self.meter)
        try:
            await playback.go(in_time=self.proxy.latency == "recorded")
        except (Gone, Cut, asyncio.CancelledError):
            # Where it broke off, the client may leave a moment before or after we cut it off.
            if not playback.ended and not entry.answer.partial:
                self.player.give_back(entry)
            raise
        if entry.answer.partial:
            raise Cut
        await outlet.end()


class Playback:
    """Send one answer, and tell what it used before the agent has it all."""

    def __init__(self, answer: ModelAnswer, api: Api, outlet: Outlet, meter: Meter) -> None:
        self._answer = answer
        self._api = api
        self._outlet = outlet
        self._meter = meter
        self.ended = False  # many clients leave at the last event, before the end of the stream

    async def go(self, *, in_time: bool) -> None:
        """Send all frames; the end of the answer is left to the caller."""
        answer, started = self._answer, asyncio.get_running_loop().time()
        last = _last_event(answer, self._api)
        for number, frame in enumerate(answer.frames):
            if in_time and number < len(answer.t):
                await _until(started + answer.t[number] / 1000)
            if number == 0:
                await self._begin()
            if number == last and not self._outlet.cuts_next:
                # Before it is out: who has it all may end at once.
                self._meter.note(answer, self._api)
            await self._outlet.write(frame)
            self.ended |= number == last
        if not answer.frames and not answer.partial:
            await self._begin()

    async def _begin(self) -> None:
        answer = self._answer
        endless = answer.is_stream or answer.partial
        length = None if endless else sum(map(len, answer.frames))
        await self._outlet.begin(answer.status, answer.headers, length)


def _last_event(answer: ModelAnswer, api: Api) -> int:
    """Find the frame that ends an answer for its client; comments may follow it in a stream."""
    frames = answer.frames
    ends = (at for at in reversed(range(len(frames))) if api.is_last(read_event(frames[at])))
    return next(ends, len(frames) - 1) if answer.is_stream else len(frames) - 1


async def _until(moment: float) -> None:
    left = moment - asyncio.get_running_loop().time()
    if left > 0:
        await asyncio.sleep(left)
