"""Answer from a cassette: nothing runs, nothing is asked of the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ledger.event import ToolCall, ToolResult
from ..ledger.grade import Failure
from ..store.miss import SHOWN_ENTRIES, entry_fields, list_entries
from ..store.tape import NO_RULES, Tape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ledger.suite import CassetteRules
    from ..ledger.trajectory import CassetteUse
    from ..process.deadline import Deadline
    from ..store.cassette import Cassette, Entry
    from ..store.tape import Mask


class Replay:
    """Give the n-th recorded answer to the n-th equal call."""

    def __init__(
        self,
        cassette: Cassette,
        rules: CassetteRules = NO_RULES,
        record_command: str = "",
        mask: Mask | None = None,
    ) -> None:
        self._tape = Tape(cassette, rules, record_command, mask)
        self._unused = rules.unused or "fail"

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Answer a call as it was answered when it was recorded, or raise CassetteMiss."""
        entry = self._tape.take(call.name, call.args)
        return ToolResult(call.call_id, entry.ok, entry.result, entry.error)

    def finish(self) -> Sequence[Failure]:
        """Report the entries that were never asked for, where the suite calls that a failure."""
        unused = self._tape.unused()
        if self._unused != "fail" or not unused:
            return ()
        return (_unused_failure(unused, self._tape.use()),)

    def use(self) -> CassetteUse:
        """Tell how much of the cassette was used so far."""
        return self._tape.use()

    def close(self) -> None:
        """Do nothing: a cassette is read whole before the trial."""


def _unused_failure(unused: Sequence[Entry], use: CassetteUse) -> Failure:
    verb = "was" if len(unused) == 1 else "were"
    message = (
        f"{use.path}: {len(unused)} of {use.entries} recorded answers {verb} not used: "
        f"{list_entries(unused, '; ')}"
    )
    fields = [entry_fields(entry) for entry in unused[:SHOWN_ENTRIES]]
    return Failure("cassette_unused", message, {"count": len(unused), "unused": fields})
