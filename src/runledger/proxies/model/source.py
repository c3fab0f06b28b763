"""Where the answers of a model come from: a recording, or the real API."""

from __future__ import annotations

from typing import Protocol

from .asked import Asked
from .outlet import Outlet


class Source(Protocol):
    """Answers requests; the server that asks it cannot tell which one it is."""

    async def answer(self, asked: Asked, outlet: Outlet) -> None:
        """Send the answer of a request, or raise TrialFault when there is none."""
