"""Find the recorded answer of a call: each entry once, equal calls in the order of recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic

from ...ledger.suite import CassetteRules
from ...ledger.value import Json
from .card import EXACT, Card, R, Topic, rule_of
from .match import same
from .miss import Label, Question, exhausted, missed, out_of_order
from .shelf import Shelf, shelf_for

if TYPE_CHECKING:
    from ...errors import CassetteMiss

NO_RULES = CassetteRules()


class Tape(Generic[R]):
    """Play the entries of one kind once, for one trial."""

    def __init__(self, cards: Sequence[Card[R]], rules: CassetteRules, label: Label) -> None:
        self._cards = cards
        self._rules = rules
        self._label = label
        self._shelves = _shelves(cards, rules)
        self._used: set[int] = set()  # lines
        self.overridden: set[int] = set()  # lines

    def take(self, topic: Topic, asked: Json, note: str = "") -> R:
        """Give the next recorded entry for a call, or raise CassetteMiss saying what was near.

        A note is what explains most of a miss, should there be one.
        """
        shelf = self._shelves.get(topic.name)
        card = shelf.take(asked) if shelf and self._has_its_turn(shelf, topic, asked) else None
        if card is None:
            raise self._refusal(Question(self._label, self._cards, topic, asked, note))
        self._used.add(card.line)
        if rule_of(self._rules, topic) and not same(card.asked, asked):
            self.overridden.add(card.line)
        return card.entry

    def unused(self) -> list[Card[R]]:
        """List the entries that nobody has asked for so far, in the order of the file."""
        return [one for one in self._cards if one.line not in self._used]

    def _has_its_turn(self, shelf: Shelf[R], topic: Topic, asked: Json) -> bool:
        if self._rules.order == "none":
            return True
        expected = self._expected()
        return expected is not None and expected.topic == topic and shelf.fitting(asked)(expected)

    def _expected(self) -> Card[R] | None:
        cards, used = self._cards, len(self._used)
        return cards[used] if used < len(cards) else None  # asked in order, so used in order

    def _refusal(self, question: Question[R]) -> CassetteMiss:
        rule = rule_of(self._rules, question.topic) or EXACT
        fits = shelf_for(rule, self._cards[:0]).fitting(question.asked)
        recorded = [one for one in self._cards if one.topic == question.topic]
        recorded.sort(key=lambda one: one.line in self._used)  # what is left comes first
        fitting = [one for one in recorded if fits(one)]
        if not fitting:
            return missed(question, rule, recorded)
        expected = self._expected()
        if expected is None or fitting[0].line in self._used:
            return exhausted(question, fitting)
        return out_of_order(question, expected, fitting[0])


def _shelves(cards: Sequence[Card[R]], rules: CassetteRules) -> dict[str, Shelf[R]]:
    found: dict[str, list[Card[R]]] = {}
    for card in cards:
        found.setdefault(card.topic.name, []).append(card)
    return {
        name: shelf_for(rule_of(rules, cards[0].topic) or EXACT, cards)
        for name, cards in found.items()
    }
