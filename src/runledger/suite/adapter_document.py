"""The keys a user may write in an adapter file, with the shape of each value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from ..ledger.adapter import StepKind
from .document import Argument, Command, Document, EnvSpec, Name, Text


def _in_a_list(value: Any) -> Any:
    return [value] if isinstance(value, (str, dict)) else value


def _is_a_place(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value)
    return (
        isinstance(value, list) and bool(value) and all(one and type(one) is str for one in value)
    )


def _is_a_field(value: Any) -> Any:
    parts = list(value.values()) if isinstance(value, dict) and value else [value]
    if not all(map(_is_a_place, parts)):
        raise PydanticCustomError(
            "field", "must be a path, a list of paths, or an object of such, none of them empty"
        )
    return value


def _is_a_condition(value: Any) -> Any:
    values = value if isinstance(value, list) and value else [value]
    if any(isinstance(one, (dict, list)) for one in values):
        raise PydanticCustomError("condition", "must be a plain value, or a list of such")
    return value


_PLACES: Mapping[str, Any] = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
    ]
}
_FIELD = {"anyOf": [*_PLACES["anyOf"], {"type": "object", "additionalProperties": dict(_PLACES)}]}
_SCALAR = {"type": ["string", "number", "boolean", "null"]}
_CONDITION = {"anyOf": [_SCALAR, {"type": "array", "minItems": 1, "items": _SCALAR}]}

PlacesSpec: TypeAlias = Annotated[
    list[Text], Field(min_length=1), BeforeValidator(_in_a_list), WithJsonSchema(dict(_PLACES))
]
FieldSpec: TypeAlias = Annotated[Any, BeforeValidator(_is_a_field), WithJsonSchema(_FIELD)]
WhenSpec: TypeAlias = dict[
    Text, Annotated[Any, BeforeValidator(_is_a_condition), WithJsonSchema(_CONDITION)]
]


class PromptSpec(Document):
    """`prompt`: where the prompt goes."""

    via: Literal["stdin", "argument", "flag"] = "stdin"
    flag: Argument | None = None


class OptionsSpec(Document):
    """`options`: the words by which each is passed, with a blank for what is passed."""

    disallowed_tools: Command | None = None
    mcp_config: Command | None = None
    model: Command | None = None
    resume: Command | None = None


class EventSpec(Document):
    """`events[]`: what a line, or an item in it, means."""

    when: WhenSpec
    step: StepKind
    fields: dict[Text, FieldSpec]


class TextSpec(Document):
    """`result.text`: which line holds the answer, and where; without path, that it came to one."""

    when: WhenSpec
    path: PlacesSpec | None = None


class ErrorSpec(Document):
    """`result.error`: when a line says that the agent failed, and where it says why."""

    when: WhenSpec
    message: PlacesSpec | None = None
    pattern: Text | None = None


class UsageFieldsSpec(Document):
    """`result.usage.fields`: where each figure is; several places of one add up."""

    tokens_in: PlacesSpec | None = None
    tokens_out: PlacesSpec | None = None
    cost_usd: PlacesSpec | None = None
    model: PlacesSpec | None = None


class UsageSpec(Document):
    """`result.usage`: which line tells of tokens and cost, and of how many turns."""

    when: WhenSpec
    fields: UsageFieldsSpec
    covers: Literal["turn", "session"] = "turn"


def _one_or_several(spec: type[Document]) -> BeforeValidator:
    """Take one where a list is due, in the document and in its schema."""
    return BeforeValidator(_in_a_list, json_schema_input_type=spec | list[spec])  # type: ignore[valid-type]


class ResultSpec(Document):
    """`result`: where the answer is, what means failure, what was used."""

    text: Annotated[list[TextSpec], _one_or_several(TextSpec)] = Field(default_factory=list)
    error: Annotated[list[ErrorSpec], _one_or_several(ErrorSpec)] = Field(default_factory=list)
    usage: Annotated[list[UsageSpec], _one_or_several(UsageSpec)] = Field(default_factory=list)


class AdapterConfig(Document):
    """An adapter file, as its author wrote it."""

    schema_version: Literal[1]
    name: Name
    program: Argument | None = None
    args: list[Argument] = Field(default_factory=list)
    prompt: PromptSpec = PromptSpec()
    env: EnvSpec | None = None
    options: OptionsSpec = OptionsSpec()
    events: list[EventSpec] = Field(default_factory=list)
    result: ResultSpec = ResultSpec()
