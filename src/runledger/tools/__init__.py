"""Where the answers to an agent's tool calls come from: one file for each kind of source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ..ledger.event import ToolCall, ToolResult
from ..ledger.grade import Failure
from ..ledger.trajectory import CassetteUse
from ..process.deadline import Deadline


@runtime_checkable
class ToolSource(Protocol):
    """Answer the tool calls of one trial; a new trial gets a new source.

    The trial cannot tell a recording from a real tool:

        with closing(source):
            result = source.answer(call, deadline)      # as often as the agent asks
            failures = source.finish()                  # only when the trial went well
    """

    def answer(self, call: ToolCall, deadline: Deadline) -> ToolResult:
        """Answer one call, under its call id, before the trial's deadline.

        A tool that fails is an answer too: `ok` is false and `error` says why. Where there is
        no answer to give, CassetteMiss says what is missing; a tool that still runs at the
        deadline is a time-out of the trial, raised as AgentError.
        """

    def finish(self) -> Sequence[Failure]:
        """End a trial that went well: keep what was recorded, report what was left over."""

    def use(self) -> CassetteUse | None:
        """Tell how much of a cassette was used so far, if there is one."""

    def close(self) -> None:
        """Let go of everything held, however the trial went; closing twice does no harm."""


@runtime_checkable
class LiveSource(ToolSource, Protocol):
    """A source that has tools of its own, and can be asked which before any trial."""

    def names(self) -> Sequence[str]:
        """List the tools; raise UsageError, which the user can act on, where they do not load."""
