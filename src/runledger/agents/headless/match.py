"""Where the paths of an adapter's rules lead in one line of an agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ...ledger.adapter import Field, When
from ...ledger.path import ANY, Path, find, parse_path
from ...ledger.strict_json import dump_line
from ...ledger.value import ABSENT, Absent, Json

_BLANK = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Spot:
    """A line, and the item of a list in it that a rule speaks of, if it speaks of one."""

    line: Json
    item: Json | Absent = ABSENT
    number: int = -1  # of the item


def spots(line: Json, when: When, fields: Iterable[Field] = ()) -> Iterator[Spot]:
    """Yield every spot of a line that a rule with these paths fits."""
    for spot in _candidates(line, _listed([*when, *_places(fields)])):
        if all(_holds(value_at(spot, path), wanted) for path, wanted in when.items()):
            yield spot


def value_at(spot: Spot, place: str) -> Json | Absent:
    """Follow a path from a spot."""
    before, star, after = _parts(place)
    if not star:
        return find(spot.line, before)
    return ABSENT if isinstance(spot.item, Absent) else find(spot.item, after)


def first_of(spot: Spot, places: Iterable[str]) -> Json | Absent:
    """Give the first value that these places lead to; null leads nowhere."""
    found = (_filled(spot, one) if "{" in one else value_at(spot, one) for one in places)
    return next((one for one in found if not isinstance(one, Absent) and one is not None), ABSENT)


def all_of(spot: Spot, places: Iterable[str]) -> list[Json]:
    """Give every value that these places lead to."""
    found = (first_of(spot, (one,)) for one in places)
    return [one for one in found if not isinstance(one, Absent)]


def field_at(spot: Spot, field: Field | None) -> Json | Absent:
    """Give what a field holds: a value, or an object of those that are there."""
    if field is None:
        return ABSENT
    if not isinstance(field, Mapping):
        return first_of(spot, field)
    parts = {name: first_of(spot, places) for name, places in field.items()}
    return {name: part for name, part in parts.items() if not isinstance(part, Absent)}


def as_text(value: Json) -> str:
    """Write a value in words: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return dump_line(value).decode().rstrip("\n")


def _candidates(line: Json, listed: Path | None) -> Iterator[Spot]:
    if listed is None:
        yield Spot(line)
        return
    items = find(line, listed)
    if isinstance(items, (list, tuple)):
        for number, item in enumerate(items):
            yield Spot(line, item, number)


def _listed(places: Iterable[str]) -> Path | None:
    """Find the list whose items a rule speaks of; its document allows only one."""
    for place in places:
        for path in _BLANK.findall(place) if "{" in place else (place,):
            before, star, _ = _parts(path)
            if star:
                return before
    return None


def _places(fields: Iterable[Field]) -> Iterator[str]:
    for field in fields:
        for places in field.values() if isinstance(field, Mapping) else (field,):
            yield from places


def _parts(place: str) -> tuple[Path, bool, Path]:
    path = parse_path(place)
    if ANY not in path:
        return path, False, ()
    at = path.index(ANY)
    return path[:at], True, path[at + 1 :]


def _holds(found: Json | Absent, wanted: Json) -> bool:
    if isinstance(wanted, (list, tuple)):
        return any(_holds(found, one) for one in wanted)
    if wanted is None:
        return found is None or isinstance(found, Absent)
    return type(found) is type(wanted) and found == wanted


def _filled(spot: Spot, text: str) -> Json | Absent:
    """Fill in a text with {paths}; it leads nowhere if one of them does."""
    values = {path: first_of(spot, (path,)) for path in _BLANK.findall(text)}
    if any(isinstance(value, Absent) for value in values.values()):
        return ABSENT
    return _BLANK.sub(lambda blank: as_text(_there(values[blank[1]])), text)


def _there(value: Json | Absent) -> Json:
    return "" if isinstance(value, Absent) else value
