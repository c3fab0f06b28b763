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
        self._parts: dict[bytes, Json] = {}
        self._lock = threading.Lock()

    def __call__(self, body: Json) -> Json:
        """Give an equal body, the parts of which are the very ones of earlier bodies."""
        if not isinstance(body, Mapping):
            return body
        with self._lock:
            return {name: self._shared(value) for name, value in body.items()}

    def _shared(self, value: Json) -> Json:
        if isinstance(value, list):
            return self._known([self._known(item) for item in value])
        return self._known(value)

    def _known(self, value: Json) -> Json:
        if not isinstance(value, (str, Mapping, list)):
            return value
        content = dump_line(value)
        if len(content) < SMALL:
            return value
        return self._parts.setdefault(sha256(content).digest(), value)
