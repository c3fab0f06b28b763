"""JSON Schema files of a suite: each is read and checked once, and shared by all who use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from ..errors import Finding, SuiteError
from ..ledger.difference import Absent
from ..ledger.fingerprint import Json
from ..ledger.path import find
from .json_source import read_json
from .patterns import pattern_problem
from .tree import SuiteTree

Keyword: TypeAlias = tuple[str, str, Json]  # the path of a key in a schema, the key, its value

_VALUES = frozenset({"const", "enum", "default", "examples"})  # whatever they look like


class SchemaShelf:
    """Keep the schemas of a suite by their paths, and the findings about them."""

    def __init__(self, tree: SuiteTree) -> None:
        self.findings: list[Finding] = []
        self.tree = tree
        self._schemas: dict[str, Json] = {}

    def __getitem__(self, path: str) -> Json:
        return self._schemas[path]

    def path_problem(self, path: str) -> str | None:
        """Say why there is no schema at a path; one that is there is read, checked and kept."""
        if path in self._schemas:
            return None
        spot = self.tree.look(path)
        if spot.refused is not None:
            return spot.refused
        if not spot.is_file:
            return f"there is no schema file {self.tree.label_of(path)}"
        self._schemas[path] = self._read(path)
        return None

    def _read(self, path: str) -> Json:
        file = self.tree.label_of(path)
        try:
            schema = read_json(Path(self.tree.full(path)), file)
        except SuiteError as error:
            self.findings.extend(error.findings)
            return True
        self.findings.extend(_problems(schema, file))
        return schema


def _problems(schema: Json, file: str) -> Iterator[Finding]:
    problem = _shape_problem(schema)
    if problem is not None:
        where, what = problem
        yield Finding(file, f"is not a valid JSON Schema: {what}", None, where)
        return
    words = list(_keywords(schema, "$"))
    for place, pattern in _patterns(words):
        reason = pattern_problem(pattern)
        if reason is not None:
            yield Finding(file, reason, None, place)
    yield from _lost_references(schema, words, file)


def _shape_problem(schema: Json) -> tuple[str, str] | None:
    if not isinstance(schema, (dict, bool)):
        return "$", "it must be an object, true or false"
    from jsonschema.exceptions import SchemaError  # 0.1 s: only suites with schemas pay for it
    from jsonschema.validators import Draft202012Validator, validator_for

    dialect: Any = validator_for(schema, default=Draft202012Validator)
    try:
        # Without formats: "regex" would be judged by Python's own engine, not by ours.
        dialect.check_schema(schema, format_checker=None)
    except SchemaError as error:
        return error.json_path, error.message
    except RecursionError:
        return "$", "it is nested too deep"
    return None


def _patterns(words: list[Keyword]) -> Iterator[tuple[str, str]]:
    for place, key, value in words:
        if key == "pattern" and isinstance(value, str):
            yield place, value
        elif key == "patternProperties" and isinstance(value, Mapping):
            yield from ((place, pattern) for pattern in value)


def _lost_references(schema: Json, words: list[Keyword], file: str) -> Iterator[Finding]:
    if any(key in ("$id", "id") for _, key, _ in words):
        return  # parts of the file may then have names of their own
    anchors = {value for _, key, value in words if key in ("$anchor", "$dynamicAnchor")}
    for place, key, value in words:
        if key != "$ref" or not isinstance(value, str) or value.removeprefix("#") in anchors:
            continue
        if not value.startswith("#"):
            advice = "only references within the file work, such as #/$defs/name"
            yield Finding(file, f"refers to {value}; {advice}", None, place)
        elif isinstance(find(schema, _pointer(value)), Absent):
            yield Finding(file, f"refers to {value}, which is not in the file", None, place)


def _pointer(reference: str) -> tuple[str, ...]:
    parts = unquote(reference).split("/")[1:]
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in parts)


def _keywords(schema: Json, path: str) -> Iterator[Keyword]:
    """Walk every key of a schema, with the path of each."""
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            place = f"{path}.{key}"
            yield place, key, value
            if key not in _VALUES:
                yield from _keywords(value, place)
    elif isinstance(schema, list):
        for index, item in enumerate(schema):
            yield from _keywords(item, f"{path}.{index}")
