"""JSON Schema, for values that an agent made: nothing is fetched, no pattern hangs, all errors."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from typing import Any, TypeAlias

from jsonschema import Draft3Validator, Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from ..ledger.fingerprint import canonical_bytes, canonical_dumps, preview
from ..ledger.grade import Failure, assertion_failure
from ..ledger.path import show_path
from ..ledger.pattern import BadPattern, found_in
from ..ledger.value import Json

Errors: TypeAlias = Iterator[ValidationError]
Keyword: TypeAlias = Callable[[Any, Any, Any, Any], Errors]

FEWEST_STEPS, STEPS_PER_VALUE, MOST_STEPS = 50_000, 50, 2_000_000
_steps = threading.local()
LOOKED_AT = 1000  # an agent can make a million errors; nobody reads them


class TooManySteps(Exception):
    """Say that judging a value by a schema would take too long."""


def schema_failures(
    assertion: str, schema: Json, value: Json, subject: str = ""
) -> Iterator[Failure]:
    """Yield a failure for every error of a value under a schema, in the order of their paths."""
    _steps.left = _steps_for(value)
    try:
        found = islice(_validator(canonical_dumps(schema)).iter_errors(value), LOOKED_AT)
        errors = sorted(found, key=_position)
    except (SchemaError, Unresolvable, BadPattern, TooManySteps) as fault:
        yield _unusable(assertion, subject, fault)
    except ArithmeticError as fault:
        message = f"{subject}a number in it cannot be checked ({fault})"
        yield assertion_failure(assertion, message, path="$", expected=None, found=value)
    else:
        for error in errors:
            yield _failure(assertion, subject, error)


def _failure(assertion: str, subject: str, error: Any) -> Failure:
    path = show_path(error.absolute_path)
    keyword = error.validator or "schema"  # none: the schema there is just `false`
    wanted = error.validator_value if error.validator else False
    return assertion_failure(
        assertion,
        f"{subject}at {path}: expected {keyword}: {preview(wanted, 80)}, "
        f"found {preview(error.instance, 80)}",
        path=path,
        expected={keyword: wanted},
        found=error.instance,
    )


def _unusable(assertion: str, subject: str, fault: Exception) -> Failure:
    reason = f"{fault.message} at {fault.json_path}" if isinstance(fault, SchemaError) else fault
    hint = "; nothing is fetched" if isinstance(fault, Unresolvable) else ""
    message = f"{assertion}: {subject}the schema cannot be used: {reason!s:.300}{hint}"
    return Failure("grader_error", message, {"assertion": assertion})


def _position(error: ValidationError) -> list[tuple[bool, int, str]]:
    return [
        (False, part, "") if isinstance(part, int) else (True, 0, part)
        for part in error.absolute_path
    ]


@lru_cache(maxsize=64)
def _validator(text: str) -> Any:
    schema = json.loads(text)
    if not isinstance(schema, (dict, bool)):
        raise SchemaError("a schema is an object, true or false")
    dialect: Any = validator_for(schema, default=Draft202012Validator)
    # Without the check of formats: what `re` calls a bad pattern may well be a good one for RE2.
    dialect.check_schema(schema, format_checker=None)
    return _careful(dialect)(_of_one_dialect(schema), registry=Registry())


@lru_cache(maxsize=16)
def _careful(dialect: Any) -> Any:
    ours = {name: check for name, check in KEYWORDS.items() if name in dialect.VALIDATORS}
    if dialect is Draft3Validator:
        del ours["properties"]  # there it also says which ones are required
    every = {name: _counted(check) for name, check in {**dialect.VALIDATORS, **ours}.items()}
    return extend(dialect, every)  # type: ignore[no-untyped-call]


def _steps_for(value: Json) -> int:
    text = canonical_bytes(value)
    values = text.count(b",") + text.count(b"[") + text.count(b"{")
    return min(FEWEST_STEPS + STEPS_PER_VALUE * values, MOST_STEPS)


def _counted(check: Any) -> Any:
    """Let a keyword be checked only so often: some schemas branch at every level of a value."""

    def check_and_count(validator: Any, keyword: Any, value: Any, schema: Any) -> Any:
        _steps.left -= 1
        if _steps.left < 0:
            raise TooManySteps("it takes too many steps on this value")
        return check(validator, keyword, value, schema)

    return check_and_count


def _of_one_dialect(schema: Any) -> Any:
    """Drop the marks at which jsonschema would return to its own keywords, and so to `re`."""
    if not isinstance(schema, dict):
        return schema
    kept = {name: part for name, part in schema.items() if name != "$schema"}
    for name in ("$defs", "definitions"):
        if isinstance(kept.get(name), dict):
            kept[name] = {key: _of_one_dialect(part) for key, part in kept[name].items()}
    return kept


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Errors:
    if validator.is_type(value, "string") and not found_in(pattern, value):
        yield ValidationError("does not match")


def _properties(validator: Any, parts: Any, value: Any, schema: Any) -> Errors:
    if validator.is_type(value, "object"):
        for key, part in parts.items():
            yield from _apply(validator, part, value, (key,) if key in value else ())


def _pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Errors:
    if validator.is_type(value, "object"):
        for pattern, part in patterns.items():
            keys = (key for key in value if found_in(pattern, key))
            yield from _apply(validator, part, value, keys)


def _additional_properties(validator: Any, allowed: Any, value: Any, schema: Any) -> Errors:
    if validator.is_type(value, "object"):
        extra = (key for key in value if not _is_named(key, schema))
        yield from _apply(validator, allowed, value, extra)


def _unevaluated_properties(validator: Any, allowed: Any, value: Any, schema: Any) -> Errors:
    if validator.is_type(value, "object"):
        others = {name: part for name, part in schema.items() if name != "unevaluatedProperties"}
        seen = set(_evaluated(validator, value, others))
        yield from _apply(validator, allowed, value, (key for key in value if key not in seen))


def _required(validator: Any, names: Any, value: Any, schema: Any) -> Errors:
    if validator.is_type(value, "object"):
        for name in names:
            if name not in value:
                yield ValidationError("is missing", validator_value=name)


def _unique_items(validator: Any, wanted: bool, value: Any, schema: Any) -> Errors:
    """Compare by canonical text: comparing each with each takes hours on a long list."""
    if not wanted or not validator.is_type(value, "array"):
        return
    if len({canonical_bytes(_as_number(item)) for item in value}) < len(value):
        yield ValidationError("has repeats")


KEYWORDS: Mapping[str, Keyword] = {
    "pattern": _pattern,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "unevaluatedProperties": _unevaluated_properties,
    "required": _required,
    "uniqueItems": _unique_items,
}


def _apply(validator: Any, allowed: Any, value: Any, keys: Iterable[str]) -> Errors:
    """Judge the values of some keys; where none is allowed, at the key's own path."""
    for key in keys:
        if allowed is False:
            yield ValidationError(
                "is not allowed", path=[key], instance=value[key], validator_value=False
            )
        else:
            yield from validator.descend(value[key], allowed, path=key)


