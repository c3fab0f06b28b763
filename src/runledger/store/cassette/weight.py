"""How much may be said in one trial, so that no agent or server fills the memory."""

from __future__ import annotations

from ...ledger.strict_json import dump_line
from .entry import Entry, McpEntry

MOST_BYTES = 64 * 1024 * 1024  # of one request, of one answer, and of all that a trial gathers
MOST_ENTRIES = 20_000  # of a cassette: each takes some 5 KB of memory in replay


def weight_of(entry: Entry | McpEntry) -> int:
    """Count the bytes of what was asked and answered, roughly."""
    match entry:
        case Entry():
            said = [entry.args, entry.result, entry.error]
        case McpEntry():
            said = [entry.params, entry.reply, *entry.before, *entry.after]
    return sum(len(dump_line(value)) for value in said)
