"""Faults on purpose: which request of a trial gets one."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable

from ..ledger.proxy import Fault, Kind


class Faults:
    """Count the requests of each kind, and give the fault that is meant for one."""

    def __init__(self, wanted: Iterable[Fault] = ()) -> None:
        self._wanted = {(fault.kind, fault.nth): fault for fault in wanted}
        self._asked: Counter[Kind] = Counter()
        self._lock = threading.Lock()

    def next(self, kind: Kind) -> Fault | None:
        """Count one more request of a kind; give its fault, if it is to have one."""
        with self._lock:
            self._asked[kind] += 1
            return self._wanted.get((kind, self._asked[kind]))

    def unmet(self) -> list[Fault]:
        """List the faults whose request never came."""
        return [one for one in self._wanted.values() if one.nth > self._asked[one.kind]]