def _is_named(key: str, schema: Any) -> bool:
    patterns = schema.get("patternProperties", ())
    return key in schema.get("properties", ()) or any(found_in(one, key) for one in patterns)


def _evaluated(validator: Any, value: Any, schema: Any) -> Iterator[str]:
    """Yield the keys that a schema, or one it applies to the same object, says something about."""
    if not isinstance(schema, dict):
        return
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        yield from value
    yield from (key for key in value if _is_named(key, schema))
    for applied in chain(_referred(validator, schema), _chosen(validator, value, schema)):
        yield from _evaluated(applied, value, applied.schema)


def _referred(validator: Any, schema: Any) -> Iterator[Any]:
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword in schema:
            found = validator._resolver.lookup(schema[keyword])
            yield validator.evolve(schema=found.contents, _resolver=found.resolver)


def _chosen(validator: Any, value: Any, schema: Any) -> Iterator[Any]:
    for part in chain.from_iterable(schema.get(name, ()) for name in ("allOf", "anyOf", "oneOf")):
        applied = validator.evolve(schema=part)
        if applied.is_valid(value):
            yield applied
    for key, part in schema.get("dependentSchemas", {}).items():
        if key in value:
            yield validator.evolve(schema=part)
    if "if" in schema:
        condition = validator.evolve(schema=schema["if"])
        holds = condition.is_valid(value)
        yield from (condition,) if holds else ()
        yield validator.evolve(schema=schema.get("then" if holds else "else", True))


def _as_number(value: Any) -> Any:
    """Write 1.0 as 1, which JSON Schema holds to be the same."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _as_number(item) for key, item in value.items()}
    return [_as_number(item) for item in value] if isinstance(value, list) else value
