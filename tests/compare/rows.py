"""Runs to look at: short ways to write rows and records down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

from runledger.compare.rates import summarize
from runledger.ledger.grade import Failure, status_of
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.regression import Check, Regression
from runledger.ledger.run import Ending, RunRecord, Summary, TrialRow
from runledger.ledger.suite import Thresholds
from runledger.ledger.trajectory import CassetteUse, Exit
from runledger.ledger.usage import Tally, Usage

MISS = """cassettes/refund.jsonl: no recorded answer for search_docs {"query":"refund"}
nearest: line 2, differs at $.query: recorded "refund policy", called "refund"
to ignore it: cassettes: {match: {search_docs: {ignore: [$.query]}}}
to record it: runledger run examples/support-triage --mode record --case refund-of-a-late-order
recorded:
  line 1 search_docs {"query":"shipping times"}
  line 2 search_docs {"query":"refund policy"}
  … and 4 more"""

ENDING = {field.name for field in fields(Ending)}

HOSTILE = (
    "]]> </failure> </script> <img onerror=x> & \" ' \x00 \x1b[31mred\x1b[0m \x9b2J \x7f "
    "\ud800 \udfff \ufffe \uffff \u202eevil\u2066 \u2028 😀 👩‍🚀 [/] [bold]\r\n"
    "::stop-commands::x\n \u00a0::error::y\nsee ##[add-mask]z and ##vso[task.complete]\r\tend"
)


def row(case_id: str, *failures: Failure, ms: int = 400, **more: Any) -> TrialRow:
    """Make the row of a trial with these failures, by default without any."""
    status = status_of(failures)
    plain = TrialRow(case_id, 1, 1, status, Tally(ms, 2, 0), failures=failures)
    return replace(plain, **more)


def short_of(case_id: str, message: str = "equals: $.x: expected 1, found 2") -> TrialRow:
    """Make the row of a trial whose agent was judged and fell short."""
    return row(case_id, Failure("assertion_failed", message))


def record(*rows: TrialRow, **more: Any) -> RunRecord:
    """Make a run of exactly the cases that have rows, unless told otherwise."""
    ending = {key: more.pop(key) for key in ENDING & more.keys()}
    manifest = Manifest(
        run_id="20260215-101530-a1b2c3",
        suite_name="support-triage",
        mode="replay",
        started="2026-02-15T10:15:30.123Z",
        cases=planned(more.pop("case_ids", (one.case_id for one in rows))),
    )
    if "min_success_rate" in more:
        more["thresholds"] = Thresholds(min_success_rate=more.pop("min_success_rate"))
    return RunRecord(replace(manifest, **more), rows, Ending(**{"wall_ms": 1234, **ending}))


def check(found: Regression, id: str) -> Check:
    """Find a check by its id."""
    return next(one for one in found.checks if one.id == id)


def planned(ids: Iterable[str]) -> tuple[PlannedCase, ...]:
    """Plan the cases with these ids, each once."""
    return tuple(PlannedCase(id) for id in dict.fromkeys(ids))


def colourful() -> Summary:
    """Make a run in which nearly everything happens."""
    return summarize(
        record(
            row("greets"),
            row("leaks", exit=Exit(leaky=True), unjudged=("max_cost_usd",)),
            row(
                "misses",
                Failure("cassette_miss", MISS, {"tool": "search_docs"}),
                Failure("assertion_failed", "required_fields: $.reply is missing"),
                tally=Tally(1201, 3, 1, Usage(1200, 300, 0.0021)),
                tool_calls_by_name={"search_docs": 3},
                cassette=CassetteUse("cassettes/refund.jsonl", "ab" * 32, 7, 2, 5, (2, 3)),
            ),
            row(
                "crashes",
                Failure("agent_exited_early", "the agent exited with code 1"),
                exit=Exit(code=1, stderr="Traceback\n  File x\nKeyError: 'ticket'\n"),
                answered=False,
            ),
            row("hostile", Failure("assertion_failed", HOSTILE), exit=Exit(stderr=HOSTILE)),
            case_ids=("greets", "leaks", "misses", "crashes", "hostile", "never-run"),
        )
    )


def several_trials() -> Summary:
    """Make a run of three trials per case, one case of which falls short twice."""
    rows = [replace(row("steady"), trial=number) for number in (1, 2, 3)]
    rows += [replace(row("shaky"), trial=1)]
    rows += [replace(short_of("shaky"), trial=number) for number in (2, 3)]
    return summarize(record(*rows, trials=3, mode="live"))
