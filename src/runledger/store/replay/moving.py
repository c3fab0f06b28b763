"""Let recorded answers speak of the directories of this machine, in place of those of then."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from ...ledger.value import Json, map_texts
from ..cassette.cleaning import retold
from ..cassette.entry import Entry, McpEntry, ModelEntry
from ..cassette.load import Cassette

# Where a path begins: not in the middle of another (`packages/src`, `~/src`, `$(pwd)/src`), but
# behind the scheme of an address, a letter that stands for a line's end in JSON, and an option's.
_BEGIN = r"(?:(?<![\w.~/)}\]*?-])|(?<=://)|(?<=\\[nrt])|(?<=[\s\"'=]-[A-Za-z]))"
_END = r"(?![\w~@+-]|\.\w)"  # where its last name ends: `/src` is not in `/src-old` or `/src.bak`


def moved(cassette: Cassette, here: Mapping[str, str]) -> Cassette:
    """Give a cassette whose answers name the places of now; requests stay as they were asked."""
    then = cassette.places
    known = [(then[name].rstrip("/"), here[name].rstrip("/")) for name in then if name in here]
    moves = {old: new for old, new in known if old}
    if all(old == new for old, new in moves.items()):
        return cassette
    say = partial(map_texts, change=_mover(moves))
    return replace(
        cassette,
        entries=tuple(_moved_tool(entry, say) for entry in cassette.entries),
        models=tuple(_moved_model(entry, say) for entry in cassette.models),
        servers=tuple(_moved_mcp(entry, say) for entry in cassette.servers),
    )


def _mover(moves: Mapping[str, str]) -> Callable[[str], str]:
    """Make what puts each place in place of its old one, in one go; the longest one counts."""
    longest = sorted(moves, key=len, reverse=True)  # those too that stay: others may hold them
    either = "|".join(map(re.escape, longest))
    pattern = re.compile(f"{_BEGIN}(?:{either}){_END}", re.ASCII)

    def move(text: str) -> str:
        if not any(old in text for old in longest):
            return text
        return pattern.sub(lambda found: moves[found[0]], text)

    return move


def _moved_tool(entry: Entry, say: Callable[[Json], Json]) -> Entry:
    return replace(entry, result=say(entry.result), error=say(entry.error))


def _moved_model(entry: ModelEntry, say: Callable[[Json], Json]) -> ModelEntry:
    return replace(entry, answer=retold(entry.answer, say))


def _moved_mcp(entry: McpEntry, say: Callable[[Json], Json]) -> McpEntry:
    reply = say(entry.reply)
    assert isinstance(reply, Mapping)  # an object stays one
    before, after = tuple(map(say, entry.before)), tuple(map(say, entry.after))
    return replace(entry, reply=reply, before=before, after=after)
