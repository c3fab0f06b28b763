"""Time and chance as arguments: where the hour, the passing of time and run ids come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import urandom


@dataclass(frozen=True, slots=True)
class Clock:
    """Two ways to ask for seconds: the hour, which may jump, and the time passed.

    `draw` gives the digits that tell apart what happens in the same second.
    """

    unix: Callable[[], float]
    monotonic: Callable[[], float]
    draw: Callable[[], str] = lambda: urandom(3).hex()
