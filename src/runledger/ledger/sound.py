"""Make sure that a noun that was read from a file is what its types say.

Files of a run may come from a stranger. Every reader puts its noun through here, so that no room
above has to doubt that a text is a text and a number one that can be reckoned with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NoReturn,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from .cut import beginning
from .figure import LARGEST
from .fingerprint import preview

TOLD = 300  # characters of what is wrong

Noun = TypeVar("Noun")
Check: TypeAlias = Callable[[Any], None]


WRONG = (
    *(KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError),
    RecursionError,  # of json, which reads lines with large numbers
)
"""What it comes to when fields are made a noun and are not as they must be."""


class Unsound(ValueError):
    """Say which field is not what it must be."""

    def __init__(self, told: str, where: str = "") -> None:
        super().__init__(f"{where.lstrip('.') or 'it'} {told}")
        self.told = told
        self.where = where

    def within(self, step: str) -> Unsound:
        """Name what the field is a part of."""
        return Unsound(self.told, f"{step}{self.where}")


_WORDS: Mapping[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def sound(noun: Noun) -> Noun:
    """Give back a noun whose fields are what its types say, or raise Unsound."""
    kind: Any = type(noun)
    _check_of(kind)(noun)
    return noun


def what_is_wrong(error: Exception) -> str:
    """Say in a few words why fields could not be made a noun."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    told = beginning(str(error), TOLD)  # which may be the stranger's words
    return f"it has no {told}" if isinstance(error, KeyError) else told


@cache
def _check_of(hint: Any) -> Check:
    """Make the check of a type, once."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _WORDS:
        return _plain(hint)
    if isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields")):
        return _noun(hint)
    if origin is Literal:
        return _one_of(inner)
    if origin in (Union, UnionType):
        return _or_null(inner)
    if origin in (tuple, frozenset, Sequence):
        return _listed(origin, _check_of(inner[0]))
    return _object(_check_of(inner[1])) if origin is Mapping else _anything


def _anything(value: Any) -> None:
    return


def _noun(kind: Any) -> Check:
    names = kind._fields if hasattr(kind, "_fields") else [one.name for one in fields(kind)]
    hints = get_type_hints(kind)
    checks = [(name, _check_of(hints[name])) for name in names]

    def check(value: Any) -> None:
        if not isinstance(value, kind):
            _refuse(value, "an object")
        for name, check_field in checks:
            try:
                check_field(getattr(value, name))
            except Unsound as wrong:
                raise wrong.within(f".{name}") from None

    return check


def _one_of(words: tuple[Any, ...]) -> Check:
    def check(value: Any) -> None:
        if not isinstance(value, str) or value not in words:
            _refuse(value, " or ".join(map(str, words)))

    return check


def _or_null(kinds: tuple[Any, ...]) -> Check:
    """Take null or what is of a type; several types beside each other are those of JSON."""
    others = [kind for kind in kinds if kind is not NoneType]
    if len(others) != 1 or NoneType not in kinds:
        return _anything
    check_other = _check_of(others[0])

    def check(value: Any) -> None:
        if value is not None:
            check_other(value)

    return check


def _listed(kind: Any, check_item: Check) -> Check:
    def check(value: Any) -> None:
        if not isinstance(value, kind) or isinstance(value, str):
            _refuse(value, "a list")
        _check_each(((f"[{index}]", item) for index, item in enumerate(value)), check_item)

    return check


def _object(check_item: Check) -> Check:
    def check(value: Any) -> None:
        if not isinstance(value, Mapping):
            _refuse(value, "an object")
        _check_each(((f".{key}", item) for key, item in value.items()), check_item)

    return check


def _check_each(items: Iterable[tuple[str, Any]], check_item: Check) -> None:
    for step, item in items:
        try:
            check_item(item)
        except Unsound as wrong:
            raise wrong.within(step) from None


def _plain(kind: Any) -> Check:
    kinds = (int, float) if kind is float else (kind,)
    is_figure = kind in (int, float)

    def check(value: Any) -> None:
        if type(value) not in kinds:
            _refuse(value, _WORDS[kind])
        if is_figure and not -LARGEST <= value <= LARGEST:
            _refuse(value, f"{_WORDS[kind]} up to {LARGEST:,}")

    return check


def _refuse(value: Any, expected: str) -> NoReturn:
    raise Unsound(f"must be {expected}, found {preview(value, 60)}")
