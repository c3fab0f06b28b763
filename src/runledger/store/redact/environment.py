"""Which values of an environment are secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote

from ...ledger.strict_json import NotJson, loads
from ...ledger.value import Json
from .placeholder import PLAIN
from .telling import SCHEMES, is_schema, is_telling, is_telling_among

SHORTEST_TOLD = 6  # under a telling name even a short one is meant to be secret
LONGEST_TOLD = 2000  # longer ones, as keys and signed tokens, are known by their shapes
MOST_TOLD = 1000
MOST_TOLD_CHARACTERS = 50_000  # of all of them, which are looked for with one pattern
_SCHEME = re.compile(rf"(?i)\A(?:{SCHEMES})\s+")
_AT_A_PATH = frozenset({"expected", "found", "recorded", "called", "value"})
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
_TELLING_VARIABLE = re.compile(r"_(?:PASS|KEY|PAT|CREDS|AUTH)\Z")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-._][a-z0-9]+)*")
_SEPARATORS = re.compile(r"[-._]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?P<user>[^\s/@]*@)?[^\s@]*")
_URL_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:(?P<password>[^\s/]+)@")


def secrets_in(passed: Mapping[str, str], caller: Mapping[str, str]) -> tuple[str, ...]:
    """Find the secrets among variables passed to an agent, and among all others by their names."""
    values = [*_from(passed, any_name=True), *_from(caller, any_name=False)]
    parts = {part for value in values for part in (value, *_parts(value))}
    return tuple(sorted(parts, key=lambda part: (-len(part), part)))


def reads_like_a_name(value: str) -> bool:
    """Say whether a value reads like that of a region, a host or a model: eu-west-1, gpt-4o."""
    if len(value) > 24 or not _NAME.fullmatch(value) or sum(map(str.isdigit, value)) > 4:
        return False
    return not any(map(is_telling, _SEPARATORS.split(value)))


def secrets_below(values: Iterable[Json]) -> tuple[str, ...]:
    """Find the texts under telling names, so that they are known wherever else they stand."""
    texts = (text for value in values for text, told in _texts(value) if told)
    found = {_SCHEME.sub("", text) for text in texts}
    return affordable(filter(is_worth_knowing, found))


def affordable(told: Iterable[str]) -> tuple[str, ...]:
    """Give as many of these texts as can be looked for; only hostile agents tell of more."""
    ordered = sorted(told, key=lambda text: (len(text), text))[:MOST_TOLD]
    sums = accumulate(map(len, ordered))
    return tuple(
        text for text, size in zip(ordered, sums, strict=True) if size <= MOST_TOLD_CHARACTERS
    )


def is_worth_knowing(told: str) -> bool:
    """Say whether a text that was told under a telling name is looked for wherever else it stands.

    Short ones and plain words stand in too many texts by chance; a placeholder is none any more.
    """
    if not SHORTEST_TOLD <= len(told) <= LONGEST_TOLD or PLAIN[:-1] in told:
        return False
    return _DULL.fullmatch(told) is None


def _is_telling_variable(name: str) -> bool:
    return is_telling(name) or _TELLING_VARIABLE.search(name) is not None


def _from(environment: Mapping[str, str], *, any_name: bool) -> Iterator[str]:
    for name, value in environment.items():
        if _NEVER.fullmatch(name):
            continue
        if _is_telling_variable(name):
            long = len(value.strip()) >= (SHORTEST_TOLD if _is_odd(value) else SHORTEST)
            yield from [value] if long and not _is_path(value) else []
        elif any_name:
            yield from _long_enough([] if _is_dull(value) else [value])
        if found := _URL_PASSWORD.match(value):
            yield from _long_enough([found["password"], unquote(found["password"])])


def _is_odd(value: str) -> bool:
    return not value.isalpha() and _DULL.fullmatch(value) is None


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
        path = value.get("path")  # a failure's details: what was expected and found at it
        beside = _AT_A_PATH if isinstance(path, str) and is_telling(path) else ()
        for name, item in value.items():
            tells = is_telling_among(name, value) and not is_schema(item)
            yield from _texts(item, told=told or tells or name in beside)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, told=told)
