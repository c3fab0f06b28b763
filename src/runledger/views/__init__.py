"""Views: texts derived from a run, which can be deleted and made again byte for byte."""

from __future__ import annotations

from typing import Protocol

from ..ledger.run import Summary


class View(Protocol):
    """Make one text of a run; every module on this shelf is a View."""

    def render(self, summary: Summary, /) -> str:
        """Write the run down: same summary, same text; no clock, no randomness, no files."""
        ...
