"""Say why a call has no recorded answer, what comes nearest, and what to do next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..errors import CassetteMiss, did_you_mean
from ..ledger.cut import beginning
from ..ledger.difference import Difference, show_both
from ..ledger.fingerprint import canonical_bytes, preview
from ..ledger.value import Absent, Json
from .match import matcher_for
from .nearest import Nearest, find_nearest

if TYPE_CHECKING:
    from ..ledger.suite import MatchRule
    from .cassette import Cassette, Entry

SHOWN_DIFFERENCES = 5
SHOWN_ENTRIES = 10


@dataclass(frozen=True, slots=True)
class Question:
    """A call that got no answer from a cassette, and the command that would record one."""

    cassette: Cassette
    tool: str
    args: Json
    record_command: str


def missed(question: Question, rule: MatchRule, candidates: Iterable[Entry]) -> CassetteMiss:
    """Explain a call that nothing recorded fits; the candidates are entries of the same tool."""
    nearest = find_nearest(question.args, matcher_for(rule), candidates)
    lines = [
        f"no recorded answer for {_call(question)}",
        _about(nearest) if nearest else _without_nearest(question),
        _ignoring(question, rule, nearest) if nearest else "",
        _recording(question),
        _recorded(question),
    ]
    return _miss(question, "cassette_miss", lines, {"nearest": _nearest_fields(nearest)})


def exhausted(question: Question, fitting: Sequence[Entry]) -> CassetteMiss:
    """Explain a call that was recorded, but less often than it is made."""
    times = "once, line" if len(fitting) == 1 else f"{len(fitting)} times, lines"
    numbers = [entry.line for entry in fitting]
    lines = [
        f"no recorded answer is left for {_call(question)}",
        f"recorded: {times} {_listed(numbers)}; one more was asked for",
        _recording(question),
    ]
    found: list[Json] = [*numbers[:SHOWN_ENTRIES]]
    return _miss(question, "cassette_exhausted", lines, {"times": len(fitting), "lines": found})


def out_of_order(question: Question, expected: Entry, found: Entry) -> CassetteMiss:
    """Explain a call that was recorded, but further on in the cassette."""
    lines = [
        f"out of order: expected line {brief(expected)}",
        f"called: {_call(question)}, which is line {found.line}",
        "to allow any order: cassettes: {order: none}",
        _recording(question),
    ]
    fields: dict[str, Json] = {"expected": entry_fields(expected), "line": found.line}
    return _miss(question, "cassette_order", lines, fields)


def brief(entry: Entry) -> str:
    """Show an entry in a few words: its line, tool and short arguments."""
    return f"{entry.line} {_name(entry.tool)} {preview(entry.args, 80)}"


def list_entries(entries: Sequence[Entry], separator: str) -> str:
    """Show the first ten entries, and say how many more there are."""
    shown = [f"line {brief(entry)}" for entry in entries[:SHOWN_ENTRIES]]
    more = len(entries) - len(shown)
    return separator.join([*shown, f"… and {more} more"] if more else shown)


def entry_fields(entry: Entry) -> dict[str, Json]:
    """Write an entry for the record, with long arguments cut."""
    return {"line": entry.line, "tool": _name(entry.tool), "args": _cut(entry.args)}


def _miss(
    question: Question, kind: str, lines: Iterable[str], details: Mapping[str, Json]
) -> CassetteMiss:
    entries = question.cassette.entries[:SHOWN_ENTRIES]
    whole: dict[str, Json] = {"tool": _name(question.tool), "args": _cut(question.args)}
    whole |= {**details, "recorded": [entry_fields(entry) for entry in entries]}
    text = "\n".join(line for line in lines if line)
    message = text.encode("utf-8", "backslashreplace").decode()  # half a surrogate pair in a key
    return CassetteMiss(kind, f"{question.cassette.path}: {message}", whole)


def _about(nearest: Nearest) -> str:
    shown = [
        f"{one.path}: recorded {recorded}, called {called}"
        for one in nearest.differences[:SHOWN_DIFFERENCES]
        for recorded, called in [show_both(one)]
    ]
    more = "; …" if len(nearest.differences) > SHOWN_DIFFERENCES else ""
    return f"nearest: line {nearest.entry.line}, differs at {'; '.join(shown) or '$'}{more}"


def _without_nearest(question: Question) -> str:
    tools = dict.fromkeys(entry.tool for entry in question.cassette.entries)
    if question.tool in tools:
        return "nearest: unknown, since the arguments are too large to compare"
    hint = did_you_mean(question.tool, map(_name, tools))
    return f"nearest: nothing is recorded for the tool {_name(question.tool)}{hint}"


def _ignoring(question: Question, rule: MatchRule, nearest: Nearest) -> str:
    paths = [one.path for one in nearest.differences if one.path not in rule.ignore]
    wider = replace(rule, ignore=(*rule.ignore, *paths))
    matcher = matcher_for(wider)
    sides = matcher.normalise(nearest.entry.args), matcher.normalise(question.args)
    if len(paths) > SHOWN_DIFFERENCES or not matcher.fits(*sides):
        return ""  # a rule that one pastes must work
    return f"to ignore it: cassettes: {_yaml({'match': {question.tool: _rule_fields(wider)}})}"


def _rule_fields(rule: MatchRule) -> dict[str, Json]:
    fields: dict[str, Json] = {"ignore": list(rule.ignore)}
    if rule.replace:
        fields["replace"] = dict(rule.replace)
    return fields if rule.match == "exact" else fields | {"match": rule.match}


def _recording(question: Question) -> str:
    return f"to record it: {question.record_command}" if question.record_command else ""


def _recorded(question: Question) -> str:
    entries = question.cassette.entries
    if not entries:
        return "recorded: nothing, the cassette is empty"
    return "recorded:\n  " + list_entries(entries, "\n  ")


def _nearest_fields(nearest: Nearest | None) -> Json:
    if nearest is None:
        return None
    shown = [_difference_fields(one) for one in nearest.differences[:SHOWN_DIFFERENCES]]
    return {"line": nearest.entry.line, "differences": shown}


def _difference_fields(difference: Difference) -> dict[str, Json]:
    fields: dict[str, Json] = {"path": difference.path}
    if not isinstance(difference.left, Absent):
        fields["recorded"] = _cut(difference.left)
    if not isinstance(difference.right, Absent):
        fields["called"] = _cut(difference.right)
    return fields


def _call(question: Question) -> str:
    return f"{_name(question.tool)} {preview(question.args, 300)}"


def _listed(numbers: Sequence[int]) -> str:
    more = "" if len(numbers) <= SHOWN_ENTRIES else ", …"
    return ", ".join(str(number) for number in numbers[:SHOWN_ENTRIES]) + more


def _name(tool: str) -> str:
    return beginning(tool, 100)


def _cut(value: Json) -> Json:
    return value if len(canonical_bytes(value)) <= 1000 else preview(value, 300)


_PLAIN = re.compile(r"[A-Za-z_$][\w.$-]*", re.ASCII)
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def _yaml(value: Json) -> str:
    """Write a value as YAML in one line, as a user would."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_yaml(key)}: {_yaml(value[key])}" for key in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_yaml(item) for item in value) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return json.dumps(value, ensure_ascii=False)
