"""summary.json: the run for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

import orjson

from ..compare.cases import (
    calls_by_name_of,
    calls_of,
    cassette_of,
    errors_of,
    failures_of,
    leaky,
    overridden_in,
    unjudged_in,
    usage_of,
    wall_of,
)
from ..ledger.event import failure_fields
from ..ledger.printable import escape_json
from ..ledger.run import CaseRow, Summary
from ..ledger.value import Json

SCHEMA_VERSION = 1


def render(summary: Summary) -> str:
    """Write summary.json."""
    return _dump(_document(summary), indent=2) + "\n"


def summary_line(summary: Summary) -> str:
    """Write the same document on one line, without the newline, for a terminal too."""
    return escape_json(_dump(_document(summary)))


def _document(summary: Summary) -> Mapping[str, Json]:
    manifest, regression = summary.record.manifest, summary.record.ending.regression
    several = manifest.trials > 1
    document: dict[str, Json] = {
        "schema_version": SCHEMA_VERSION,
        "run_id": manifest.run_id,
        "suite_name": manifest.suite_name,
        "mode": manifest.mode,
        "status": summary.status,
        "totals": asdict(summary.totals),
        "cases": [_case(case) | (_trials(case) if several else {}) for case in summary.cases],
    }
    return document if regression is None else document | {"regression": asdict(regression)}


def _case(case: CaseRow) -> dict[str, Json]:
    usage = usage_of(case.trials)
    fields: dict[str, Json] = {
        "id": case.id,
        "status": case.status,
        "wall_ms": wall_of(case),
        "tool_calls": calls_of(case.trials),
        "tool_errors": errors_of(case.trials),
        "tool_calls_by_name": calls_by_name_of(case),
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost_usd": usage.cost_usd,
        "failures": [failure_fields(failure) for failure in failures_of(case)],
        "cassette": _cassette(case),
        "leaky": leaky(case),
    }
    unjudged = unjudged_in(case)
    return fields | {"unjudged": unjudged} if unjudged else fields


def _cassette(case: CaseRow) -> Json:
    use = cassette_of(case)
    if use is None:
        return None
    fields: dict[str, Json] = {
        "path": use.path,
        "sha256": use.sha256,
        "entries": use.entries,
        "used": use.used,
        "unused": use.unused,
    }
    overridden = overridden_in(case)
    return fields | {"overridden": overridden} if overridden else fields


def _trials(case: CaseRow) -> dict[str, Json]:
    walls = [row.tally.wall_ms for row in case.trials]
    passed = sum(row.status == "passed" for row in case.trials)
    return {"trials": {"n": len(case.trials), "passed": passed, "wall_ms": walls}}


def _dump(document: Mapping[str, Json], indent: int | None = None) -> str:
    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 if indent else 0).decode()
    except (TypeError, ValueError):  # lone surrogates, integers over 64 bits
        separators = None if indent else (",", ":")
        text = json.dumps(document, ensure_ascii=False, indent=indent, separators=separators)
        return text.encode("utf-8", "backslashreplace").decode()  # \udc80 is JSON's escape too
