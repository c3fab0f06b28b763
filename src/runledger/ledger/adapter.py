"""How a command-line agent is started, given its prompt, and understood: data, not code.

A path leads into one line of the agent's output: `message.content.*.text`. A `*` stands for every
item of a list, and all paths of a rule that share it speak of the same item. A place is a path, or
a text with {paths} to be filled in; of several places the first that leads somewhere counts. A
field is such places, or an object of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .value import Json

Via: TypeAlias = Literal["stdin", "argument", "flag"]
StepKind: TypeAlias = Literal[
    "message", "thought", "tool_call", "tool_result", "plan", "usage", "session"
]
Option: TypeAlias = Literal["disallowed_tools", "mcp_config", "model", "resume"]
Places: TypeAlias = tuple[str, ...]
Field: TypeAlias = Places | Mapping[str, Places]
When: TypeAlias = Mapping[str, Json]  # a path, and the value or the list of values it must have

BLANKS: Mapping[Option, str] = {
    "disallowed_tools": "{value}",
    "mcp_config": "{file}",
    "model": "{value}",
    "resume": "{session}",
}
"""What stands in the words of an option for what it is given."""


@dataclass(frozen=True, slots=True)
class PromptWay:
    """Where the prompt goes."""

    via: Via = "stdin"
    flag: str | None = None


@dataclass(frozen=True, slots=True)
class EventRule:
    """What a line, or an item in it, means."""

    when: When
    step: StepKind
    fields: Mapping[str, Field] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextRule:
    """Which line ends a turn well, or holds its text, and where; the last text counts."""

    when: When
    path: Places = ()


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """When a line says that the agent failed, and where it says why."""

    when: When
    message: Places = ()
    pattern: str | None = None  # the message must match it, too


@dataclass(frozen=True, slots=True)
class UsageRule:
    """Where a line tells of tokens and cost; several places of one figure add up."""

    when: When
    fields: Mapping[str, Places]  # tokens_in, tokens_out, cost_usd, model
    covers: Literal["turn", "session"] = "turn"  # of a session gone on with, all turns so far


@dataclass(frozen=True, slots=True)
class ResultRules:
    """Where the answer is, what means failure, and what was used: the last such line counts."""

    text: tuple[TextRule, ...] = ()  # where none leads to a text, the messages of the last turn
    error: tuple[ErrorRule, ...] = ()
    usage: tuple[UsageRule, ...] = ()


@dataclass(frozen=True, slots=True)
class Adapter:
    """All that is known about one kind of command-line agent."""

    name: str
    program: str | None = None
    args: tuple[str, ...] = ()
    prompt: PromptWay = PromptWay()
    env_pass: tuple[str, ...] = ()
    env_set: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[Option, tuple[str, ...]] = field(default_factory=dict)
    events: tuple[EventRule, ...] = ()
    result: ResultRules = ResultRules()
    lines: bool = True  # its output is JSON lines; without, all of it is the answer


def option_words(adapter: Adapter, option: Option, values: Iterable[str]) -> list[str]:
    """Write an option as the agent reads it, once for each value; an unknown one is no words."""
    words = adapter.options.get(option, ())
    return [word.replace(BLANKS[option], value) for value in values for word in words]
