"""Say why a request to a model has no recorded answer, what comes nearest and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...errors import CassetteMiss
from ...ledger.difference import Difference
from ...ledger.parting import parting
from ...ledger.path import parse_path
from ...ledger.value import Json
from ..cassette.entry import AgentStamp, ModelEntry
from .brief import agent_name, another_agent, difference_fields, hidden, short_name, shown_sides
from .miss import (
    SHOWN_DIFFERENCES,
    Question,
    how_to_record,
    make_miss,
    what_is_recorded,
    without_nearest,
)
from .nearest_request import MAX_DIFFERENCES, NearestRequest, find_nearest_request
from .offered import offered_rule, yaml_line
from .request_words import in_words
from .tool_changes import ToolChanges, tool_changes
from .tool_results import result_at, use_of
from .word_change import changed_words

if TYPE_CHECKING:
    from ...ledger.suite import MatchRule
    from .reading import Reading

WIDTH = 80
TOOLS = "$.tools"


@dataclass(frozen=True, slots=True)
class Stranger:
    """A request that nothing recorded equals, and how it was compared."""

    body: Json
    reading: Reading
    rule: MatchRule
    rule_name: str  # under which the suite has it, or would
    wider: Callable[[MatchRule], Reading]
    used: Collection[int]  # lines
    agents: tuple[AgentStamp, AgentStamp] | None  # recorded and asking, if not alike


def missed(question: Question[ModelEntry], stranger: Stranger) -> CassetteMiss:
    """Explain a request that nothing recorded equals."""
    candidates = [card for card in question.cards if card.topic == question.topic]
    nearest = find_nearest_request(stranger.body, stranger.reading, candidates, stranger.used)
    if stranger.agents is None:
        return _compared(question, stranger, nearest)
    recorded, asking = stranger.agents
    question = replace(question, note=another_agent(recorded, asking))
    miss = _compared(question, stranger, nearest) if _is_close(nearest) else _far(question, nearest)
    names: Json = {"recorded": agent_name(recorded), "called": agent_name(asking)}
    return CassetteMiss(miss.kind, str(miss), {**miss.details, "agents": names})


def _compared(
    question: Question[ModelEntry], stranger: Stranger, nearest: NearestRequest | None
) -> CassetteMiss:
    if nearest is None:
        lines = [f"no recorded answer for {shown(question)}", without_nearest(question)]
        return _finished(question, lines, nearest)
    if results := _changed_results(stranger.body, nearest):
        return _another_world(question, stranger, results, nearest)
    lines = [
        f"no recorded answer for {shown(question)}",
        _about(nearest, stranger.body),
        *_ignoring(stranger, nearest),
    ]
    return _finished(question, lines, nearest)


def shown(question: Question[ModelEntry]) -> str:
    """Show a request in a few words."""
    return f"{short_name(question.topic)}: {in_words(question.asked)}"


def _is_close(nearest: NearestRequest | None) -> bool:
    """Say whether so little differs that another version of the agent need not be the reason."""
    return nearest is not None and len(nearest.differences) <= SHOWN_DIFFERENCES


def _far(question: Question[ModelEntry], nearest: NearestRequest | None) -> CassetteMiss:
    """Explain a request of another agent, whose differences say nothing one by one."""
    lines = [
        f"no recorded answer for {shown(question)}",
        _counted(nearest) if nearest else "",
        how_to_record(question.label),
    ]
    return make_miss(question, "cassette_miss", lines, {"nearest": _fields(nearest)})


def _another_world(
    question: Question[ModelEntry],
    stranger: Stranger,
    results: Sequence[str],
    nearest: NearestRequest,
) -> CassetteMiss:
    more = f" (and {len(results) - 1} more)" if len(results) > 1 else ""
    lines = [
        f"environment differs: the result of {results[0]}{more} is not what was recorded",
        f"no recorded answer for {shown(question)}",
        _about(nearest, stranger.body),
        "the agent's own tools saw another world: look at its workspace, its HOME, the clock",
        how_to_record(question.label),
    ]
    details: dict[str, Json] = {"nearest": _fields(nearest), "environment": True}
    return make_miss(question, "cassette_miss", lines, details)


def _finished(
    question: Question[ModelEntry], lines: Sequence[str], nearest: NearestRequest | None
) -> CassetteMiss:
    whole = [*lines, how_to_record(question.label), what_is_recorded(question.cards)]
    return make_miss(question, "cassette_miss", whole, {"nearest": _fields(nearest)})


def _changed_results(body: Json, nearest: NearestRequest) -> list[str]:
    """List the calls whose results are all that differs; none if anything else does."""
    found: dict[str, None] = {}
    for one in nearest.differences:
        result = result_at(body, parse_path(one.path))
        if result is None:
            return []
        found[use_of(body, result).shown()] = None
    return list(found)


def _about(nearest: NearestRequest, body: Json) -> str:
    told = list(_told(nearest, body))
    lines = [f"nearest: line {nearest.card.line}, differs at", *(told or ["$"])[:SHOWN_DIFFERENCES]]
    more = len(told) - SHOWN_DIFFERENCES
    return "\n  ".join([*lines, f"… and {more} more"] if more > 0 else lines)


def _told(nearest: NearestRequest, body: Json) -> Iterator[str]:
    """Tell the differences one by one, those of several tools in one."""
    changes = _tools_by_name(nearest, body)
    if changes is not None:
        yield f"{TOOLS}: {changes.told}"
    for one in nearest.differences:
        if changes is None or not _is_of_tools(one):
            yield _pointed(one)


def _tools_by_name(nearest: NearestRequest, body: Json) -> ToolChanges | None:
    """Find how the tools differ, where names tell more than places."""
    if not any(map(_is_of_tools, nearest.differences)):
        return None
    changes = tool_changes(nearest.card.entry.body, body)
    return changes if changes.is_told_by_names else None


def _is_of_tools(one: Difference) -> bool:
    return parse_path(one.path)[:1] == ("tools",)


def _pointed(one: Difference) -> str:
    recorded, called = shown_sides(one, WIDTH)
    if recorded == called and isinstance(one.left, str) and isinstance(one.right, str):
        at = parting(one.left, one.right) + 1
        return f"{one.path}: both {recorded}, but for the text from character {at} on"
    return f"{one.path}: recorded {recorded}, called {called}"


def _counted(nearest: NearestRequest) -> str:
    count = len(nearest.differences)
    places = "1 place" if count == 1 else f"{count} places"
    more = " or more" if count == MAX_DIFFERENCES else ""
    return f"nearest: line {nearest.card.line}, differs at {places}{more}"


def _ignoring(stranger: Stranger, nearest: NearestRequest) -> Iterator[str]:
    """Offer the rules that would let the nearest answer be given: both can be pasted."""
    by_name = _tools_by_name(nearest, stranger.body) is not None
    told = (TOOLS if by_name and _is_of_tools(one) else one.path for one in nearest.differences)
    paths = list(dict.fromkeys(told))
    wider = replace(stranger.rule, ignore=(*stranger.rule.ignore, *paths))
    if not 0 < len(paths) <= SHOWN_DIFFERENCES or not _fits(stranger, nearest, wider):
        return
    yield f"to ignore it: {offered_rule(stranger.rule_name, wider)}"
    words = _public_words(nearest.differences[0]) if len(nearest.differences) == 1 else None
    if words is not None:
        rule: Mapping[str, Json] = {"path": paths[0], "pattern": words, "replace": "[varies]"}
        yield f"or only what varies in it, in a profile: {yaml_line(rule)}"


def _public_words(one: Difference) -> str | None:
    """Give a pattern for the words that differ, unless they are a secret."""
    words = changed_words(one)
    return words if words == changed_words(hidden(one)) else None


def _fits(stranger: Stranger, nearest: NearestRequest, rule: MatchRule) -> bool:
    reading = stranger.wider(rule)
    keys = (
        reading.recorded_key(body, are_kept=False)
        for body in (nearest.card.entry.body, stranger.body)
    )
    return next(keys) == next(keys)


def _fields(nearest: NearestRequest | None) -> Json:
    if nearest is None:
        return None
    found = [difference_fields(one) for one in nearest.differences[:SHOWN_DIFFERENCES]]
    count = len(nearest.differences)
    return {"line": nearest.card.line, "differences": found, "count": count}
