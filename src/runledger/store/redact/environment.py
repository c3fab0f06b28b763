"""Which values of an environment are secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from ...ledger.strict_json import NotJson, loads
from ...ledger.value import Json
from .telling import is_telling

MOST_TOLD = 100  # each costs a look at every suspect text
SHORTEST = 8  # a shorter value stands in too many texts by chance

_NEVER = re.compile(r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|PWD|OLDPWD")
_DULL = re.compile(
    r"""(?x)
      [-+]?[0-9][0-9_.,:e+-]*          # numbers, dates, versions
    | [Tt]rue|[Ff]alse|TRUE|FALSE|[Ee]nabled|[Dd]isabled
    | [a-z]+|[A-Z][a-z]+|[A-Z]+                  # one word
    | [a-z]{2}_[A-Z]{2}(?:[.@][\w.-]+)?          # locales
    """
)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?P<user>[^\s/@]*@)?[^\s@]*")
_URL_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:(?P<password>[^\s/]+)@")


def secrets_in(passed: Mapping[str, str], caller: Mapping[str, str]) -> tuple[str, ...]:
    """Find the secrets among variables passed to an agent, and among all others by their names."""
    values = [*_from(passed, any_name=True), *_from(caller, any_name=False)]
    parts = {part for value in values for part in (value, *_parts(value))}
    return tuple(sorted(parts, key=lambda part: (-len(part), part)))


def secrets_below(values: Iterable[Json]) -> tuple[str, ...]:
    """Find the texts under telling names, so that they are known wherever else they stand."""
    found = {text for value in values for text, told in _texts(value) if told}
    worth = [text for text in found if len(text) >= SHORTEST and not _DULL.fullmatch(text)]
    return tuple(sorted(worth)[:MOST_TOLD])


def _from(environment: Mapping[str, str], *, any_name: bool) -> Iterator[str]:
    for name, value in environment.items():
        if _NEVER.fullmatch(name):
            continue
        if is_telling(name):
            yield from _long_enough([] if _is_path(value) else [value])
        elif any_name:
            yield from _long_enough([] if _is_dull(value) else [value])
        if found := _URL_PASSWORD.match(value):
            yield from _long_enough([found["password"], unquote(found["password"])])


def _long_enough(values: Iterable[str]) -> Iterator[str]:
    return (value for value in values if len(value.strip()) >= SHORTEST)


def _is_dull(value: str) -> bool:
    if _DULL.fullmatch(value) or _is_path(value):
        return True
    url = _URL.fullmatch(value)
    return url is not None and not url["user"]


def _is_path(value: str) -> bool:
    """Say whether a value, or each part of a search path, is there; `~` is not looked up."""
    try:
        return all(
            part.startswith(("/", "./", "../")) and Path(part).exists()
            for part in value.split(":")
            if part
        )
    except (OSError, ValueError):  # too long for a path, or with a NUL in it
        return False


def _parts(value: str) -> Iterator[str]:
    """Yield what counts by itself in a value of several lines, or in JSON: long and not dull."""
    if value.lstrip().startswith(("{", "[")):
        try:
            found = list(_texts(loads(value)))
        except NotJson:
            found = []
        texts = [text for text, told in found if told or _is_long_and_odd(text)]
        yield from _long_enough(texts)
        value = "\n".join(texts)
    lines = [line.strip() for line in value.splitlines()]
    if len(lines) > 1:
        yield from (line for line in lines if len(line) >= 2 * SHORTEST and "-----" not in line)


def _is_long_and_odd(text: str) -> bool:
    return len(text) >= 2 * SHORTEST and not _is_dull(text)


def _texts(value: Json, *, told: bool = False) -> Iterator[tuple[str, bool]]:
    """Yield every text of a value, and whether it stands under a telling name."""
    if isinstance(value, str):
        yield value, told
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, told=told or is_telling(name))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, told=told)
