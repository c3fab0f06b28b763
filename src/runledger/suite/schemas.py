"""JSON Schema files of a suite: each is read and checked once, and shared by all who use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from ..errors import Finding, SuiteError
from ..ledger.path import find
from ..ledger.pattern import pattern_problem
from ..ledger.value import Absent, Json
from .json_source import read_json
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
    texts = [(place, key, value) for place, key, value in words if isinstance(value, str)]
    if any(key in ("$id", "id") for _, key, _ in texts):
        return  # parts of the file may then have names of their own
    anchors = {f"#{value}" for _, key, value in texts if key in ("$anchor", "$dynamicAnchor")}
    for place, key, value in texts:
        problem = _reference_problem(schema, value) if key == "$ref" else None
        if problem is not None and value not in anchors:
            yield Finding(file, f"refers to {value}{problem}", None, place)


def _reference_problem(schema: Json, reference: str) -> str | None:
    if not reference.startswith("#"):
        return "; only references within the file work, such as #/$defs/name"
    if reference == "#" or reference.startswith("#/"):
        found = find(schema, _pointer(reference))
        return ", which is not in the file" if isinstance(found, Absent) else None
    return ", but no $anchor in the file has that name"


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
