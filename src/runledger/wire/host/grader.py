"""Judge by a user's function: grade(input=…, output=…, expected=…, …) -> {pass, score, …}."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .inspection import Inspection
from .loading import function_at
from .serving import Loop, serve
from .telling import Failed, beginning

WHAT = "the grader's answer"
ASKED = ("input", "output", "expected", "trajectory", "metadata", "cwd")


class Host:
    """One function, imported at the first request and kept to the end."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._grade: Callable[..., Any] | None = None
        self._taken: frozenset[str] = frozenset()
        self._loop = Loop()

    def load(self) -> str:
        """Import the function and look at what it takes."""
        sys.path.insert(0, _directory(self._address))
        self._grade = _function(self._address)
        self._taken = _taken(self._grade)
        return self._address

    def grade(self, question: dict[str, Any]) -> Any:
        """Judge one answer; a function is given only what it has a parameter for."""
        assert self._grade is not None
        given = {name: value for name, value in question.items() if name in self._taken}
        answer = self._loop.waited(self._grade(**given))
        if not isinstance(answer, dict):
            found = beginning(repr(answer), 100)
            raise Failed(f"{WHAT} must be a dict with pass and score; found {found}")
        Inspection(WHAT).look(answer)
        return answer


def main(address: str) -> None:
    """Answer requests for a grade until there are none."""
    host = Host(address)
    serve({"load": host.load, "grade": host.grade}, WHAT)


def _function(address: str) -> Callable[..., Any]:
    try:
        found: Callable[..., Any] = function_at(address, "grade")
    except ModuleNotFoundError as error:
        if error.name and f"{address.partition(':')[0]}.".startswith(f"{error.name}."):
            told = f"there is no module {error.name}, neither here nor among the installed ones"
            raise Failed(told) from None
        raise
    return found


def _directory(address: str) -> str:
    """Say where modules are looked for first: beside a file, else where the command was given."""
    file = address.rpartition(":")[0] or address
    return os.path.dirname(os.path.abspath(file)) if file.endswith(".py") else os.getcwd()  # noqa: PTH100, PTH109, PTH120


def _taken(function: Callable[..., Any]) -> frozenset[str]:
    """Name what a function is given of a question; refuse one that wants what nobody gives."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return frozenset(ASKED)
    _refuse_strange(parameters)
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return frozenset(ASKED)
    return frozenset(one.name for one in parameters if one.kind in _BY_NAME)


def _refuse_strange(parameters: Iterable[inspect.Parameter]) -> None:
    for one in parameters:
        needed = one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        if needed and (one.name not in ASKED or one.kind not in _BY_NAME):
            raise Failed(
                f"its parameter {one.name} is given to no grader; "
                f"a grader takes any of {', '.join(ASKED)}, by name"
            )


_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
