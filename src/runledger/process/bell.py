"""A bell that ends the wait for a program: somebody else knows that the trial is over."""

from __future__ import annotations

import contextlib
import os
import threading

from ..errors import TrialFault


class Bell:
    """Be rung at most once, from any thread; who waits for a program then raises the fault."""

    def __init__(self) -> None:
        self.fd, self._write_fd = os.pipe()
        self.fault: TrialFault | None = None
        self._lock = threading.Lock()
        self._closed = False

    def ring(self, fault: TrialFault) -> None:
        """End the trial with a fault; the first one counts."""
        with self._lock:
            if self.fault is None and not self._closed:
                self.fault = fault
                os.write(self._write_fd, b"!")

    def answer(self) -> None:
        """Raise the fault, if there is one."""
        if self.fault is not None:
            raise self.fault

    def close(self) -> None:
        """Give the descriptors back; ringing does nothing from then on."""
        with self._lock:
            if not self._closed:
                self._closed = True
                for fd in (self.fd, self._write_fd):
                    with contextlib.suppress(OSError):
                        os.close(fd)
