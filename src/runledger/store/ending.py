"""How the ending of a run is written as the last line of its event log, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..ledger.regression import CaseChanges, Check, Regression
from ..ledger.run import Ending
from ..ledger.sound import sound
from ..ledger.value import Json
from .baseline import baseline_fields, baseline_from


def ending_fields(ending: Ending) -> dict[str, Json]:
    """Write the ending of a run, the whole comparison with its baseline included."""
    fields: dict[str, Json] = {"wall_ms": ending.wall_ms, "interrupted": ending.interrupted}
    if ending.regression is not None:
        fields["regression"] = asdict(ending.regression)
    if ending.baseline is not None:
        fields["baseline"] = baseline_fields(ending.baseline)
    if ending.stopped is not None:
        fields["stopped"] = ending.stopped
    return fields


def ending_from(event: Mapping[str, Any]) -> Ending:
    """Read the ending of a run from its line."""
    regression, baseline = event.get("regression"), event.get("baseline")
    ending = Ending(
        wall_ms=event["wall_ms"],
        interrupted=event["interrupted"],
        regression=None if regression is None else _regression_from(regression),
        baseline=None if baseline is None else baseline_from(baseline),
        stopped=event.get("stopped"),
    )
    return sound(ending)


def _regression_from(fields: Mapping[str, Any]) -> Regression:
    changes = {name: tuple(ids) for name, ids in fields["cases"].items()}
    checks = tuple(_check_from(check) for check in fields["checks"])
    return Regression(fields["verdict"], checks, CaseChanges(**changes))


def _check_from(fields: Mapping[str, Any]) -> Check:
    ci = fields["ci"]
    return Check(**{**fields, "ci": None if ci is None else (ci[0], ci[1])})
