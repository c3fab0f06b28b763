"""Baselines as files: written from a run, read before another one starts."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn, TypeVar

from ..errors import UsageError
from ..ledger.baseline import Aggregates, Baseline, BaselineCase, TrialFigures
from ..ledger.figure import LARGEST
from ..ledger.fingerprint import canonicalize_json, preview
from ..ledger.printable import one_line
from ..ledger.strict_json import loads
from ..ledger.value import Json
from .disk import ensure_directory
from .lines import encode
from .whole import write_whole

SCHEMA_VERSION = 1
MOST_BYTES = 50_000_000

Kind = TypeVar("Kind")


class NotABaseline(ValueError):
    """Say which part of a baseline is missing or not what it must be."""


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline to its file, the same bytes for the same figures."""
    if path.is_dir():
        raise UsageError(f"{path} is a directory; name the baseline file to write")
    ensure_directory(path.parent)
    write_whole(path, baseline_bytes(baseline))


def baseline_bytes(baseline: Baseline) -> bytes:
    """Write a baseline as its file holds it: keys sorted, the same for the same figures."""
    return encode(canonicalize_json(baseline_fields(baseline)), indent=True) + b"\n"


def read_baseline(path: Path) -> Baseline:
    """Read a baseline from its file, or say why it is none that a run can be held against."""
    promote = f"runledger baseline promote --from RUN --to {shlex.quote(str(path))}"
    try:
        return baseline_from(loads(_bytes_of(path)))
    except FileNotFoundError:
        raise UsageError(f"there is no baseline {path}\nto make one: {promote}") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a directory; name the baseline file in it") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise UsageError(
            f"the baseline {path} cannot be used: {said}\nto make it again: {promote}"
        ) from error


def refuse_foreign(baseline: Baseline, suite_name: str, path: Path) -> None:
    """Refuse a baseline that was made from a run of another suite."""
    if baseline.suite_name != suite_name:
        raise UsageError(
            f"the baseline {path} is of suite {one_line(baseline.suite_name)}, "
            f"this is suite {one_line(suite_name)}; name a baseline of this suite"
        )


def baseline_fields(baseline: Baseline) -> dict[str, Json]:
    """Write a baseline as its file shows it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "suite_name": baseline.suite_name,
        "run_id": baseline.run_id,
        "suite_sha256": baseline.suite_sha256,
        "aggregates": asdict(baseline.aggregates),
        "cases": [_case_fields(case) for case in baseline.cases],
    }


def baseline_from(document: Json) -> Baseline:
    """Read a baseline from its fields; keys that this version does not know are passed over."""
    fields = _object(document, "")
    _refuse_other_version(fields)
    rows = _take(fields, "", "cases", _list)
    cases = [_case_from(row, f"cases[{index}]") for index, row in enumerate(rows)]
    twice, times = Counter(case.id for case in cases).most_common(1)[0] if cases else ("", 0)
    if times > 1:
        raise NotABaseline(f"case {one_line(twice)} is in it {times} times")
    return Baseline(
        suite_name=_take(fields, "", "suite_name", _text),
        run_id=_take(fields, "", "run_id", _text),
        suite_sha256=_take(fields, "", "suite_sha256", _text),
        aggregates=_aggregates_from(_take(fields, "", "aggregates", _object)),
        cases=tuple(sorted(cases, key=lambda case: case.id)),
    )


def _bytes_of(path: Path) -> bytes:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise NotABaseline("it is not a plain file")  # a pipe would keep us waiting
    with path.open("rb") as file:
        found = file.read(MOST_BYTES + 1)
    if len(found) > MOST_BYTES:
        raise NotABaseline(f"it is larger than {MOST_BYTES // 1_000_000} MB")
    return found


def _case_fields(case: BaselineCase) -> dict[str, Json]:
    fields: dict[str, Json] = asdict(case)
    if case.trials is None:
        del fields["trials"]
    return fields


def _refuse_other_version(fields: Mapping[str, Json]) -> None:
    version = _take(fields, "", "schema_version", _count)
    if version > SCHEMA_VERSION:
        raise NotABaseline(
            f"it was written by a newer RunLedger (schema_version {version}, "
            f"this one knows {SCHEMA_VERSION}): update RunLedger"
        )
    if version < SCHEMA_VERSION:
        raise NotABaseline(f"schema_version {version} is unknown (known: {SCHEMA_VERSION})")


def _aggregates_from(fields: Mapping[str, Json]) -> Aggregates:
    where = "aggregates"
    return Aggregates(
        success_rate=_take(fields, where, "success_rate", _rate),
        avg_wall_ms=_take(fields, where, "avg_wall_ms", _figure),
        p95_wall_ms=_take(fields, where, "p95_wall_ms", _figure),
        tool_calls=_take(fields, where, "tool_calls", _count),
        tool_errors=_take(fields, where, "tool_errors", _count),
    )


def _case_from(row: Json, where: str) -> BaselineCase:
    fields = _object(row, where)
    several = fields.get("trials")
    return BaselineCase(
        id=_take(fields, where, "id", _text),
        passed=_take(fields, where, "passed", _flag),
        wall_ms=_take(fields, where, "wall_ms", _count_or_none),
        tool_calls=_take(fields, where, "tool_calls", _count),
        tool_errors=_take(fields, where, "tool_errors", _count),
        trials=None if several is None else _trials_from(several, f"{where}.trials"),
    )


def _trials_from(row: Json, where: str) -> TrialFigures:
    fields = _object(row, where)
    n, passed = _take(fields, where, "n", _count), _take(fields, where, "passed", _count)
    if not passed <= n or n == 0:
        raise NotABaseline(f"{where} says that {passed} of {n} trials passed")
    walls = _take(fields, where, "wall_ms", _list)
    return TrialFigures(n, passed, tuple(_count(ms, f"{where}.wall_ms") for ms in walls))


def _take(
    fields: Mapping[str, Json], where: str, key: str, read: Callable[[Json, str], Kind]
) -> Kind:
    place = f"{where}.{key}" if where else key
    if key not in fields:
        raise NotABaseline(f"{place} is missing")
    return read(fields[key], place)


def _object(value: Json, where: str) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else _refuse(value, where, "an object")


def _list(value: Json, where: str) -> list[Json]:
    return value if isinstance(value, list) else _refuse(value, where, "a list")


def _text(value: Json, where: str) -> str:
    return value if isinstance(value, str) else _refuse(value, where, "text")


def _flag(value: Json, where: str) -> bool:
    return value if isinstance(value, bool) else _refuse(value, where, "true or false")


def _count(value: Json, where: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return value
    return _refuse(value, where, "a whole number that is not negative")


def _count_or_none(value: Json, where: str) -> int | None:
    return None if value is None else _count(value, where)


def _figure(value: Json, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return float(value)
    return _refuse(value, where, "a number that is not negative, or null")


def _rate(value: Json, where: str) -> float | None:
    rate = _figure(value, where)
    return rate if rate is None or rate <= 1 else _refuse(value, where, "a rate from 0 to 1")


def _refuse(value: Json, where: str, expected: str) -> NoReturn:
    raise NotABaseline(f"{where or 'it'} must be {expected}, found {preview(value, 60)}")
