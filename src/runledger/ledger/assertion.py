"""What a user asserts about a trial: one noun per assertion type of the suite file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from .value import Json


@dataclass(frozen=True, slots=True)
class RequiredFields:
    """The output has every one of these fields."""

    type: ClassVar[str] = "required_fields"
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """The output is valid under a JSON Schema; `schema` is the document at `schema_path`."""

    type: ClassVar[str] = "json_schema"
    schema_path: str
    schema: Json = True


@dataclass(frozen=True, slots=True)
class MustCall:
    """Every one of these tools is called."""

    type: ClassVar[str] = "must_call"
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MustNotCall:
    """None of these tools is called."""

    type: ClassVar[str] = "must_not_call"
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallOrder:
    """These tools are called in this order, with others between them or not."""

    type: ClassVar[str] = "call_order"
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolArgs:
    """Every call of a tool has arguments that fit a schema, equal a value or contain one."""

    type: ClassVar[str] = "tool_args"
    tool: str
    schema_path: str | None = None
    schema: Json = True
    equals: Json = None
    contains: Json = None


@dataclass(frozen=True, slots=True)
class CallCount:
    """A tool is called at least `min` and at most `max` times."""

    type: ClassVar[str] = "call_count"
    tool: str
    min: int | None = None
    max: int | None = None


@dataclass(frozen=True, slots=True)
class Contains:
    """The output, or the value at a path in it, contains a text."""

    type: ClassVar[str] = "contains"
    text: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Regex:
    """The output, or the value at a path in it, matches a pattern somewhere."""

    type: ClassVar[str] = "regex"
    pattern: str
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Equals:
    """The value at a path in the output is exactly this one."""

    type: ClassVar[str] = "equals"
    path: str
    value: Json


@dataclass(frozen=True, slots=True)
class Script:
    """A program of the user's judges the trial."""

    type: ClassVar[str] = "script"
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Custom:
    """The grader that the command line names judges the trial: a Python function, or a program."""

    type: ClassVar[str] = "grader"
    grader: str


Assertion: TypeAlias = (
    RequiredFields
    | JsonSchema
    | MustCall
    | MustNotCall
    | CallOrder
    | ToolArgs
    | CallCount
    | Contains
    | Regex
    | Equals
    | Script
    | Custom
)
