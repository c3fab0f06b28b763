"""Servers that are offered to an agent in place of its own: a model API, MCP servers.

Each answers from a recording, or lets the real one answer, with or without keeping it. The agent
cannot tell, and the trial hears of it only through the `Station`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import TrialFault
from ..ledger.event import Happening
from .faults import Faults

if TYPE_CHECKING:
    from ..store.cassette.recording import Recorder
    from ..store.replay.player import Player


@dataclass(frozen=True, slots=True)
class Station:
    """What the servers of one trial have in common; all of it may be used from any thread.

    With a player they replay, with a recorder they record, and with neither they only pass on.
    """

    tell: Callable[[Happening], None]  # for the trial's record: usage, logs
    fail: Callable[[TrialFault], None]  # ends the trial: there is no answer to give
    faults: Faults
    player: Player | None = None
    recorder: Recorder | None = None
