"""Hold what many requests have in common only once: each repeats all that was said before it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from hashlib import sha256

from ...ledger.strict_json import dump_line
from ...ledger.value import Json

SMALL = 200  # bytes that are not worth a look


class Sharing:
    """Put bodies together of parts that were seen before; from any thread."""

    def __init__(self) -> None:
        self.weight = 0  # bytes of all bodies, but each part that they share only once
        self._parts: dict[bytes, Json] = {}
        self._lock = threading.Lock()

    def __call__(self, body: Json) -> Json:
        """Give an equal body, the parts of which are the very ones of earlier bodies."""
        with self._lock:
            if not isinstance(body, Mapping):
                return self._known(body)
            return {name: self._shared(value) for name, value in body.items()}

    def _shared(self, value: Json) -> Json:
        if not isinstance(value, list):
            return self._known(value)
        items = [self._known(item) for item in value]
        return self._parts.setdefault(sha256(dump_line(items)).digest(), items)

    def _known(self, value: Json) -> Json:
        content = dump_line(value)
        digest = sha256(content).digest() if len(content) >= SMALL else b""
        if digest in self._parts:
            return self._parts[digest]
        self.weight += len(content)
        return self._parts.setdefault(digest, value) if digest else value
