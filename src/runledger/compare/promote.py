"""Make a baseline of a run, if the run is fit to be one."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import UsageError
from ..ledger.baseline import Aggregates, Baseline, BaselineCase
from ..ledger.printable import one_line
from ..ledger.run import CaseRow, Summary
from .cases import calls_of, errors_of
from .matched import figures_of
from .rates import quantile

NAMED = 5


def baseline_of(summary: Summary) -> Baseline:
    """Keep of a run what later ones are measured against; nothing of where or when it ran."""
    manifest, totals = summary.record.manifest, summary.totals
    cases = sorted(summary.cases, key=lambda case: case.id)
    return Baseline(
        suite_name=manifest.suite_name,
        run_id=manifest.run_id,
        suite_sha256=manifest.suite_sha256,
        aggregates=Aggregates(
            success_rate=totals.success_rate,
            avg_wall_ms=totals.avg_wall_ms,
            p95_wall_ms=totals.p95_wall_ms,
            tool_calls=totals.tool_calls,
            tool_errors=totals.tool_errors,
        ),
        cases=tuple(_case(case, several=manifest.trials > 1) for case in cases),
    )


def promotable(summary: Summary, allow_failing: bool) -> None:
    """Refuse a run that is no measure for others: a partial, an invalid or a failing one."""
    run = f"run {summary.record.manifest.run_id} cannot become a baseline"
    for reason in _reasons_against(summary, allow_failing):
        raise UsageError(f"{run}: {reason}")


def _reasons_against(summary: Summary, allow_failing: bool) -> Iterator[str]:
    manifest = summary.record.manifest
    unfinished = [case.id for case in summary.cases if case.status == "unfinished"]
    failing = [case.id for case in summary.cases if case.status in ("failed", "error")]
    if summary.status == "interrupted":
        yield "it was stopped before its end; run the whole suite"
    if unfinished:
        yield f"not finished: {_named(unfinished)}; run the whole suite"
    if summary.status == "invalid":
        yield "it is not valid: something outside the agent failed; run the suite again"
    if manifest.not_chosen:
        yield (
            f"it is partial: {_named(manifest.not_chosen)} not chosen; "
            "run the suite without --case and --tag"
        )
    if failing and not allow_failing:
        yield f"did not pass: {_named(failing)}; to promote it all the same: --allow-failing"


def _case(case: CaseRow, several: bool) -> BaselineCase:
    figures = figures_of(case)
    return BaselineCase(
        id=case.id,
        passed=case.status == "passed",
        wall_ms=round(quantile(figures.wall_ms, 0.5)) if figures.wall_ms else None,
        tool_calls=calls_of(case.trials),
        tool_errors=errors_of(case.trials),
        trials=figures if several else None,
    )


def _named(ids: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(one_line(id) for id in ids[:NAMED])
    return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED} more"
