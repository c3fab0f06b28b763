"""The table of the report: one compact row per case, those that need a look first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...compare.cases import (
    calls_by_name_of,
    calls_of,
    errors_of,
    failures_of,
    usage_of,
    wall_of,
)
from ...ledger.baseline import BaselineCase
from ...ledger.manifest import PlannedCase
from ...ledger.run import CaseRow, Summary
from ...ledger.value import Json
from ...store.lines import encode
from .cut import cut_line

TEXT_CHARS = 300
MOST_TAGS = 20
MOST_TOOLS = 30

_NEED_A_LOOK = ("error", "failed", "unfinished", "passed")
NEWLY_FAILING, NEWLY_PASSING, ADDED = "newly failing", "newly passing", "added"


def rows_line(summary: Summary, cases: Sequence[CaseRow]) -> bytes:
    """Write the first line of the report's document: what the page draws before any trace."""
    manifest, baseline = summary.record.manifest, summary.record.ending.baseline
    before = {case.id: case for case in baseline.cases} if baseline else {}
    planned = {case.id: (place, case) for place, case in enumerate(manifest.cases)}
    changes = changes_of(summary)
    rows = [
        _row(case, planned[case.id], before.get(case.id), changes.get(case.id, ""))
        for case in cases
    ]
    document: dict[str, Json] = {
        "trials": manifest.trials,
        "baseline": baseline is not None,
        "rows": rows,
    }
    return encode(document) + b"\n"


def by_need(summary: Summary) -> list[CaseRow]:
    """Order the cases by how much they need a look, and else as the suite has them."""
    changes = changes_of(summary)

    def need(case: CaseRow) -> tuple[bool, int]:
        return changes.get(case.id) != NEWLY_FAILING, _NEED_A_LOOK.index(case.status)

    return sorted(summary.cases, key=need)


def changes_of(summary: Summary) -> Mapping[str, str]:
    """Say of each case that changed since the baseline how it changed."""
    regression = summary.record.ending.regression
    if regression is None:
        return {}
    cases = regression.cases
    return {
        **dict.fromkeys(cases.added, ADDED),
        **dict.fromkeys(cases.newly_passing, NEWLY_PASSING),
        **dict.fromkeys(cases.newly_failing, NEWLY_FAILING),
    }


def _row(
    case: CaseRow, planned: tuple[int, PlannedCase], before: BaselineCase | None, change: str
) -> Json:
    """Write one row; the page reads it by position, so the order is a contract with it."""
    place, plan = planned
    usage = usage_of(case.trials)
    return [
        case.id,
        case.status,
        place,
        wall_of(case),
        calls_of(case.trials),
        errors_of(case.trials),
        usage.tokens_in,
        usage.tokens_out,
        usage.cost_usd,
        sum(row.status == "passed" for row in case.trials),
        [cut_line(tag, TEXT_CHARS) for tag in plan.tags[:MOST_TAGS]],
        cut_line(plan.description or "", TEXT_CHARS),
        _first_failure(case),
        _tools(case),
        change,
        _before(before),
    ]


def _tools(case: CaseRow) -> Json:
    calls = list(calls_by_name_of(case).items())[:MOST_TOOLS]
    return {cut_line(name, TEXT_CHARS): number for name, number in calls}


def _before(case: BaselineCase | None) -> Json:
    if case is None:
        return None
    return [case.passed, case.wall_ms, case.tool_calls, case.tool_errors]


def _first_failure(case: CaseRow) -> Json:
    """Tell the first failure in a line: its type, its words, and how many more there are."""
    failures = failures_of(case)
    if not failures:
        return None
    first = failures[0]
    return [first.type, cut_line(first.message, TEXT_CHARS), len(failures) - 1]
