"""Check what assertions mean beside the suite's tools and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..errors import Finding, did_you_mean
from ..ledger.pattern import pattern_problem
from .document import (
    AssertionSpec,
    CallCountSpec,
    CallOrderSpec,
    JsonSchemaSpec,
    MustCallSpec,
    RegexSpec,
    ToolArgsSpec,
)
from .schemas import SchemaShelf
from .source import Source, Steps, point

Problem: TypeAlias = tuple[Steps, str]  # where in the assertion, and what is wrong

_WAYS = ("schema_path", "equals", "contains")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What assertions are checked against; without tools, any name of a tool will do."""

    schemas: SchemaShelf
    tools: tuple[str, ...] = ()


def check_assertions(
    source: Source, specs: Sequence[AssertionSpec] | None, around: Surroundings
) -> Iterator[Finding]:
    """Find assertions that cannot be judged, or could never pass."""
    for index, spec in enumerate(specs or ()):
        for steps, message in _problems(spec, around):
            yield point(source, ("assertions", index, *steps), message)


def _problems(spec: AssertionSpec, around: Surroundings) -> Iterator[Problem]:
    match spec:
        case JsonSchemaSpec():
            yield from _schema(spec.schema_path, around.schemas)
        case RegexSpec():
            yield from _pattern(spec.pattern)
        case ToolArgsSpec():
            yield from _one_way(spec)
            if spec.schema_path is not None:
                yield from _schema(spec.schema_path, around.schemas)
        case CallCountSpec():
            yield from _bounds(spec)
    if around.tools:
        yield from _unknown_tools(spec, around.tools)


def _schema(path: str, schemas: SchemaShelf) -> Iterator[Problem]:
    problem = schemas.path_problem(path)
    if problem is not None:
        yield ("schema_path",), f"{problem}"


def _pattern(pattern: str) -> Iterator[Problem]:
    problem = pattern_problem(pattern)
    if problem is not None:
        yield ("pattern",), f"{problem}; found {pattern}"


def _one_way(spec: ToolArgsSpec) -> Iterator[Problem]:
    given = [way for way in _WAYS if getattr(spec, way) is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        yield (), f"needs exactly one of {', '.join(_WAYS)}; found {found}"


def _bounds(spec: CallCountSpec) -> Iterator[Problem]:
    if spec.min is None and spec.max is None:
        yield (), "needs min or max"
    elif spec.min is not None and spec.max is not None and spec.min > spec.max:
        yield ("min",), f"min {spec.min} is more than max {spec.max}"


def _unknown_tools(spec: AssertionSpec, known: tuple[str, ...]) -> Iterator[Problem]:
    for steps, tool in _awaited(spec):
        if tool not in known:
            hint = did_you_mean(tool, known)
            yield steps, f"{tool} is not in tool_registry, so this could never pass{hint}"


def _awaited(spec: AssertionSpec) -> Iterator[tuple[Steps, str]]:
    """Yield the tools that must be called for an assertion to mean something."""
    match spec:
        case MustCallSpec():
            yield from ((("tools", index), tool) for index, tool in enumerate(spec.tools))
        case CallOrderSpec():
            yield from ((("order", index), tool) for index, tool in enumerate(spec.order))
        case ToolArgsSpec():
            yield ("tool",), spec.tool
        case CallCountSpec() if spec.min:
            yield ("tool",), spec.tool
