"""Objects and lists made anew of redacted parts; the same ones where nothing changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ...ledger.value import Json


def mapped(
    value: Mapping[str, Json], redacted: Callable[[str], Json], named: Callable[[str], str]
) -> Json:
    """Give an object whose values, found by their old names, and names were redacted."""
    found = {name: (named(name), redacted(name)) for name in value}
    if all(new is name and item is value[name] for name, (new, item) in found.items()):
        return value
    return dict(_told_apart(found.values()))


def _told_apart(items: Iterable[tuple[str, Json]]) -> Iterator[tuple[str, Json]]:
    """Number the names that look alike once they are hidden."""
    seen: Counter[str] = Counter()
    for name, item in items:
        while seen[name]:
            seen[name] += 1
            name = f"{name} ({seen[name]})"
        seen[name] += 1
        yield name, item


def listed(value: Sequence[Json], redacted: Callable[[int], Json]) -> Json:
    """Give a list whose elements, found by their places, were redacted."""
    found = [redacted(index) for index in range(len(value))]
    return value if all(new is old for new, old in zip(found, value, strict=True)) else found
