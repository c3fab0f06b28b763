"""Say in plain words what is wrong with a value in a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

from ..errors import did_you_mean
from ..ledger.fingerprint import preview
from . import document
from .source import Step, Steps

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_ASSERTIONS: Mapping[str, type[document.Document]] = {
    "required_fields": document.RequiredFieldsSpec,
    "json_schema": document.JsonSchemaSpec,
    "must_call": document.MustCallSpec,
    "must_not_call": document.MustNotCallSpec,
    "call_order": document.CallOrderSpec,
    "tool_args": document.ToolArgsSpec,
    "call_count": document.CallCountSpec,
    "contains": document.ContainsSpec,
    "regex": document.RegexSpec,
    "equals": document.EqualsSpec,
    "script": document.ScriptSpec,
}

_DEMANDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "string_type": lambda _: "must be text",
    "string_too_short": lambda _: "must not be empty",
    "too_short": lambda ctx: _too_few(ctx),
    "int_type": lambda _: "must be a whole number",
    "float_type": lambda _: "must be a number",
    "bool_type": lambda _: "must be true or false",
    "list_type": lambda _: "must be a list",
    "dict_type": lambda _: "must be an object (keys with values)",
    "model_type": lambda _: "must be an object (keys with values)",
    "model_attributes_type": lambda _: "must be an object (keys with values)",
    "finite_number": lambda _: "must be a finite number",
    "literal_error": lambda ctx: f"must be {ctx['expected'].replace(chr(39), '')}",
    "greater_than": lambda ctx: f"must be more than {ctx['gt']:g}",
    "greater_than_equal": lambda ctx: f"must be {ctx['ge']:g} or more",
    "less_than": lambda ctx: f"must be less than {ctx['lt']:g}",
    "less_than_equal": lambda ctx: f"must be {ctx['le']:g} or less",
}


def sentence(model: type[document.Document], error: ErrorDetails) -> str:
    """Turn one error of pydantic's into a sentence for the author of the document."""
    kind, found = error["type"], error["input"]
    if kind == "missing":
        return "is missing"
    if kind == "extra_forbidden":
        return f"unknown key{did_you_mean(error['loc'][-1], _keys_around(model, error['loc']))}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _about_type(found)
    if not error["loc"]:
        return _about_whole(model, found)
    if found is None:
        return f"is empty; it {_demand(error)}"
    return f"{_demand(error)}; found {preview(found, 60)}{_advice(error)}"


def _too_few(ctx: Mapping[str, Any]) -> str:
    if ctx["field_type"] == "Dictionary":
        return f"must have {ctx['min_length']} entries or more"
    return "must not be an empty list"


def _demand(error: ErrorDetails) -> str:
    make = _DEMANDS.get(error["type"])
    return make(error.get("ctx", {})) if make else error["msg"]


def _advice(error: ErrorDetails) -> str:
    kind, found = error["type"], error["input"]
    if kind == "literal_error":
        return did_you_mean(found, re.findall(r"'([^']+)'", error["ctx"]["expected"]))
    if kind == "string_type":
        return _advice_on_text(found)
    if kind in ("int_type", "float_type") and isinstance(found, str):
        return "; write a number, without quotes"
    return "; write it in brackets: [ … ]" if kind == "list_type" else ""


def _advice_on_text(found: object) -> str:
    if isinstance(found, (int, float)):
        return "; put it in quotes"
    if isinstance(found, dict) and list(found.values()) == [None]:
        return f"; put it in quotes: '{{{next(iter(found))}}}'"  # as in [{python}, agent.py]
    return ""


def _about_type(found: object) -> str:
    known = sorted(_ASSERTIONS)
    name = found.get("type") if isinstance(found, dict) else None
    if name is None:
        return f"needs a type, one of {', '.join(known)}"
    return (
        f"unknown type {preview(name, 60)}{did_you_mean(name, known)} (known: {', '.join(known)})"
    )


def _about_whole(model: type[document.Document], found: Any) -> str:
    required = ", ".join(name for name, field in model.model_fields.items() if field.is_required())
    if found is None:
        return f"is empty; it needs {required}"
    many = "; for many cases in one file use a .jsonl file" if isinstance(found, list) else ""
    return f"must be an object with {required}; found {preview(found, 60)}{many}"


def _keys_around(model: type[document.Document], loc: Steps) -> list[str]:
    """List the keys that are known where an unknown one was found."""
    around = model
    for step in loc[:-1]:
        tagged = _ASSERTIONS.get(str(step)) if loc[0] == "assertions" else None
        around = _below(around, step) or tagged or around
    return [field.alias or name for name, field in around.model_fields.items()]


def _below(model: type[document.Document], step: Step) -> type[document.Document] | None:
    """Find the one kind of document that a key holds, by itself, in a list or by names."""
    for name, field in model.model_fields.items():
        if step == (field.alias or name):
            found = list(_documents(field.annotation))
            return found[0] if len(found) == 1 else None
    return None


def _documents(annotation: object) -> Iterator[type[document.Document]]:
    if isinstance(annotation, type) and issubclass(annotation, document.Document):
        yield annotation
    for part in get_args(annotation):
        yield from _documents(part)
