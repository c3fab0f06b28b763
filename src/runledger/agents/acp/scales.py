"""How much memory the steps of an ACP session take, and how much they write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...ledger.event import ToolCall, ToolResult
from ...ledger.strict_json import dump_line
from ...ledger.value import Json
from ...process.pipes import TooLarge
from ...wire.messages import weight_of
from .. import Said
from .calls import printed_in, told_in
from .shapes import text_at
from .turn import SPOKEN
from .words import text_of

KEPT_CAP = 64 * 1024 * 1024
PIECE = 100  # that a piece of text costs beside its letters


class Scales:
    """Add up what is kept of the updates: text costs its letters, the rest all its values."""

    def __init__(self, cap: int = KEPT_CAP) -> None:
        self._cap = cap
        self._kept = 0
        self._held: dict[str, dict[str, int]] = {}  # by call and field: what is not in a step yet

    def add(self, update: Mapping[str, Json], weight: int, news: Sequence[Said]) -> None:
        """Put an update and its news on the scales; raise TooLarge when they hold too much."""
        if text_at(update, "sessionUpdate") in SPOKEN:
            self._kept += len(text_of(update.get("content"))) + PIECE
        elif call_id := text_at(update, "toolCallId"):
            self._kept += self._weigh_call(call_id, update, news)
        elif news:
            self._kept += weight
        if self._kept > self._cap:
            raise TooLarge(f"what is kept of its messages is over {self._cap // 2**20} MiB")

    def _weigh_call(self, call_id: str, update: Mapping[str, Json], news: Sequence[Said]) -> int:
        """Weigh what is told of a call: it replaces what no step holds, but prints add up."""
        held = self._held.setdefault(call_id, {})
        brought = {key: weight_of(dump_line(value)) for key, value in told_in(update).items()}
        added = sum(brought.values()) - sum(held.get(key, 0) for key in brought)
        held |= brought
        if news:
            held.clear()
        printed = printed_in(update)
        return max(added, _joined(news)) + (len(printed) + PIECE if printed else 0)


def size_of(news: Iterable[Said]) -> int:
    """Tell how much the news of calls write down, which may be far more than the update did."""
    return sum(len(dump_line(value)) for one in news for value in _values(one))


def _values(said: Said) -> tuple[Json, ...]:
    if isinstance(said, ToolCall):
        return said.args, dict(said.extra)
    return (said.result, said.error) if isinstance(said, ToolResult) else ()


def _joined(news: Iterable[Said]) -> int:
    """Count the letters of results, which may be put together anew each time."""
    texts = (value for one in news if isinstance(one, ToolResult) for value in _values(one))
    return sum(len(text) for text in texts if isinstance(text, str))
