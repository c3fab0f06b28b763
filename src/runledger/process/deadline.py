"""A moment on the monotonic clock after which nobody waits any longer."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True, order=True)
class Deadline:
    """A moment; `after` makes one that lies some seconds ahead."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Make the deadline that lies this many seconds ahead."""
        return cls(time.monotonic() + seconds)

    def left_ms(self) -> int:
        """Count the milliseconds that are left, rounded up so that waits do not spin."""
        return max(0, ceil((self.at - time.monotonic()) * 1000))

    def passed(self) -> bool:
        """Say whether the moment has come."""
        return time.monotonic() >= self.at
