"""Time as an argument: where the hour and the passing of time come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """Two ways to ask for seconds: the hour, which may jump, and the time passed."""

    unix: Callable[[], float]
    monotonic: Callable[[], float]
