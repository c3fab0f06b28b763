"""Whatever a cassette holds, it is read and played, or refused with the line that is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.effort import BRIEFLY
from fuzz.mutations import ODD_VALUES, changed, edited, written
from fuzz.refusals import check_words
from fuzz.scratch import every, put, scratch
from runledger.errors import CassetteError, CassetteMiss
from runledger.ledger.proxy import Profile
from runledger.ledger.sound import sound
from runledger.ledger.strict_json import dump_line
from runledger.ledger.value import Json
from runledger.store.cassette.entry import Entry, McpEntry, ModelRequest
from runledger.store.cassette.flaws import flaws_in
from runledger.store.cassette.line import AnyEntry, Header
from runledger.store.cassette.load import Cassette, all_entries, load_cassette, open_cassette
from runledger.store.cassette.masking import mask_for
from runledger.store.cassette.pruning import prune
from runledger.store.cassette.writing import entry_lines, header_line
from runledger.store.lines import encode
from runledger.store.replay.player import Player
from runledger.views import cassette as view

BLOB = "b" * 16
MODEL = {"method": "POST", "path": "/v1/messages"}
SAID = 'data: {"type":"content_block_delta","index":0,"delta":{"text":"hi"}}\n\n'
STREAM = {"status": 200, "headers": {}, "sse": ["event: a\n" + SAID, SAID], "t": [0, 14]}
ASKED = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}

LINES: list[Json] = [
    {"v": 1, "kind": "header", "agent": {"name": "a", "version": "1"}, "salt": "s", "places": {}},
    {"v": 1, "kind": "header", "places": {"workspace": "/tmp/w", "home": "/home/u"}},
    {"v": 1, "kind": "blob", "id": BLOB, "value": [{"name": "t"}]},
    {"tool": "search", "args": {"q": "x", "n": 1}, "ok": True, "result": [1, {"a": None}]},
    {"tool": "search", "args": {"q": "[REDACTED:key:0a1b2c3d]"}, "ok": False, "error": "no"},
    {
        "v": 1,
        "kind": "mcp",
        "server": "fs",
        "before": [{"method": "n"}],
        "after": [1],
        "req": {"method": "tools/call", "params": {"name": "read", "arguments": {"path": "a"}}},
        "resp": {"result": {"content": [{"type": "text", "text": "hi"}]}},
    },
    {"v": 1, "kind": "model", "req": {**MODEL, "body": ASKED}, "resp": STREAM},
    {
        "v": 1,
        "kind": "model",
        "req": {**MODEL, "via": "A", "body": {"t": {"$blob": BLOB}}},
        "resp": {"status": 200, "body": {"usage": {"input_tokens": 3}}, "partial": True},
    },
    {"v": 1, "kind": "model", "req": MODEL, "resp": {"status": 429, "text": "slow down"}},
    {"v": 1, "kind": "model", "req": MODEL, "resp": {"status": 200, "base64": "AP8="}},
]
FILES = every("examples/**/cassettes/*.jsonl")
REAL = [json.loads(line) for file in FILES for line in file.splitlines() if len(line) < 5000]
ANY_LINES = st.lists(changed(LINES) | changed(REAL), max_size=4)


def file_of(content: bytes) -> Path:
    """Write a cassette."""
    return put(scratch("cassettes") / "c.jsonl", content)


def loaded(file: Path) -> Cassette | None:
    """Load a cassette, and see that its types hold; a refusal must name file and line."""
    try:
        return sound(load_cassette(file))
    except CassetteError as error:
        check_place(error, file)
        return None


def check_place(error: CassetteError, file: Path) -> None:
    """See that a refusal names a line, but for what two lines say differently."""
    check_words(error)
    if error.line is None:
        assert "its headers" in error.reason
    else:
        assert 1 <= error.line <= file.read_bytes().count(b"\n") + 1


def told(cassette: Cassette) -> list[AnyEntry]:
    """Give the entries, whichever lines they stand on."""
    return [replace(entry, line=0) for entry in all_entries(cassette)]


def ask(player: Player, entry: AnyEntry, asked: Json) -> Any:
    """Ask as the agent asked that was recorded, for this or for something else."""
    if isinstance(entry, Entry):
        return player.tool(entry.tool, asked)
    if isinstance(entry, McpEntry):
        return player.mcp(entry.server, entry.method, asked)
    body = b"" if asked is None else dump_line(asked)
    request = ModelRequest(entry.method, entry.path, body, Profile("p", 1), via=entry.via)
    return player.model(request)


def misses(player: Player, entry: AnyEntry, asked: Json) -> Iterator[CassetteMiss]:
    """Ask, and yield the miss where there is no answer."""
    try:
        ask(player, entry, asked)
    except CassetteMiss as miss:
        encode({"message": str(miss), "details": miss.details})
        yield miss


@BRIEFLY
@given(edited([*FILES, b""]) | st.binary(max_size=60))
def test_any_bytes_are_a_cassette_or_are_refused(content: bytes) -> None:
    """No file makes a traceback."""
    file = file_of(content)
    if loaded(file) is not None:
        flaws_in(file, ("a known secret",))


@BRIEFLY
@given(ANY_LINES.map(lambda lines: [*map(written, lines)]))
@example([b'{"tool": "t", "args": {}, "ok": false, "error": "\\ud800"}'])  # half a character
def test_what_is_read_can_be_shown_and_looked_through(lines: list[bytes]) -> None:
    """Every command that looks at a cassette can look at one that replay takes."""
    file = file_of(b"\n".join(lines))
    if loaded(file) is None:
        return
    opened = open_cassette(file)
    view.render(opened).encode()
    json.loads(view.render_json(opened))
    for entry in all_entries(opened.cassette):
        view.render_entry(entry).encode()
        json.loads(view.render_entry_json(entry))
    for flaw in flaws_in(file, ("a known secret",)):
        assert flaw.line <= len(lines)


@BRIEFLY
@given(ANY_LINES.map(lambda lines: [*map(written, lines)]))
def test_what_is_read_can_be_written_and_says_the_same(lines: list[bytes]) -> None:
    """A cassette that is written again, or pruned, holds the same entries."""
    file = file_of(b"\n".join(lines))
    cassette = loaded(file)
    if cassette is None:
        return
    prune(file)
    assert told(load_cassette(file)) == told(cassette)

    header = header_line(Header(cassette.salt, cassette.agent, cassette.places))
    again = [line for _, line in entry_lines(all_entries(cassette))]
    file.write_bytes(header + b"".join(again))
    assert told(load_cassette(file)) == told(cassette)


@BRIEFLY
@given(ANY_LINES.map(lambda lines: [*map(written, lines)]), ODD_VALUES)
def test_what_is_read_can_be_played(lines: list[bytes], other: Json) -> None:
    """What was recorded is answered, each once, and anything else is a miss."""
    cassette = loaded(file_of(b"\n".join(lines)))
    if cassette is None:
        return
    entries = all_entries(cassette)
    player = Player(cassette)
    assert not [miss for entry in entries for miss in misses(player, entry, entry.asked)]
    assert not player.failures()
    encode({"path": player.use().path, "left": list(player.use().left)})

    masked = Player(cassette, mask=mask_for(("a known secret",), cassette), places={"home": "/x"})
    for entry in entries:
        [*misses(masked, entry, entry.asked), *misses(masked, entry, other)]
