"""Answer from a cassette: nothing runs, nothing is asked of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ledger.event import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ledger.grade import Failure
    from ..ledger.trajectory import CassetteUse
    from ..process.deadline import Deadline
    from ..store.replay.player import Player


class Replay:
    """Give the n-th recorded answer to the n-th equal call."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Answer a call as it was answered when it was recorded, or raise CassetteMiss."""
        entry = self._player.tool(call.name, call.args)
        return ToolResult(call.call_id, entry.ok, entry.result, entry.error)

    def finish(self) -> Sequence[Failure]:
        """Report the entries that were never asked for, where the suite calls that a failure."""
        return self._player.failures()

    def use(self) -> CassetteUse:
        """Tell how much of the cassette was used so far."""
        return self._player.use()

    def close(self) -> None:
        """Do nothing: a cassette is read whole before the trial."""
