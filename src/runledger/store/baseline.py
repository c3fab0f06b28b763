"""Baselines as files: written from a run, read before another one starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ..ledger.baseline import Aggregates, Baseline, BaselineCase, TrialFigures
from ..ledger.value import Json

SCHEMA_VERSION = 1


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


def baseline_from(fields: Mapping[str, Any]) -> Baseline:
    """Read a baseline from its fields."""
    return Baseline(
        suite_name=fields["suite_name"],
        run_id=fields["run_id"],
        suite_sha256=fields["suite_sha256"],
        aggregates=Aggregates(**fields["aggregates"]),
        cases=tuple(_case_from(case) for case in fields["cases"]),
    )


def _case_fields(case: BaselineCase) -> dict[str, Json]:
    fields: dict[str, Json] = asdict(case)
    if case.trials is None:
        del fields["trials"]
    return fields


def _case_from(fields: Mapping[str, Any]) -> BaselineCase:
    trials = fields.get("trials")
    several = trials and TrialFigures(trials["n"], trials["passed"], tuple(trials["wall_ms"]))
    return BaselineCase(**{**fields, "trials": several})
