"""Show entries of a cassette in a few words, for messages and for the record."""

from __future__ import annotations

from collections.abc import Sequence

from ...ledger.cut import beginning
from ...ledger.difference import Difference, show_both
from ...ledger.fingerprint import canonical_bytes, preview, show_name
from ...ledger.parting import windows
from ...ledger.value import Absent, Json
from ..cassette.entry import AgentStamp
from ..redact.redactor import Redactor
from .card import Card, R, Topic
from .request_words import in_words

SHOWN_ENTRIES = 10
WHOLE = 1000  # characters of what a record shows as it is
PART = 300  # and of what it shows of anything longer

_FIELDS = {"tool": ("tool", "args"), "mcp": ("request", "params"), "model": ("request", "about")}


def brief(card: Card[R]) -> str:
    """Show an entry in a few words: its line, its name and what was asked in short."""
    short = in_words(card.asked) if card.topic.kind == "model" else preview(card.asked, 80)
    return f"{card.line} {short_name(card.topic)} {short}"


def list_entries(cards: Sequence[Card[R]], separator: str) -> str:
    """Show the first ten entries, and say how many more there are."""
    shown = [f"line {brief(card)}" for card in cards[:SHOWN_ENTRIES]]
    more = len(cards) - len(shown)
    return separator.join([*shown, f"… and {more} more"] if more else shown)


def entry_fields(card: Card[R]) -> dict[str, Json]:
    """Write an entry for the record, with what is long cut."""
    return {"line": card.line, **asked_fields(card.topic, card.asked)}


def asked_fields(topic: Topic, asked: Json) -> dict[str, Json]:
    """Write what is asked for the record, with what is long cut."""
    name, value = _FIELDS[topic.kind]
    short = in_words(asked) if topic.kind == "model" else cut_value(asked)
    return {name: short_name(topic), value: short}


def shown_sides(one: Difference, width: int = 60) -> tuple[str, str]:
    """Show both sides of a difference: of long texts, the words around the place."""
    return show_both(hidden(one), width)


def difference_fields(difference: Difference) -> dict[str, Json]:
    """Write a difference for the record, with long values cut."""
    left, right = difference.left, difference.right
    if isinstance(left, str) and isinstance(right, str) and max(len(left), len(right)) > WHOLE:
        safe = hidden(difference)
        left, right = windows(str(safe.left), str(safe.right), PART)
    fields: dict[str, Json] = {"path": difference.path}
    if not isinstance(left, Absent):
        fields["recorded"] = cut_value(left)
    if not isinstance(right, Absent):
        fields["called"] = cut_value(right)
    return fields


def hidden(one: Difference) -> Difference:
    """Hide secrets while the texts are whole: a name that tells of one may be cut off then."""
    left, right = one.left, one.right
    if not isinstance(left, str) or not isinstance(right, str):
        return one
    redactor = Redactor()
    return Difference(one.path, redactor.text(left), redactor.text(right))


def another_agent(recorded: AgentStamp, asking: AgentStamp) -> str:
    """Say that somebody else is here than was recorded, which explains all else."""
    return f"recorded with {agent_name(recorded)}, this is {agent_name(asking)}: record it anew"


def agent_name(stamp: AgentStamp) -> str:
    """Show the name and version of an agent."""
    return f"{show_name(stamp.name)} {show_name(stamp.version)}"


def list_numbers(numbers: Sequence[int]) -> str:
    """Show the first ten numbers, and whether there are more."""
    more = "" if len(numbers) <= SHOWN_ENTRIES else ", …"
    return ", ".join(str(number) for number in numbers[:SHOWN_ENTRIES]) + more


def short_name(topic: Topic) -> str:
    """Show the name of a topic; an agent may have made it up."""
    return beginning(topic.name, 100)


def cut_value(value: Json) -> Json:
    """Give a value as it is when it is short, else the beginning of its text."""
    return value if len(canonical_bytes(value)) <= WHOLE else preview(value, PART)
