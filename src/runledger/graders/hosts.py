"""The processes in which a user's Python graders run: one a job, kept from trial to trial."""

from __future__ import annotations

import math
import os
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from ..process.deadline import Deadline
from ..process.supervisor import Launch, Supervisor
from ..wire.host import command_of
from ..wire.jsonrpc import Connection, RpcError
from ..wire.servant import NoAnswer, Servant


class Hosts:
    """Lend a host to one question at a time; so many are started as were ever lent at once."""

    def __init__(self, supervisor: Supervisor, directory: str = ".") -> None:
        self._supervisor = supervisor
        self._directory = directory
        self._idle: defaultdict[str, list[Servant]] = defaultdict(list)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def lend(self, address: str) -> Iterator[Servant]:
        """Lend a host of the function at an address, idle or new; a lost one replaces itself."""
        host = self._take(address)
        try:
            yield host
        finally:
            with self._lock:
                self._idle[address].append(host)

    def close(self) -> None:
        """End every host that nobody uses any more."""
        with self._lock:
            idle = [host for hosts in self._idle.values() for host in hosts]
            self._idle.clear()
        for host in idle:
            host.close()

    def _take(self, address: str) -> Servant:
        with self._lock:
            if self._idle[address]:
                return self._idle[address].pop()
        launch = Launch(command_of("grader", address), self._directory, dict(os.environ))
        # Nobody keeps the answers, so that their weight over many trials means nothing.
        return Servant(self._supervisor, launch, _load, weight_cap=math.inf)


def _load(connection: Connection, deadline: Deadline) -> None:
    try:
        connection.call("load", None, deadline)
    except RpcError as fault:
        raise NoAnswer(f"could not be loaded: {fault}", fault.data) from None
