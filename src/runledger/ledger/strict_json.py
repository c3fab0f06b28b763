"""Read JSON that others wrote, strictly or with a short reason why not, and write it."""

from __future__ import annotations

from collections import Counter
from json import JSONDecodeError, JSONDecoder, dumps
from math import isinf
from typing import Any, NoReturn

import orjson

from .cut import beginning
from .value import Json

MAX_DIGITS = 300  # with more, readers that know only floating-point numbers see infinity
MAX_DEPTH = 200  # orjson writes 254 levels: what is taken in can be written again, wrapped or not


class NotJson(ValueError):
    """Say in a few words why a text is not one JSON value."""


def loads(text: str | bytes, levels: int = MAX_DEPTH) -> Json:
    """Read one JSON value; refuse what readers understand differently, as a key given twice."""
    try:
        whole = text if isinstance(text, str) else text.decode()
        value: Json = _DECODER.decode(whole)
    except NotJson:
        raise
    except (ValueError, RecursionError) as fault:
        raise NotJson(_reason(fault)) from None
    if whole.count("[") + whole.count("{") > levels and is_deep(value, levels):
        raise NotJson(_too_deep(levels))
    return value


def _too_deep(levels: int) -> str:
    return f"nested too deeply, over {levels} levels"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise NotJson(f"duplicate key {beginning(twice, 40)!r}")
    return found


def _constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not JSON")


def _float(digits: str) -> float:
    value = float(digits)
    if isinf(value):
        raise NotJson(f"the number {_cut(digits)} is too large")
    return value


def _int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise NotJson("an integer has too many digits")
    return int(digits)


def dump_line(value: Json) -> bytes:
    """Write a value so that `loads` gives it back exactly, on one line with its end."""
    try:
        return orjson.dumps(value) + b"\n"
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits
        return dumps(value, separators=(",", ":")).encode() + b"\n"


_DECODER = JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_int
)


def is_deep(value: Json, levels: int) -> bool:
    """Say whether a value is nested more levels deep than these; any object or list is one."""
    level: list[Any] = [value] if type(value) is dict or type(value) is list else []
    for _ in range(levels):
        level = [
            child
            for item in level
            for child in (item.values() if type(item) is dict else item)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _reason(fault: ValueError | RecursionError) -> str:
    match fault:
        case RecursionError():
            return _too_deep(MAX_DEPTH)
        case UnicodeDecodeError(start=start):
            return f"not UTF-8 at byte {start + 1}"
        case JSONDecodeError():
            return _syntax(fault)
    return "an integer has too many digits"  # the one ValueError left: Python's limit for int()


def _syntax(fault: JSONDecodeError) -> str:
    if fault.doc.startswith("\ufeff"):
        return "not JSON: begins with a byte order mark (BOM); save it as UTF-8 without"
    if fault.doc[fault.pos : fault.pos + 1] == "\0":
        return f"not JSON: NUL at column {fault.colno}"
    where = (
        f"column {fault.colno}"
        if fault.lineno == 1
        else f"line {fault.lineno} column {fault.colno}"
    )
    return f"not JSON: {fault.msg.removesuffix(' at')} at {where}"


def _cut(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
