"""Play a cassette: give each request of a trial the answer that was recorded for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...ledger.grade import Failure
from ...ledger.suite import CassetteRules
from ...ledger.trajectory import CassetteUse
from ...ledger.value import Json
from ..cassette.entry import AgentStamp, Entry, McpEntry, ModelEntry, ModelRequest
from ..cassette.line import NO_PLACES
from ..cassette.masking import masked_whole
from .brief import SHOWN_ENTRIES, another_agent, entry_fields, list_entries
from .card import Card, Topic, mcp_topic
from .miss import Label
from .model_tape import Eyes, ModelTape
from .moving import moved
from .profile import normalise, scope_of
from .tape import NO_RULES, Tape

if TYPE_CHECKING:
    from ..cassette.load import Cassette
    from ..cassette.masking import Mask

MOST_LEFT = 1000


class Player:
    """Play one cassette once, for one trial; it may be asked from any thread.

    Where the cassette holds placeholders, which its salt tells, calls are masked as the entries
    were: they are compared, and shown, without their secrets. `places` tells by their names where
    the directories are now that were elsewhere when the cassette was recorded: wherever one of
    either stands, its name is compared, and answers speak of those of now.
    """

    def __init__(
        self,
        cassette: Cassette,
        rules: CassetteRules = NO_RULES,
        record_command: str = "",
        mask: Mask | None = None,
        places: Mapping[str, str] = NO_PLACES,
    ) -> None:
        self._recorded = cassette
        self._rules = rules
        self._label = Label(cassette.path, record_command)
        self._mask = mask if cassette.salt is not None else None
        self._places = dict(places)
        self._client: AgentStamp | None = None
        self._lock = threading.Lock()
        self._wind()

    def stand(self, name: str, place: str) -> None:
        """Hear where something is that has its place only now; nothing was asked for by then."""
        self._places[name] = place
        if name in self._recorded.places:  # else no recording speaks of it
            self._wind()

    def tool(self, name: str, args: Json) -> Entry:
        """Give the next recorded answer of a tool, or raise CassetteMiss saying what was near."""
        with self._lock:
            return self._tools.take(Topic(name), self._look(args))

    def meet(self, client: AgentStamp) -> None:
        """Hear who asks the MCP servers; the first one told counts, as in a recording."""
        with self._lock:
            self._client = self._client or client

    def mcp(self, server: str, method: str, params: Json) -> McpEntry:
        """Give the next recorded reply of an MCP server, or raise CassetteMiss."""
        with self._lock:
            topic = mcp_topic(server, method, params)
            return self._servers.take(topic, self._look(params), self._stranger())

    def model(self, request: ModelRequest) -> ModelEntry:
        """Give the recorded answer of a model, or raise CassetteMiss."""
        with self._lock:
            return self._models.take(replace(request, path=self._path(request.path)))

    def give_back(self, entry: ModelEntry) -> None:
        """Take back an answer that the client did not wait for: the next equal request gets it."""
        with self._lock:
            self._models.give_back(entry)

    def failures(self) -> tuple[Failure, ...]:
        """Report the entries that were never asked for, where the rules call that a failure."""
        with self._lock:
            unused = [card for card, policy in self._unused() if policy == "fail"]
        return (_unused_failure(unused, self.use()),) if unused else ()

    def use(self) -> CassetteUse:
        """Count what was used so far, over all kinds; an answer that broke off may be left."""
        cassette = self._cassette
        with self._lock:
            unused = list(self._unused())
            overridden = {*self._tools.overridden, *self._servers.overridden}
            overridden |= self._models.overridden
        total = len(cassette.entries) + len(cassette.servers) + len(cassette.models)
        return CassetteUse(
            path=cassette.path,
            sha256=cassette.sha256,
            entries=total,
            used=total - len(unused),
            unused=len(unused),
            overridden=tuple(sorted(overridden)),
            left=tuple(sorted(card.line for card, _ in unused))[:MOST_LEFT],
            warn_unused=any(policy == "warn" for _, policy in unused),
        )

    def _wind(self) -> None:
        """Read the whole cassette with the eyes of here and now."""
        eyes = Eyes(self._mask, _named(self._recorded.places, self._places))
        cassette, rules, label = moved(self._recorded, self._places), self._rules, self._label
        self._cassette = cassette
        self._look = _look(eyes)
        tools = [Card(one, Topic(one.tool), self._look(one.args)) for one in cassette.entries]
        self._tools = Tape(tools, rules, label)
        self._servers = Tape([self._request(one) for one in cassette.servers], rules, label)
        self._path = _path(eyes)
        models = [replace(one, path=self._path(one.path)) for one in cassette.models]
        self._models = ModelTape(models, rules, label, eyes, cassette.agent)

    def _unused(self) -> Iterator[tuple[Card[Any], str]]:
        """Yield the entries that nobody asked for, each with what the rules make of it."""
        said = self._rules.unused
        for tape in (self._tools, self._servers, self._models):
            usual = "fail" if tape is self._tools else "warn"
            for card in tape.unused():
                if not _is_open(card.entry):
                    yield card, said or usual

    def _stranger(self) -> str:
        """Say whether another client is here than was recorded, where its servers alone tell."""
        recorded, client = self._cassette.agent, self._client
        if recorded is None or client is None or self._cassette.models or recorded == client:
            return ""
        return another_agent(recorded, client)

    def _request(self, entry: McpEntry) -> Card[McpEntry]:
        topic = mcp_topic(entry.server, entry.method, entry.params)
        return Card(entry, topic, self._look(entry.params))


def _is_open(entry: Entry | McpEntry | ModelEntry) -> bool:
    """Say whether nobody waited for an answer: whether it was asked at all may be a race."""
    return isinstance(entry, McpEntry) and entry.is_open


def _named(recorded: Mapping[str, str], here: Mapping[str, str]) -> dict[str, str]:
    """Give the name that stands for each path, of then and of now, on both sides."""
    return {path: f"[{name}]" for name, path in (*recorded.items(), *here.items())}


def _look(eyes: Eyes) -> Mask:
    """Make the function by which calls of tools are looked at before they are compared."""
    scope = scope_of((), eyes.places)

    def look(asked: Json) -> Json:
        seen = masked_whole(eyes.mask, asked) if eyes.mask else asked
        return seen if scope.is_idle else normalise(seen, scope, lambda by, found: 0)

    return look


def _path(eyes: Eyes) -> Callable[[str], str]:
    """Make the function by which the paths of requests are looked at: they may hold secrets."""
    mask = eyes.mask
    return (lambda path: path) if mask is None else lambda path: str(masked_whole(mask, path))


def _unused_failure(unused: list[Card[Any]], use: CassetteUse) -> Failure:
    verb = "was" if len(unused) == 1 else "were"
    message = (
        f"{use.path}: {len(unused)} of {use.entries} recorded answers {verb} not used: "
        f"{list_entries(unused, '; ')}"
    )
    fields: list[Json] = [entry_fields(card) for card in unused[:SHOWN_ENTRIES]]
    return Failure("cassette_unused", message, {"count": len(unused), "unused": fields})
