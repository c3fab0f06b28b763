"""Let recorded answers speak of the directories of this machine, in place of those of then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from ...ledger.value import Json, map_texts
from ..cassette.cleaning import retold
from ..cassette.entry import McpEntry, ModelEntry
from ..cassette.load import Cassette


def moved(cassette: Cassette, here: Mapping[str, str]) -> Cassette:
    """Give a cassette whose answers name the places of now; requests stay as they were asked."""
    then = cassette.places
    moves = {then[name]: here[name] for name in then.keys() & here.keys()}
    longest = sorted((old for old in moves if moves[old] != old), key=len, reverse=True)
    if not longest:
        return cassette
    say = partial(_say, [(old, moves[old]) for old in longest])
    return replace(
        cassette,
        models=tuple(_moved_model(entry, say) for entry in cassette.models),
        servers=tuple(_moved_mcp(entry, say) for entry in cassette.servers),
    )


def _say(moves: list[tuple[str, str]], value: Json) -> Json:
    return map_texts(value, partial(_swap, moves))


def _swap(moves: list[tuple[str, str]], text: str) -> str:
    for old, new in moves:
        text = text.replace(old, new)
    return text


def _moved_model(entry: ModelEntry, say: Callable[[Json], Json]) -> ModelEntry:
    return replace(entry, answer=retold(entry.answer, say))


def _moved_mcp(entry: McpEntry, say: Callable[[Json], Json]) -> McpEntry:
    reply = say(entry.reply)
    assert isinstance(reply, Mapping)  # an object stays one
    before, after = tuple(map(say, entry.before)), tuple(map(say, entry.after))
    return replace(entry, reply=reply, before=before, after=after)
