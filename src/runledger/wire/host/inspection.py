"""Look through a value that a user's code gave, for anything that is not JSON."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, NoReturn

from .telling import Failed, beginning

MOST_BYTES = 8 * 1024 * 1024 - 1024  # the runner reads lines of 8 MiB; the rest is the envelope
MOST_LEVELS = 195  # in an envelope, or in a cassette, it is a few more; readers take 200
MOST_DIGITS = 300
LARGEST: int = 10**MOST_DIGITS


class Inspection:
    """One look through a result, for anything in it that is not JSON."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._trail: list[object] = []  # the keys and indices down to where we are
        self._left = MOST_BYTES // 2  # each value takes two bytes at least

    def look(self, value: Any) -> None:
        """Raise Failed for what is not JSON, naming it and its place."""
        self._left -= 1
        if self._left < 0:
            raise Failed(f"{self._what} is too large: too many values")
        if _is_scalar(value):
            return
        if len(self._trail) >= MOST_LEVELS:
            raise Failed(f"{self._what} is nested too deeply, over {MOST_LEVELS} levels")
        if isinstance(value, dict):
            self._look_below(value.items())
        elif isinstance(value, (list, tuple)):
            self._look_below(enumerate(value))
        else:
            self._refuse(_foreign(value))
        if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
            self._refuse("an object with a key that is not a text")

    def _look_below(self, items: Iterable[tuple[object, Any]]) -> None:
        for key, item in items:
            self._trail.append(key)
            self.look(item)
            self._trail.pop()

    def _refuse(self, what: str) -> NoReturn:
        where = ".".join(["$", *map(str, self._trail)])
        raise Failed(f"{self._what} is not JSON: {what} at {beginning(where, 300)}")


def _is_scalar(value: object) -> bool:
    if isinstance(value, int):
        return -LARGEST < value < LARGEST
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, str)


def _foreign(value: object) -> str:
    if isinstance(value, int):
        return f"an integer of over {MOST_DIGITS} digits"
    return str(value) if isinstance(value, float) else f"a value of type {type(value).__name__}"
