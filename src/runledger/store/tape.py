"""Find the recorded answer of a call: each entry once, equal calls in the order of recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from ..ledger.suite import CassetteRules, MatchRule
from ..ledger.trajectory import CassetteUse
from ..ledger.value import Json
from .match import same
from .miss import Question, exhausted, missed, out_of_order
from .shelf import Shelf, shelf_for

if TYPE_CHECKING:
    from ..errors import CassetteMiss
    from .cassette import Cassette, Entry

EXACT = MatchRule()
NO_RULES = CassetteRules()

Mask: TypeAlias = Callable[[Json], Json]
"""Put comparable placeholders in place of secrets; what is masked already stays as it is."""


class Tape:
    """Play one cassette once, for one trial.

    Where the cassette holds placeholders, which its salt tells, calls are masked as the entries
    were: they are compared, and shown, without their secrets.
    """

    def __init__(
        self,
        cassette: Cassette,
        rules: CassetteRules = NO_RULES,
        record_command: str = "",
        mask: Mask | None = None,
    ) -> None:
        self._mask = mask if cassette.salt is not None else None
        cassette = _masked(cassette, self._mask) if self._mask else cassette
        self._cassette = cassette
        self._rules = rules
        self._record_command = record_command
        self._shelves = _shelves(cassette, rules)
        self._used: set[int] = set()  # lines
        self._overridden: set[int] = set()  # lines

    def take(self, tool: str, args: Json) -> Entry:
        """Give the next recorded entry for a call, or raise CassetteMiss saying what was near."""
        args = self._mask(args) if self._mask else args
        shelf = self._shelves.get(tool)
        entry = shelf.take(args) if shelf and self._has_its_turn(shelf, tool, args) else None
        if entry is None:
            raise self._refusal(Question(self._cassette, tool, args, self._record_command))
        self._used.add(entry.line)
        if tool in self._rules.match and not same(entry.args, args):
            self._overridden.add(entry.line)
        return entry

    def unused(self) -> tuple[Entry, ...]:
        """List the entries that nobody has asked for so far, in the order of the file."""
        return tuple(one for one in self._cassette.entries if one.line not in self._used)

    def use(self) -> CassetteUse:
        """Count what was used of the cassette so far."""
        total, used = len(self._cassette.entries), len(self._used)
        return CassetteUse(
            path=self._cassette.path,
            sha256=self._cassette.sha256,
            entries=total,
            used=used,
            unused=total - used,
            overridden=tuple(sorted(self._overridden)),
            warn_unused=self._rules.unused == "warn",
        )

    def _has_its_turn(self, shelf: Shelf, tool: str, args: Json) -> bool:
        if self._rules.order == "none":
            return True
        expected = self._expected()
        return expected is not None and expected.tool == tool and shelf.fitting(args)(expected)

    def _expected(self) -> Entry | None:
        entries, used = self._cassette.entries, len(self._used)
        return entries[used] if used < len(entries) else None  # asked in order, so used in order

    def _refusal(self, question: Question) -> CassetteMiss:
        rule = self._rules.match.get(question.tool, EXACT)
        fits = shelf_for(rule).fitting(question.args)
        recorded = [one for one in self._cassette.entries if one.tool == question.tool]
        recorded.sort(key=lambda one: one.line in self._used)  # what is left comes first
        fitting = [one for one in recorded if fits(one)]
        if not fitting:
            return missed(question, rule, recorded)
        expected = self._expected()
        if expected is None or fitting[0].line in self._used:
            return exhausted(question, fitting)
        return out_of_order(question, expected, fitting[0])


def _masked(cassette: Cassette, mask: Mask) -> Cassette:
    def masked(entry: Entry) -> Entry:
        args = mask(entry.args)
        assert isinstance(args, Mapping)  # an object stays one
        return replace(entry, args=args)

    return replace(cassette, entries=tuple(map(masked, cassette.entries)))


def _shelves(cassette: Cassette, rules: CassetteRules) -> dict[str, Shelf]:
    shelves: dict[str, Shelf] = {}
    for entry in cassette.entries:
        shelf = shelves.get(entry.tool)
        if shelf is None:
            shelf = shelves[entry.tool] = shelf_for(rules.match.get(entry.tool, EXACT))
        shelf.put(entry)
    return shelves
