"""Judge by a user's function: grade(input=…, output=…, expected=…, …) -> {pass, score, …}."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .inspection import Inspection
from .loading import function_at
from .serving import Loop, serve
from .telling import Failed

WHAT = "the grader's answer"


class Host:
    """One function, imported at the first request and kept to the end."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._grade: Callable[..., Any] | None = None
        self._taken: frozenset[str] | None = None
        self._loop = Loop()

    def load(self) -> str:
        """Import the function and look at what it takes."""
        self._grade = function_at(self._address, "grade")
        self._taken = _taken(self._grade)
        return self._address

    def grade(self, question: dict[str, Any]) -> Any:
        """Judge one answer; a function is given only what it has a parameter for."""
        assert self._grade is not None
        given = {
            name: value
            for name, value in question.items()
            if self._taken is None or name in self._taken
        }
        answer = self._loop.waited(self._grade(**given))
        if not isinstance(answer, dict):
            raise Failed(f"{WHAT} must be a dict with pass and score; found {answer!r:.100}")
        Inspection(WHAT).look(answer)
        return answer


def main(address: str) -> None:
    """Answer requests for a grade until there are none."""
    host = Host(address)
    serve({"load": host.load, "grade": host.grade}, WHAT)


def _taken(function: Callable[..., Any]) -> frozenset[str] | None:
    """Name the keywords that a function takes; None means any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    return frozenset(one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY)
