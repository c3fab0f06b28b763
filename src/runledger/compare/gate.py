"""Whether a run may merge: what it demands of its cases, and the status that follows."""

from __future__ import annotations

from collections.abc import Sequence

from ..ledger.grade import NOT_VALID
from ..ledger.manifest import Manifest
from ..ledger.run import CaseRow, RunRecord, RunStatus, Totals


def gate_passed(totals: Totals, min_success_rate: float | None = None) -> bool:
    """Say whether enough cases passed; a case that was not finished never passes silently."""
    if totals.unfinished or totals.success_rate is None:
        return False
    if min_success_rate is None:
        return totals.passed == totals.cases
    # Both are the float nearest to what they stand for, so 4 of 5 meets 0.8 without a tolerance.
    return totals.success_rate >= min_success_rate


def least_success(manifest: Manifest) -> float | None:
    """Give the share of cases that must pass, None where all must; a recording excuses none."""
    if manifest.thresholds is None or manifest.mode == "record":
        return None  # what fails while recording leaves its cassette as it was
    return manifest.thresholds.min_success_rate


def is_statistical(manifest: Manifest) -> bool:
    """Say whether a baseline is compared with by statistics: live, and with several trials."""
    asked = manifest.thresholds.gate if manifest.thresholds else None
    return manifest.mode == "live" and manifest.trials > 1 and asked != "point"


def run_status(record: RunRecord, cases: Sequence[CaseRow], totals: Totals) -> RunStatus:
    """Say how a run ended: stopped, not valid, or judged by its gate."""
    if record.ending.interrupted:
        return "interrupted"
    if _outside_failed(cases) or _stopped_for_no_case(cases):
        return "invalid"
    return "passed" if _may_merge(record, cases, totals) else "failed"


def _may_merge(record: RunRecord, cases: Sequence[CaseRow], totals: Totals) -> bool:
    if _regressed(record):
        return False
    if _left_to_statistics(record):
        return all(len(case.trials) == record.manifest.trials for case in cases)
    return gate_passed(totals, least_success(record.manifest))


def _left_to_statistics(record: RunRecord) -> bool:
    """Say whether the comparison with the baseline has weighed the trials that failed."""
    manifest = record.manifest
    compared = record.ending.regression is not None
    return compared and manifest.thresholds is not None and is_statistical(manifest)


def _outside_failed(cases: Sequence[CaseRow]) -> bool:
    return any(
        failure.type in NOT_VALID
        for case in cases
        for row in case.trials
        for failure in row.failures
    )


def _stopped_for_no_case(cases: Sequence[CaseRow]) -> bool:
    """Tell a run that just ended early from one that --fail-fast stopped at a failing case."""
    statuses = {row.status for case in cases for row in case.trials}
    unfinished = not cases or any(case.status == "unfinished" for case in cases)
    return unfinished and not statuses & {"failed", "error"}


def _regressed(record: RunRecord) -> bool:
    regression = record.ending.regression
    return regression is not None and regression.verdict == "fail"
