"""Compare recorded arguments with a call's: exactly, or as a tool's rule says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from ...errors import UsageError
from ...ledger.difference import Difference, differences, shortfalls
from ...ledger.fingerprint import canonical_bytes
from ...ledger.path import parse_path, without
from ...ledger.pattern import pattern_problem, replaced
from ...ledger.value import Json, map_texts

if TYPE_CHECKING:
    from ...ledger.suite import MatchRule

Normalise: TypeAlias = Callable[[Json], Json]


@dataclass(frozen=True, slots=True)
class Matcher:
    """How the arguments of one tool are compared: first normalised, then recorded beside called."""

    normalise: Normalise
    fits: Callable[[Json, Json], bool]
    differ: Callable[[Json, Json], Iterator[Difference]]


def matcher_for(rule: MatchRule) -> Matcher:
    """Make the comparison that a rule asks for."""
    if rule.match == "subset":
        return Matcher(_normaliser(rule), contained, shortfalls)
    return Matcher(_normaliser(rule), same, differences)


def same(recorded: Json, called: Json) -> bool:
    """Say whether two values are equal as JSON: 1, 1.0 and true are three values."""
    return canonical_bytes(recorded) == canonical_bytes(called)


def contained(recorded: Json, called: Json) -> bool:
    """Say whether a call has everything that was recorded, and maybe more keys in its objects."""
    return next(shortfalls(recorded, called), None) is None


def _normaliser(rule: MatchRule) -> Normalise:
    paths = [parse_path(path) for path in rule.ignore]
    swaps = [_swap(pattern, text) for pattern, text in rule.replace.items()]

    def normalise(args: Json) -> Json:
        kept = without(args, paths)
        for swap in swaps:
            kept = map_texts(kept, swap)
        return kept

    return normalise if paths or swaps else _as_it_is


def _as_it_is(args: Json) -> Json:
    return args


def _swap(pattern: str, text: str) -> Callable[[str], str]:
    if problem := pattern_problem(pattern):
        raise UsageError(f"replace: {pattern!r:.200} {problem}")
    return partial(replaced, pattern, text)
