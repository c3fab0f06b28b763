"""How much memory the steps of an ACP session take."""

from __future__ import annotations

from collections.abc import Mapping

from ...ledger.value import Json
from ...process.pipes import TooLarge
from .shapes import text_at
from .turn import SPOKEN
from .words import text_of

KEPT_CAP = 96 * 1024 * 1024
PIECE = 100  # that a piece of text costs beside its letters


class Scales:
    """Add up what is kept of the updates: text costs its letters, the rest all its values."""

    def __init__(self, cap: int = KEPT_CAP) -> None:
        self._cap = cap
        self._kept = 0
        self._held: dict[str, int] = {}  # by call: what was told last and is not a step of its own

    def add(self, update: Mapping[str, Json], weight: int, *, is_news: bool) -> None:
        """Put an update on the scales; raise TooLarge when they hold too much."""
        call_id = text_at(update, "toolCallId")
        if update.get("sessionUpdate") in SPOKEN:
            weight = len(text_of(update.get("content"))) + PIECE
        elif call_id and not is_news:  # it takes the place of what was told of the call before
            before, self._held[call_id] = self._held.get(call_id, 0), weight
            weight -= before
        self._kept += weight
        if self._kept > self._cap:
            raise TooLarge(f"what is kept of its messages is over {self._cap // 2**20} MiB")
