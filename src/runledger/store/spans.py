"""How long a run took over all its launches, by the moments in its log."""

from __future__ import annotations

import re
from datetime import datetime

_TS = re.compile(rb'\{"seq":\d+,"ts":"([^"]*)"')
_START = b'"type":"run_start"'


class Spans:
    """The time from the beginning of each launch to the last thing that happened in it."""

    def __init__(self) -> None:
        self._spans: list[tuple[bytes, bytes]] = []

    def add(self, line: bytes) -> None:
        """Take note of the moment of a line."""
        found = _TS.match(line)
        if found is None:
            return
        if _START in line:
            self._spans.append((found[1], found[1]))
        elif self._spans:
            self._spans[-1] = self._spans[-1][0], found[1]

    def wall_ms(self) -> int:
        """Add up how long all launches took; one in which the clock jumped back counts nothing."""
        return sum(max(0, _unix_ms(last) - _unix_ms(first)) for first, last in self._spans)


def _unix_ms(moment: bytes) -> int:
    try:
        return round(datetime.fromisoformat(moment.decode()).timestamp() * 1000)
    except (ValueError, OverflowError):  # of a stranger's making
        return 0
