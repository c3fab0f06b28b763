"""How a command-line agent is started, given its prompt, and understood: data, not code.

A path leads into one line of the agent's output: `message.content.*.text`. A `*` stands for every
item of a list, and all paths of a rule that share it speak of the same item. A field is a path, or
several of which the first that leads somewhere counts, or a text with {paths} to be filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .value import Json

Via: TypeAlias = Literal["stdin", "argument", "flag"]
StepKind: TypeAlias = Literal[
    "message", "thought", "tool_call", "tool_result", "plan", "usage", "session"
]
Paths: TypeAlias = tuple[str, ...]
When: TypeAlias = Mapping[str, Json]  # a path, and the value or the list of values it must have


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
    fields: Mapping[str, Paths] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """When a line, or the final text, says that the agent failed, and where it says why."""

    when: When
    message: Paths = ()
    pattern: str | None = None  # the message must match it, too


@dataclass(frozen=True, slots=True)
class UsageRule:
    """Where a line tells of tokens and cost; several paths of one figure add up."""

    when: When
    fields: Mapping[str, Paths]  # tokens_in, tokens_out, cost_usd, model


@dataclass(frozen=True, slots=True)
class TextRule:
    """Which line holds the final text, and where."""

    when: When
    path: Paths


@dataclass(frozen=True, slots=True)
class ResultRules:
    """Where the answer is, what means failure, and what was used."""

    text: tuple[TextRule, ...] = ()  # without one, the messages of the last turn
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
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    events: tuple[EventRule, ...] = ()
    result: ResultRules = ResultRules()
    lines: bool = True  # its output is JSON lines; without, all of it is the answer
