"""Compare recorded arguments with a call's: exactly, or as a tool's rule says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...errors import UsageError
from ...ledger.difference import Difference, differences, shortfalls
from ...ledger.fingerprint import canonical_bytes
from ...ledger.path import parse_path, without
from ...ledger.pattern import pattern_problem
from ...ledger.proxy import Rule
from ...ledger.value import Json
from .profile import Numbers, normalise, scope_of

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
    scope = scope_of(swaps_of(rule), {})

    def normal(args: Json) -> Json:
        kept = without(args, paths)
        return kept if scope.is_idle else normalise(kept, scope, Numbers())

    return normal if paths or rule.replace else _as_it_is


def _as_it_is(args: Json) -> Json:
    return args


def swaps_of(rule: MatchRule) -> tuple[Rule, ...]:
    """Read what a rule puts in place of texts, as a profile would: `{n}` in it numbers them."""
    for pattern in rule.replace:
        if problem := pattern_problem(pattern):
            raise UsageError(f"replace: {pattern!r:.200} {problem}")
    return tuple(Rule(pattern, by) for pattern, by in rule.replace.items())
