"""Write the lines of a cassette: its header, its entries, and the blobs that these need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ...ledger.strict_json import dump_line
from ...ledger.value import Json
from .answer_line import answer_fields
from .census import Census
from .compaction import Compactor
from .entry import Entry, McpEntry, ModelEntry
from .line import AnyEntry, Header


class Scribe(Protocol):
    """Take down the values of entries: first only to see them all, then to write them."""

    def value(self, value: Json, /) -> Json:
        """Take down any value."""

    def body(self, body: Json, /) -> Json:
        """Take down the body of a request to a model."""


def header_line(header: Header) -> bytes:
    """Write what a cassette says of itself; nothing where there is nothing to say."""
    return b"" if header == Header() else dump_line(_header_fields(header))


def entry_lines(entries: Sequence[AnyEntry]) -> Iterator[tuple[AnyEntry, bytes]]:
    """Write each entry as its line, behind the blobs that it is the first to need."""
    census = Census()
    for entry in entries:
        _entry_fields(entry, census)
    compactor = Compactor(census)
    for entry in entries:
        fields = _entry_fields(entry, compactor)
        yield entry, b"".join(map(dump_line, [*compactor.new_blobs(), fields]))


def _entry_fields(entry: AnyEntry, scribe: Scribe) -> dict[str, Json]:
    match entry:
        case Entry():
            return _tool_fields(entry)
        case McpEntry():
            return _mcp_fields(entry, scribe)
        case ModelEntry():
            return _model_fields(entry, scribe)


def _header_fields(header: Header) -> dict[str, Json]:
    fields: dict[str, Json] = {"v": 1, "kind": "header"}
    if header.agent is not None:
        fields["agent"] = {"name": header.agent.name, "version": header.agent.version}
    if header.salt is not None:
        fields["salt"] = header.salt
    return fields | {"places": dict(header.places)} if header.places else fields


def _tool_fields(entry: Entry) -> dict[str, Json]:
    fields: dict[str, Json] = {"tool": entry.tool, "args": entry.args, "ok": entry.ok}
    fields["result"] = entry.result
    return fields if entry.error is None else fields | {"error": entry.error}


def _mcp_fields(entry: McpEntry, scribe: Scribe) -> dict[str, Json]:
    asked: dict[str, Json] = {"method": entry.method}
    if entry.params is not None:
        asked["params"] = scribe.value(entry.params)
    reply = {name: scribe.value(item) for name, item in entry.reply.items()}
    fields: dict[str, Json] = {"v": 1, "kind": "mcp", "server": entry.server, "req": asked}
    fields["resp"] = reply
    for name, messages in (("before", entry.before), ("after", entry.after)):
        if messages:
            fields[name] = [scribe.value(message) for message in messages]
    return fields


def _model_fields(entry: ModelEntry, scribe: Scribe) -> dict[str, Json]:
    asked: dict[str, Json] = {"method": entry.method, "path": entry.path}
    if entry.via is not None:
        asked["via"] = entry.via
    body = scribe.body(entry.body)
    if entry.body is not None:
        asked["body"] = body
    answer = answer_fields(entry.answer, scribe.value)
    return {"v": 1, "kind": "model", "req": asked, "resp": answer}
