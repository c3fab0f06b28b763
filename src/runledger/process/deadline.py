"""A moment on the monotonic clock after which nobody waits any longer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import ceil

LONGEST_S = 20 * 24 * 3600.0  # the system's clocks for waits end soon after it


@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """A moment; `after` makes one that lies some seconds ahead."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Make the deadline that lies this many seconds ahead, or as far as anybody may wait."""
        return cls(time.monotonic() + min(seconds, LONGEST_S))

    def left_ms(self) -> int:
        """Count the milliseconds that are left, rounded up so that waits do not spin."""
        return max(0, ceil((self.at - time.monotonic()) * 1000))

    def passed(self) -> bool:
        """Say whether the moment has come."""
        return time.monotonic() >= self.at
