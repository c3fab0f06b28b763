"""Answer from a recording: byte for byte, and without any connection."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...ledger.proxy import ModelProxy
from ...store.cassette.entry import ModelAnswer
from .asked import Asked
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

    async def answer(self, asked: Asked, outlet: Outlet) -> None:
        """Send the recorded answer; one that the client does not wait for is given back."""
        entry = self.player.model(asked.request(self.proxy.profile))
        try:
            await self._play(entry.answer, asked, outlet)
        except (Gone, Cut, asyncio.CancelledError):
            self.player.give_back(entry)
            raise
        if entry.answer.partial:
            raise Cut
        await outlet.end()

    async def _play(self, answer: ModelAnswer, asked: Asked, outlet: Outlet) -> None:
        started = asyncio.get_running_loop().time()
        endless = answer.is_stream or answer.partial
        length = None if endless else sum(map(len, answer.frames))
        last = len(answer.frames) - 1
        for number, frame in enumerate(answer.frames):
            if self.proxy.latency == "recorded" and number < len(answer.t):
                await _until(started + answer.t[number] / 1000)
            if number == 0:
                await outlet.begin(answer.status, answer.headers, length)
            if number == last and not outlet.cuts_next:
                # Before it is out: who has it all may end at once.
                self.meter.note(answer, asked.api)
            await outlet.write(frame)
        if last < 0 and not answer.partial:
            await outlet.begin(answer.status, answer.headers, length)


async def _until(moment: float) -> None:
    left = moment - asyncio.get_running_loop().time()
    if left > 0:
        await asyncio.sleep(left)
