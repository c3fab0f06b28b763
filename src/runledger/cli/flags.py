"""Flags that several commands share, gathered in a noun: a command takes the whole of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

Flags = TypeVar("Flags")


def taking(noun: type[Flags]) -> Callable[[Callable[[Flags], None]], Callable[..., None]]:
    """Make a command of a function of one noun: each of its fields is an argument or an option."""

    def decorate(function: Callable[[Flags], None]) -> Callable[..., None]:
        def command(**given: Any) -> None:
            function(noun(**given))

        hints = get_type_hints(noun, include_extras=True)
        parameters = [_parameter(field, hints[field.name]) for field in fields(noun)]  # type: ignore[arg-type]
        command.__name__ = function.__name__
        command.__doc__ = function.__doc__
        command.__annotations__ = {one.name: one.annotation for one in parameters}
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command

    return decorate


def _parameter(field: Any, annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, kind, default=default, annotation=annotation)
