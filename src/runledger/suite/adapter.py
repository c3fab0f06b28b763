"""Load an adapter: a built-in one by its name, or a file that a user wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pydantic import ValidationError

from ..errors import Finding, SuiteError, UnknownName
from ..ledger import adapter as noun
from . import adapter_document as spec
from .adapter_check import check_adapter
from .document import Document, EnvSpec
from .explain import sentence
from .json_source import parse_json_file
from .source import Source, Steps, point, read_bytes
from .tree import label_of
from .yaml_source import MAX_BYTES

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

BUILT_IN = ("claude", "codex", "gemini", "opencode", "qwen", "text")
SUFFIX = ".json"


def load_adapter(name: str, base: Path = Path()) -> noun.Adapter:
    """Load a built-in adapter, or a file below `base`; SuiteError carries all findings."""
    return read_adapter(*find_adapter(name, base))


def find_adapter(name: str, base: Path) -> tuple[bytes, str]:
    """Find an adapter by its name or file, and give its bytes and what to call it."""
    if name in BUILT_IN:
        raw = (files(__package__) / "adapters" / f"{name}{SUFFIX}").read_bytes()
        return raw, f"{name}{SUFFIX}"
    if not is_adapter_file(name):
        raise UnknownName("adapter", name, [*BUILT_IN, "./FILE.json"])
    label = label_of(base / name)
    return read_bytes(base / name, label, MAX_BYTES), label


def is_adapter_file(name: str) -> bool:
    """Tell a file of the user's from the name of a built-in adapter."""
    return "/" in name or name.endswith(SUFFIX)


def read_adapter(raw: bytes, file: str) -> noun.Adapter:
    """Read an adapter, check all of it, and settle it into a noun."""
    source = parse_json_file(raw, file)
    try:
        config = spec.AdapterConfig.model_validate(source.value)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        raise SuiteError([_finding_of(source, one) for one in errors]) from None
    findings = list(check_adapter(config, source))
    if findings:
        raise SuiteError(findings)
    return _settle(config)


def _finding_of(source: Source, error: ErrorDetails) -> Finding:
    """Tell what pydantic found, with the keys that are known at that place."""
    steps = error["loc"]
    return point(source, steps, sentence(_model_at(steps), error))


_SECTIONS: Mapping[str, type[Document]] = {
    "prompt": spec.PromptSpec,
    "env": EnvSpec,
    "options": spec.OptionsSpec,
    "events": spec.EventSpec,
    "result": spec.ResultSpec,
    "result.text": spec.TextSpec,
    "result.error": spec.ErrorSpec,
    "result.usage": spec.UsageSpec,
    "result.usage.fields": spec.UsageFieldsSpec,
}


def _model_at(steps: Steps) -> type[Document]:
    names = [step for step in steps[:-1] if isinstance(step, str)]
    return _SECTIONS.get(".".join(names), spec.AdapterConfig)


def _settle(config: spec.AdapterConfig) -> noun.Adapter:
    env = config.env or EnvSpec()
    options = cast("Iterable[tuple[noun.Option, list[str] | None]]", config.options)
    return noun.Adapter(
        name=config.name,
        program=config.program,
        args=tuple(config.args),
        prompt=noun.PromptWay(config.prompt.via, config.prompt.flag),
        env_pass=tuple(env.pass_ or ()),
        env_set=env.set or {},
        options={name: tuple(words) for name, words in options if words is not None},
        events=tuple(_settle_event(event) for event in config.events),
        result=_settle_result(config.result),
        lines=bool(config.events or config.result != spec.ResultSpec()),
    )


def _settle_event(event: spec.EventSpec) -> noun.EventRule:
    fields = {name: _settle_field(field) for name, field in event.fields.items()}
    return noun.EventRule(event.when, event.step, fields)


def _settle_field(field: str | list[str] | dict[str, str | list[str]]) -> noun.Field:
    if isinstance(field, dict):
        return {name: _places(part) for name, part in field.items()}
    return _places(field)


def _settle_result(result: spec.ResultSpec) -> noun.ResultRules:
    return noun.ResultRules(
        text=tuple(noun.TextRule(one.when, tuple(one.path or ())) for one in result.text),
        error=tuple(
            noun.ErrorRule(one.when, tuple(one.message or ()), one.pattern) for one in result.error
        ),
        usage=tuple(
            noun.UsageRule(one.when, _figures(one.fields), one.covers) for one in result.usage
        ),
    )


def _figures(fields: spec.UsageFieldsSpec) -> Mapping[str, noun.Places]:
    return {name: tuple(places) for name, places in fields if places is not None}


def _places(found: str | list[str]) -> noun.Places:
    return (found,) if isinstance(found, str) else tuple(found)
