"""Apply a profile: put what stands for them in place of texts that vary between identical runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ...ledger.path import ANY, Path, parse_path
from ...ledger.pattern import finds_any, rewritten
from ...ledger.proxy import Rule
from ...ledger.value import Json

NUMBER = "{n}"
SHORTEST_DASHED = 8  # `-tmp` stands in too many texts by chance

Places: TypeAlias = tuple[tuple[str, str], ...]
"""Texts that are different on another machine, and what stands for them; the longest first."""

Count: TypeAlias = Callable[[str, str], int]
"""Number a find, given its replacement and its text; one that was seen before has its number."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The rules that hold at some place of a body, and those that may hold further down.

    A rule with a path holds for the text at that path, and for all texts below it.
    """

    rules: tuple[tuple[Rule, Path], ...]  # in the profile's order, each with what is left to go
    places: Places
    active: tuple[Rule, ...]
    is_settled: bool  # the same rules hold everywhere below
    may_change: Callable[[str], bool] = field(compare=False)  # lets most texts through, in one look

    def below(self, segment: str) -> Scope:
        """Give the scope of a key or an index."""
        if self.is_settled:
            return self
        led = (one for one in self.rules if not one[1] or one[1][0] in (segment, ANY))
        return _scope(tuple((rule, path[1:]) for rule, path in led), self.places)

    @property
    def is_idle(self) -> bool:
        """Say whether nothing can change here."""
        return not (self.rules or self.places)


def scope_of(rules: Iterable[Rule], places: Mapping[str, str]) -> Scope:
    """Give the scope of a whole body."""
    paths = ((rule, parse_path(rule.path) if rule.path is not None else ()) for rule in rules)
    return _scope(tuple(paths), _spelled(places))


def _scope(rules: tuple[tuple[Rule, Path], ...], places: Places) -> Scope:
    active = tuple(rule for rule, path in rules if not path)
    may_change = finds_any(rule.pattern for rule in active)
    return Scope(rules, places, active, len(active) == len(rules), may_change)


def normalise(value: Json, scope: Scope, count: Count) -> Json:
    """Rewrite every text of a value by the rules that hold for it; keys stay as they are."""
    if isinstance(value, str):
        return _rewrite(value, scope, count)
    if isinstance(value, Mapping):
        return {key: normalise(item, scope.below(key), count) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        items = enumerate(value)
        return [normalise(item, scope.below(str(index)), count) for index, item in items]
    return value


class Numbers:
    """Number what was found by its first appearance, each replacement for itself."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._next: dict[str, int] = {}

    def __call__(self, replacement: str, found: str) -> int:
        """Give the number of a find."""
        number = self._numbers.get((replacement, found))
        if number is None:
            number = self._numbers[replacement, found] = self._next.get(replacement, 0) + 1
            self._next[replacement] = number
        return number

    @property
    def finds(self) -> tuple[tuple[str, str], ...]:
        """List what was numbered, in the order of its appearance."""
        return tuple(self._numbers)


def _rewrite(text: str, scope: Scope, count: Count) -> str:
    # Wherever they stand, in other words too: both sides are compared alike, so that this can
    # only make a path equal that is glued to something (`-I/src`, colours, `a/src` of a diff).
    for place, name in scope.places:
        if place in text:
            text = text.replace(place, name)
    if not scope.active or not scope.may_change(text):
        return text
    for rule in scope.active:
        text = _apply(rule, text, count)
    return text


def _apply(rule: Rule, text: str, count: Count) -> str:
    by = rule.replace
    if NUMBER not in by:
        return rewritten(rule.pattern, lambda found: by, text)
    return rewritten(rule.pattern, lambda found: by.replace(NUMBER, str(count(by, found))), text)


def _spelled(places: Mapping[str, str]) -> Places:
    """Add how agents write a path in names of files: whatever is no letter or digit as a dash."""
    long = [(path, name) for path, name in places.items() if len(path) >= SHORTEST_DASHED]
    dashed = {_NO_NAME.sub("-", path): name for path, name in long}
    longest = sorted({**dashed, **places}.items(), key=lambda one: -len(one[0]))
    return tuple((path, name) for path, name in longest if path)


_NO_NAME = re.compile(r"[^A-Za-z0-9]")
