"""The switch that ends a run early: every thread that waits on a child watches it too."""

from __future__ import annotations

import os


class Stop:
    """Be switched on once, by a signal; the descriptor is readable from then on."""

    def __init__(self) -> None:
        self.fd, self._write_fd = os.pipe()
        os.set_blocking(self._write_fd, False)
        self.signum: int | None = None

    def request(self, signum: int) -> None:
        """Switch on; the first signal is the one that is remembered. Safe in a signal handler."""
        if self.signum is None:
            self.signum = signum
            os.write(self._write_fd, b"!")

    @property
    def requested(self) -> bool:
        """Say whether the run is to end."""
        return self.signum is not None

    def close(self) -> None:
        """Give the descriptors back."""
        os.close(self.fd)
        os.close(self._write_fd)
