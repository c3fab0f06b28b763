"""What a line of a command-line agent means, by the rules of its adapter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...ledger.adapter import EventRule, Field, StepKind
from ...ledger.event import Log, Message, Plan, Thought, ToolCall, ToolResult, UsageReport
from ...ledger.figure import LARGEST, clamped
from ...ledger.session import SESSION
from ...ledger.shell_exit import exit_code_in, runs_commands
from ...ledger.usage import Usage
from ...ledger.value import Absent, Json
from .. import Said
from .match import Spot, all_of, as_text, field_at, spots

SESSION_FACTS = ("id", "model", "version", "tools", "mcp_servers")
UNNAMED = "unnamed"  # stands for the name of a tool that was not told


@dataclass(slots=True)
class Known:
    """What the lines of a session have told so far."""

    turn: int = 0
    facts: Mapping[str, Json] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # of tools, by the id of the call
    spent: Usage = Usage()  # in the turns before
    _earlier: frozenset[str] = frozenset()

    def begin_turn(self) -> None:
        """Go on to the next turn, in which an agent may number its calls from the start again."""
        self.turn += 1
        self._earlier = frozenset(self.names)

    def call_id(self, told: str) -> str:
        """Give the id of a call that no call of another turn has."""
        return f"{told}@{self.turn}" if told in self._earlier else told

    def text(self, fact: str) -> str | None:
        """Give a fact that is a text."""
        found = self.facts.get(fact)
        return found if isinstance(found, str) and found else None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a message or a thought, which the next part continues."""

    of: type[Message] | type[Thought]
    text: str


Fields: TypeAlias = Mapping[str, Field]
Meant: TypeAlias = Said | Piece


def steps_in(line: Json, rules: Sequence[EventRule], known: Known) -> Iterator[Meant]:
    """Yield what a line means: item by item, and for each item rule by rule."""
    found = [
        (spot.number, order, rule, spot)
        for order, rule in enumerate(rules)
        for spot in spots(line, rule.when, rule.fields.values())
    ]
    for _, _, rule, spot in sorted(found, key=lambda one: one[:2]):
        if meant := _READERS[rule.step](spot, rule.fields, known):
            yield meant


def usage_at(spot: Spot, fields: Fields, known: Known) -> Usage | None:
    """Read tokens and cost; the places of one figure add up, and what is no number is none."""
    tokens_in, tokens_out = (
        _figure(spot, fields.get(name)) for name in ("tokens_in", "tokens_out")
    )
    cost = _figure(spot, fields.get("cost_usd"))
    if tokens_in is None and tokens_out is None and cost is None:
        return None
    model = _text(spot, fields.get("model")) or known.text("model")
    return Usage(_whole(tokens_in), _whole(tokens_out), cost, model)


def _message(spot: Spot, fields: Fields, known: Known) -> Meant | None:
    return _said(Message, spot, fields)


def _thought(spot: Spot, fields: Fields, known: Known) -> Meant | None:
    return _said(Thought, spot, fields)


def _said(kind: type[Message] | type[Thought], spot: Spot, fields: Fields) -> Meant | None:
    text = _text(spot, fields.get("text"))
    if not text:
        return None
    return Piece(kind, text) if _is_true(spot, fields.get("delta")) else kind(text)


def _tool_call(spot: Spot, fields: Fields, known: Known) -> Meant | None:
    id = known.call_id(_text(spot, fields.get("id")))
    if not id:
        return None  # nobody could tell which call it is
    name = known.names[id] = _text(spot, fields.get("name")) or known.names.get(id, UNNAMED)
    args = field_at(spot, fields.get("input"))
    status = _text(spot, fields.get("status"))
    return ToolCall(name, id, {} if isinstance(args, Absent) else args, status=status or None)


def _tool_result(spot: Spot, fields: Fields, known: Known) -> Meant | None:
    id = known.call_id(_text(spot, fields.get("id")))
    if not id:
        return None
    output, error = (_value(spot, fields.get(name)) for name in ("output", "error"))
    took = _between(*(_figure(spot, fields.get(name)) for name in ("began", "ended")))
    if error is not None or _is_true(spot, fields.get("failed")):
        return ToolResult(id, False, error=output if error is None else error, took_ms=took)
    told = _value(spot, fields.get("exit_code"))
    code = _exit_code(told, output, known.names.get(id, ""))
    return ToolResult(id, ok=True, result=output, exit_code=code, took_ms=took)


def _exit_code(told: Json, output: Json, name: str) -> int | None:
    """Give the exit code of a command that failed, where a line or the output tells it."""
    code = exit_code_in(output) if told is None and runs_commands(name) else told
    return clamped(code) if isinstance(code, int) and not isinstance(code, bool) and code else None


def _plan(spot: Spot, fields: Fields, known: Known) -> Meant | None:
    entries = field_at(spot, fields.get("entries"))
    return Plan(entries) if isinstance(entries, (list, tuple)) else None


def _usage(spot: Spot, fields: Fields, known: Known) -> Meant | None:
    usage = usage_at(spot, fields, known)
    return None if usage is None else UsageReport(usage)


def _session(spot: Spot, fields: Fields, known: Known) -> Meant | None:
    told = {fact: _value(spot, fields.get(fact)) for fact in SESSION_FACTS}
    facts = {**known.facts, **{fact: value for fact, value in told.items() if value is not None}}
    if facts == known.facts:
        return None  # some agents repeat it on every line
    known.facts = facts
    return Log("info", SESSION, facts)


_READERS: Mapping[StepKind, Callable[[Spot, Fields, Known], Meant | None]] = {
    "message": _message,
    "thought": _thought,
    "tool_call": _tool_call,
    "tool_result": _tool_result,
    "plan": _plan,
    "usage": _usage,
    "session": _session,
}


def _value(spot: Spot, field: Field | None) -> Json:
    found = field_at(spot, field)
    return None if isinstance(found, Absent) else found


def _text(spot: Spot, field: Field | None) -> str:
    found = _value(spot, field)
    return "" if found is None else as_text(found)


def _is_true(spot: Spot, field: Field | None) -> bool:
    return field_at(spot, field) is True


def _figure(spot: Spot, field: Field | None) -> float | None:
    found = all_of(spot, field) if isinstance(field, tuple) else []
    figures = [one for one in found if isinstance(one, (int, float)) and not isinstance(one, bool)]
    sound = [one for one in figures if 0 <= one <= LARGEST]
    return clamped(sum(sound)) if sound else None


def _between(began: float | None, ended: float | None) -> int | None:
    """Count the milliseconds between two moments, where both were told."""
    return None if began is None or ended is None else max(0, int(ended - began))


def _whole(figure: float | None) -> int | None:
    return None if figure is None else int(figure)
