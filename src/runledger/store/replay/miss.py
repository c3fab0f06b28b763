"""Say why a call has no recorded answer, what comes nearest, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic

from ...errors import CassetteMiss, did_you_mean
from ...ledger.cut import beginning
from ...ledger.fingerprint import preview
from ...ledger.value import Json
from .brief import (
    SHOWN_ENTRIES,
    asked_fields,
    brief,
    difference_fields,
    entry_fields,
    list_entries,
    list_numbers,
    short_name,
    shown_sides,
)
from .card import Card, R, Topic
from .match import matcher_for
from .nearest import Nearest, find_nearest
from .offered import offered_rule

if TYPE_CHECKING:
    from ...ledger.suite import MatchRule

SHOWN_DIFFERENCES = 5


@dataclass(frozen=True, slots=True)
class Label:
    """Which cassette is played, as users know it, and the command that records it anew."""

    path: str
    record_command: str = ""


@dataclass(frozen=True, slots=True)
class Question(Generic[R]):
    """A call that got no answer from a cassette, and the entries among which one was sought."""

    label: Label
    cards: Sequence[Card[R]]
    topic: Topic
    asked: Json
    note: str = ""  # what explains most, told first


def missed(question: Question[R], rule: MatchRule, candidates: Iterable[Card[R]]) -> CassetteMiss:
    """Explain a call that nothing recorded fits; the candidates are entries of the same topic."""
    nearest = find_nearest(question.asked, matcher_for(rule), candidates)
    lines = [
        f"no recorded answer for {_call(question)}",
        _about(nearest) if nearest else without_nearest(question),
        _ignoring(question, rule, nearest) if nearest else "",
        how_to_record(question.label),
        what_is_recorded(question.cards),
    ]
    return make_miss(question, "cassette_miss", lines, {"nearest": _nearest_fields(nearest)})


def exhausted(question: Question[R], fitting: Sequence[Card[R]], shown: str = "") -> CassetteMiss:
    """Explain a call that was recorded, but less often than it is made."""
    times = "once, line" if len(fitting) == 1 else f"{len(fitting)} times, lines"
    numbers = [card.line for card in fitting]
    lines = [
        f"no recorded answer is left for {shown or _call(question)}",
        f"recorded: {times} {list_numbers(numbers)}; one more was asked for",
        how_to_record(question.label),
    ]
    found: list[Json] = [*numbers[:SHOWN_ENTRIES]]
    fields: dict[str, Json] = {"times": len(fitting), "lines": found}
    return make_miss(question, "cassette_exhausted", lines, fields)


def out_of_order(
    question: Question[R], expected: Card[R], found: Card[R], shown: str = ""
) -> CassetteMiss:
    """Explain a call that was recorded, but further on in the cassette."""
    lines = [
        f"out of order: expected line {brief(expected)}",
        f"called: {shown or _call(question)}, which is line {found.line}",
        "to allow any order: cassettes: {order: none}",
        how_to_record(question.label),
    ]
    fields: dict[str, Json] = {"expected": entry_fields(expected), "line": found.line}
    return make_miss(question, "cassette_order", lines, fields)


def make_miss(
    question: Question[R], kind: str, lines: Iterable[str], details: Mapping[str, Json]
) -> CassetteMiss:
    """Put a miss together: its message, and the same for machines."""
    whole = asked_fields(question.topic, question.asked)
    recorded: list[Json] = [entry_fields(card) for card in question.cards[:SHOWN_ENTRIES]]
    text = "\n".join(line for line in (question.note, *lines) if line)
    message = text.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair in a key
    found = {**whole, **details, "recorded": recorded}
    return CassetteMiss(kind, f"{question.label.path}: {message}", found)


def how_to_record(label: Label) -> str:
    """Name the command that records the case, where there is one."""
    return f"to record it: {label.record_command}" if label.record_command else ""


def what_is_recorded(cards: Sequence[Card[R]]) -> str:
    """List the first entries of a cassette."""
    if not cards:
        return "recorded: nothing, the cassette is empty"
    return "recorded:\n  " + list_entries(cards, "\n  ")


def without_nearest(question: Question[R]) -> str:
    """Say why there is nothing near, and whose name is like the one that was asked for."""
    topic = question.topic
    known = dict.fromkeys(card.topic for card in question.cards)
    if topic in known:
        return "nearest: unknown, since the arguments are too large to compare"
    hint = did_you_mean(topic.name, map(short_name, known))
    noun = "the tool " if topic.kind == "tool" else ""
    return f"nearest: nothing is recorded for {noun}{short_name(topic)}{hint}"


def _about(nearest: Nearest[R]) -> str:
    shown = [
        f"{one.path}: recorded {recorded}, called {called}"
        for one in nearest.differences[:SHOWN_DIFFERENCES]
        for recorded, called in [shown_sides(one)]
    ]
    more = "; …" if len(nearest.differences) > SHOWN_DIFFERENCES else ""
    return f"nearest: line {nearest.card.line}, differs at {'; '.join(shown) or '$'}{more}"


def _ignoring(question: Question[R], rule: MatchRule, nearest: Nearest[R]) -> str:
    paths = [one.path for one in nearest.differences if one.path not in rule.ignore]
    wider = replace(rule, ignore=(*rule.ignore, *paths))
    matcher = matcher_for(wider)
    sides = matcher.normalise(nearest.card.asked), matcher.normalise(question.asked)
    if len(paths) > SHOWN_DIFFERENCES or not matcher.fits(*sides):
        return ""  # a rule that one pastes must work
    return f"to ignore it: {offered_rule(question.topic.name, wider)}"


def _nearest_fields(nearest: Nearest[R] | None) -> Json:
    if nearest is None:
        return None
    shown = [difference_fields(one) for one in nearest.differences[:SHOWN_DIFFERENCES]]
    return {"line": nearest.card.line, "differences": shown}


def _call(question: Question[R]) -> str:
    return f"{beginning(question.topic.name, 100)} {preview(question.asked, 300)}"
