"""Find the recorded answer of a request to a model, by all of its body but what varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...ledger.proxy import Profile
from ...ledger.suite import CassetteRules, MatchRule
from ..cassette.entry import AgentStamp, ModelEntry, ModelRequest
from .body import read_body
from .card import EXACT, Card, Topic, rule_name, rule_of
from .miss import Label, Question, exhausted, out_of_order
from .model_miss import Stranger, missed, shown
from .reading import Reading
from .turns import Turns

if TYPE_CHECKING:
    from ...errors import CassetteMiss
    from ..cassette.masking import Mask

MODEL = "model"
"""The name of the rule that holds for every request to a model."""


@dataclass(frozen=True, slots=True)
class Eyes:
    """How requests are looked at before they are compared: without secrets, places named."""

    mask: Mask | None
    places: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Group:
    """The entries of one method and path, as one profile and rule compare them."""

    reading: Reading
    turns: Mapping[bytes, Turns]
    plain: Reading | None  # without the suite's rule, where it has one

    def find(self, body: bytes) -> Turns | None:
        """Find the answers of a request; nearly always the quick key is that of the recording."""
        quick = self.turns.get(self.reading.key(body))
        return quick or self.turns.get(self.reading.strict_key(body))


class ModelTape:
    """Play the recorded answers of models once, for one trial."""

    def __init__(
        self,
        entries: Sequence[ModelEntry],
        rules: CassetteRules,
        label: Label,
        eyes: Eyes,
        agent: AgentStamp | None = None,
    ) -> None:
        _check(rules)
        self._entries = entries
        self._asked = _by_path(entries)
        self._rules = rules
        self._label = label
        self._eyes = eyes
        self._agent = agent
        self._was_met = False  # the agent that was recorded
        self._groups: dict[tuple[Profile, str | None, str, str], _Group] = {}
        self._readings: dict[tuple[Profile, str | None], Reading] = {}  # by the rule's name
        self._given: dict[int, Turns] = {}  # by line
        self._skipped = 0  # entries from the first on that need not be expected any more
        self.overridden: set[int] = set()  # lines

    def take(self, request: ModelRequest) -> ModelEntry:
        """Give the recorded answer of a request, or raise CassetteMiss saying what was near."""
        self._was_met |= request.agent == self._agent
        group = self._group(request)
        turns = group.find(request.body)
        entry = turns.next(self._given.keys(), request.retry) if turns else None
        if turns is None or entry is None or not self._has_its_turn(entry):
            raise self._refusal(request, group, turns, entry)
        turns.give(entry, request.retry)
        self._given[entry.line] = turns
        if group.plain and group.plain.key(request.body) != group.plain.recorded_key(entry.body):
            self.overridden.add(entry.line)
        return entry

    def give_back(self, entry: ModelEntry) -> None:
        """Note that a client left before it had all of an answer."""
        if entry.line in self._given:
            self._given[entry.line].give_back(entry)

    def unused(self) -> list[Card[ModelEntry]]:
        """List the entries that nobody has asked for so far, but for those that broke off."""
        return [
            _card(one)
            for one in self._entries
            if one.line not in self._given and not one.answer.partial
        ]

    def _group(self, request: ModelRequest) -> _Group:
        named = (request.profile, request.via, request.method, request.path)
        if named not in self._groups:
            self._groups[named] = self._grouped(request)
        return self._groups[named]

    def _grouped(self, request: ModelRequest) -> _Group:
        name = rule_name(self._rules, topic_of(request.method, request.path))
        reading = self._reading(request.profile, name)
        found: dict[bytes, list[ModelEntry]] = {}
        for entry in self._asked.get((request.method, request.path), ()):
            if _came_through(entry, request.via):
                found.setdefault(reading.recorded_key(entry.body), []).append(entry)
        turns = {key: Turns(entries) for key, entries in found.items()}
        return _Group(reading, turns, self._reading(request.profile, None) if name else None)

    def _reading(self, profile: Profile, name: str | None) -> Reading:
        """Give how a profile and the rule of this name read requests, whatever their paths."""
        if (profile, name) not in self._readings:
            rule = EXACT if name is None else self._rules.match[name]
            self._readings[profile, name] = self._new_reading(profile, rule)
        return self._readings[profile, name]

    def _new_reading(self, profile: Profile, rule: MatchRule) -> Reading:
        return Reading(profile, rule, self._eyes.mask, self._eyes.places)

    def _has_its_turn(self, entry: ModelEntry) -> bool:
        if self._rules.order == "none" or entry.line in self._given:
            return True
        return entry.answer.partial or entry is self._expected()

    def _expected(self) -> ModelEntry | None:
        """Find the first entry that was not used; one that broke off may be passed over."""
        entries = self._entries
        while self._skipped < len(entries):
            entry = entries[self._skipped]
            if entry.line not in self._given and not entry.answer.partial:
                return entry
            self._skipped += 1
        return None

    def _refusal(
        self, request: ModelRequest, group: _Group, turns: Turns | None, found: ModelEntry | None
    ) -> CassetteMiss:
        topic = topic_of(request.method, request.path, request.via)
        body = group.reading.masked((), read_body(request.body))
        cards = [_card(one, request.via) for one in self._entries]
        question = Question(self._label, cards, topic, body)
        expected = self._expected()
        if turns is None:
            return missed(question, self._stranger(request, group))
        if found is None or expected is None:
            return exhausted(question, [_card(one) for one in turns.entries], shown(question))
        return out_of_order(question, _card(expected), _card(found), shown(question))

    def _stranger(self, request: ModelRequest, group: _Group) -> Stranger:
        topic = topic_of(request.method, request.path)
        return Stranger(
            body=read_body(request.body),
            reading=group.reading,
            rule=rule_of(self._rules, topic) or EXACT,
            rule_name=rule_name(self._rules, topic) or MODEL,
            wider=lambda rule: self._new_reading(request.profile, rule),
            used=self._given.keys(),
            agents=self._another_agent(request.agent),
        )

    def _another_agent(self, asking: AgentStamp | None) -> tuple[AgentStamp, AgentStamp] | None:
        """Tell if another agent asks; beside the one that was recorded, others are expected."""
        recorded = self._agent
        if recorded is None or asking is None or recorded == asking:
            return None
        return (recorded, asking) if recorded.name == asking.name or not self._was_met else None


def topic_of(method: str, path: str, via: str | None = None) -> Topic:
    """Name a request; a rule for it goes by its path, with or without the query, or by `model`."""
    through = "" if via is None else f" ({via})"
    return Topic(f"{method} {path}{through}", (path, path.partition("?")[0], MODEL), "model")


def _by_path(entries: Sequence[ModelEntry]) -> dict[tuple[str, str], list[ModelEntry]]:
    found: dict[tuple[str, str], list[ModelEntry]] = {}
    for entry in entries:
        found.setdefault((entry.method, entry.path), []).append(entry)
    return found


def _came_through(entry: ModelEntry, via: str | None) -> bool:
    """Say whether an entry may answer what comes through a proxy; not every one names its own."""
    return entry.via is None or via is None or entry.via == via


def _card(entry: ModelEntry, asked_via: str | None = None) -> Card[ModelEntry]:
    """Make an entry's card, as it is seen from a proxy."""
    via = asked_via if _came_through(entry, asked_via) else entry.via
    return Card(entry, topic_of(entry.method, entry.path, via), entry.body)


def _check(rules: CassetteRules) -> None:
    for name, rule in rules.match.items():
        if rule.match == "subset" and (name == MODEL or name.startswith("/")):
            raise UsageError(
                f"cassettes.match.{name}: 'match: subset' is not for requests to a model; "
                "use 'ignore' with the paths that vary"
            )
