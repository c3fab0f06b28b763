"""A document as far as it can be understood: report what is broken, go on with the rest."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from ..ledger.value import Json
from .document import CaseConfig, Document, SuiteConfig
from .explain import sentence
from .source import Source, Steps, point

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from ..errors import Finding

Config = TypeVar("Config", bound=Document, covariant=True)

NEUTRAL = {"type": "contains", "text": "x"}  # stands in for a broken assertion; never settled


@dataclass(frozen=True, slots=True)
class Draft(Generic[Config]):
    """A document that could be understood, all but the keys that `broken` names."""

    source: Source
    config: Config
    broken: frozenset[str] = frozenset()


def draft_suite(source: Source, findings: list[Finding]) -> Draft[SuiteConfig] | None:
    """Understand suite.yaml as far as possible."""
    stand_ins = {"suite_name": "x", "agent_command": ["x"], "cases_path": "x"}
    return understand(SuiteConfig, source, stand_ins, findings)


def draft_case(source: Source, findings: list[Finding]) -> Draft[CaseConfig] | None:
    """Understand a case as far as possible."""
    return understand(CaseConfig, source, {"id": "ID", "input": {}}, findings)


def understand(
    model: type[Config], source: Source, stand_ins: Mapping[str, Json], findings: list[Finding]
) -> Draft[Config] | None:
    """Understand a document as far as possible; stand-ins take the place of keys it must have."""
    try:
        return Draft(source, model.model_validate(source.value))
    except ValidationError as error:
        errors = error.errors(include_url=False)
    findings.extend(
        point(source, _steps(error["loc"], source.value), sentence(model, error))
        for error in errors
    )
    if not isinstance(source.value, dict):
        return None
    broken = frozenset(str(error["loc"][0]) for error in errors)
    return Draft(source, _salvage(model, source.value, errors, stand_ins), broken)


def _salvage(
    model: type[Config],
    value: dict[str, Json],
    errors: list[ErrorDetails],
    stand_ins: Mapping[str, Json],
) -> Config:
    """Cut the broken parts out, and whole keys where that is not enough."""
    kept = deepcopy(value)
    for error in errors:
        _cut(kept, _steps(error["loc"], value), error["type"] == "missing")
    try:
        return model.model_validate({**stand_ins, **kept})
    except ValidationError as again:
        bad = {error["loc"][0] for error in again.errors(include_url=False)}
    rest = {key: part for key, part in kept.items() if key not in bad}
    return model.model_validate({**stand_ins, **rest})


def _cut(kept: dict[str, Any], steps: Steps, missing: bool) -> None:
    if steps[0] == "assertions" and len(steps) > 1:
        kept["assertions"][steps[1]] = NEUTRAL  # in its place, so that the others keep theirs
        return
    holder: Any = kept
    for step in steps[:-1]:
        if isinstance(holder, dict) and step not in holder:
            return  # its name was broken, too, and it is gone already
        holder = holder[step]
    if isinstance(holder, list):
        holder[int(steps[-1])] = "x"  # a text does in most lists
    elif not missing:
        holder.pop(steps[-1], None)


def _steps(loc: Steps, value: Any) -> Steps:
    """Turn pydantic's place into the user's: no tag of a union, no list that we made ourselves."""
    if loc[:1] in (("assertions",), ("judge_criteria",)):
        loc = loc[:2] + loc[3:]
    if loc[:2] == ("proxies", "model") and not isinstance(value["proxies"]["model"], list):
        loc = loc[:2] + loc[3:]
    return tuple(step for step in loc if step != "[key]")
