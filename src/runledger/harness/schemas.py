"""The JSON Schema of every format: of the files that users write, and of those that we write."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import UnknownName
from ..store.disk import ensure_directory
from ..store.lines import encode
from ..store.schemas import DIALECT, read_schema, schema_names
from ..store.whole import write_whole

Schema: TypeAlias = dict[str, Any]

# What users write: the document that reads it, and what the schema says of itself.
_DOCUMENTS = {
    "adapter": ("adapter_document:AdapterConfig", "An adapter file: how a headless agent works."),
    "case": ("document:CaseConfig", "A case of a suite: a YAML file, or a line of a .jsonl file."),
    "experiment": ("experiment_document:ExperimentConfig", "experiment.yaml"),
    "permissions": ("permissions:PermissionsConfig", "A file of permissions (--permissions FILE)."),
    "profile": ("profile_document:ProfileConfig", "A profile: what varies between identical runs."),
    "PromptCase": ("document:CaseConfig", "A line of a file of prompts."),
    "suite": ("document:SuiteConfig", "suite.yaml"),
    "task": ("experiment_document:TaskConfig", "A line of an experiment's tasks."),
}

_ALSO_KNOWN_AS = {
    "balance": "BalanceAnalysis",
    "prompt": "PromptCase",
    "validate-refs": "ValidationResult",
}


def known_schemas() -> list[str]:
    """Name every format, in alphabetical order."""
    return sorted([*_DOCUMENTS, *schema_names()], key=str.lower)


def schema_of(name: str) -> Schema:
    """Give the JSON Schema of a format, whose name may be written in any case."""
    known = {one.lower(): one for one in known_schemas()}
    found = known.get(name.lower()) or _ALSO_KNOWN_AS.get(name.lower())
    if found is None:
        raise UnknownName("schema", name, known.values())
    return _of_document(found) if found in _DOCUMENTS else read_schema(found)


def listed() -> Iterator[tuple[str, str]]:
    """Yield the name of every format, and what it is."""
    for name in known_schemas():
        yield name, _DOCUMENTS[name][1] if name in _DOCUMENTS else read_schema(name)["description"]


def written(value: Schema) -> str:
    """Write a schema, or several by their names, for people and programs."""
    return (encode(value, indent=True) + b"\n").decode()


def write_each(names: list[str], directory: Path) -> int:
    """Write a file for each of these formats; say how many there are."""
    ensure_directory(directory)
    for name in names:
        write_whole(directory / f"{name}.schema.json", written(schema_of(name)).encode())
    return len(names)


def _of_document(name: str) -> Schema:
    place, said = _DOCUMENTS[name]
    module, _, document = place.partition(":")
    model = getattr(import_module(f"..suite.{module}", __package__), document)
    schema: Schema = model.model_json_schema()
    _close(schema)
    return {"$schema": DIALECT, **schema, "title": name, "description": said}


def _close(schema: Any) -> None:
    """Refuse keys that fit no pattern, as the documents do; their schemas leave it open."""
    if isinstance(schema, dict):
        if "patternProperties" in schema:
            schema.setdefault("additionalProperties", False)
        for part in schema.values():
            _close(part)
    elif isinstance(schema, list):
        for part in schema:
            _close(part)
