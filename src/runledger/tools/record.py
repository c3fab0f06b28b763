"""Answer by another source, and keep what it answered for replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import StoreError
from ..ledger.grade import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ledger.event import ToolCall, ToolResult
    from ..ledger.trajectory import CassetteUse
    from ..process.deadline import Deadline
    from ..store.cassette.recording import Recorder
    from . import ToolSource


class Record:
    """Wrap a source; its answers become a cassette only when the trial ends well."""

    def __init__(self, source: ToolSource, recorder: Recorder) -> None:
        self._source = source
        self._recorder = recorder
        self._use: CassetteUse | None = None

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Let the source answer, and keep it."""
        result = self._source.answer(call, deadline)
        self._recorder.keep(call, result)
        return result

    def finish(self) -> Sequence[Failure]:
        """Let the source finish; if it has nothing to report, put the cassette in place."""
        failures = self._source.finish()
        if failures:
            return failures
        try:
            self._use = self._recorder.commit()
        except StoreError as error:  # the other cases may have better luck
            return [Failure("internal_error", f"the cassette was not kept: {error}")]
        return ()

    def use(self) -> CassetteUse | None:
        """Tell of the cassette once it is in place."""
        return self._use

    def close(self) -> None:
        """Close the source, and forget what was not put in place."""
        self._recorder.drop()
        self._source.close()
