"""Faults on purpose: which request of a trial gets one."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict

from ..ledger.event import Log
from ..ledger.proxy import Fault, Kind
from ..ledger.value import Json


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


def note_of(fault: Fault, **about: Json) -> Log:
    """Write for the record what is done to a request, and about the request what is known."""
    done = asdict(fault)
    on: dict[str, Json] = {name: done.pop(name) for name in ("kind", "nth")}
    done = {name: value for name, value in done.items() if value is not None and value is not False}
    return Log("info", "fault injected", {**on, "do": done, **about})
