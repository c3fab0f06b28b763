"""A case over all its trials: its status, its failures, and what it used."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..ledger.grade import Failure, Status, counts
from ..ledger.run import CaseRow, RunRecord, TrialRow
from ..ledger.trajectory import CassetteUse
from ..ledger.usage import Usage


def cases_of(record: RunRecord) -> tuple[CaseRow, ...]:
    """Gather the rows of every planned case, in the suite's order."""
    found: dict[str, dict[int, TrialRow]] = {case.id: {} for case in record.manifest.cases}
    for row in record.rows:
        if row.case_id in found:
            found[row.case_id][row.trial] = row  # of several attempts the last one counts
    return tuple(
        CaseRow(id, _status(tuple(rows.values()), record.manifest.trials), tuple(rows.values()))
        for id, rows in found.items()
    )


def failures_of(case: CaseRow) -> tuple[Failure, ...]:
    """List every failure of a case, trial after trial."""
    return tuple(failure for row in case.trials for failure in row.failures)


def distinct_failures(case: CaseRow) -> tuple[tuple[Failure, tuple[int, ...]], ...]:
    """List the failures that read differently, each with the trials that it happened in."""
    found: dict[tuple[str, str], tuple[Failure, tuple[int, ...]]] = {}
    for row in case.trials:
        for failure in row.failures:
            first, trials = found.get((failure.type, failure.message), (failure, ()))
            seen = trials if row.trial in trials else (*trials, row.trial)
            found[failure.type, failure.message] = (first, seen)
    return tuple(found.values())


def judged(case: CaseRow) -> bool:
    """Say whether a case belongs in the denominator of the success rate."""
    return counts(case.status, failures_of(case))


def usage_of(rows: Iterable[TrialRow]) -> Usage:
    """Add up the tokens and cost that are known; None where nobody reported any."""
    usages = [row.tally.usage for row in rows]
    costs = [one.cost_usd for one in usages if one.cost_usd is not None]
    return Usage(
        tokens_in=_sum_known(one.tokens_in for one in usages),
        tokens_out=_sum_known(one.tokens_out for one in usages),
        cost_usd=math.fsum(costs) if costs else None,  # the same on every version of Python
    )


def wall_of(case: CaseRow) -> int | None:
    """Give the duration of a case: the median of its trials, None when none ended."""
    walls = sorted(row.tally.wall_ms for row in case.trials)
    if not walls:
        return None
    return round((walls[(len(walls) - 1) // 2] + walls[len(walls) // 2]) / 2)


def calls_of(rows: Iterable[TrialRow]) -> int:
    """Count the tool calls of trials."""
    return sum(row.tally.tool_calls for row in rows)


def errors_of(rows: Iterable[TrialRow]) -> int:
    """Count the tool calls of trials that failed."""
    return sum(row.tally.tool_errors for row in rows)


def calls_by_name_of(case: CaseRow) -> Mapping[str, int]:
    """Count the calls of each tool over all trials, by name in alphabetical order."""
    counter: Counter[str] = Counter()
    for row in case.trials:
        counter.update(row.tool_calls_by_name)
    return dict(sorted(counter.items()))


def cassette_of(case: CaseRow) -> CassetteUse | None:
    """Give the cassette use of the trial that left the most unused."""
    uses = [row.cassette for row in case.trials if row.cassette is not None]
    return max(uses, key=lambda use: use.unused, default=None)


def overridden_in(case: CaseRow) -> tuple[int, ...]:
    """List the cassette lines that matched only through an override, in any trial."""
    uses = (row.cassette for row in case.trials if row.cassette is not None)
    return tuple(sorted({line for use in uses for line in use.overridden}))


def unused_in(case: CaseRow) -> int:
    """Count the recorded answers that a passing case did not use, where the suite asks for it."""
    use = cassette_of(case)
    return use.unused if case.status == "passed" and use is not None and use.warn_unused else 0


def unjudged_in(case: CaseRow) -> tuple[str, ...]:
    """List the limits that could not be judged, in any trial."""
    return tuple(dict.fromkeys(limit for row in case.trials for limit in row.unjudged))


def leaky(case: CaseRow) -> bool:
    """Say whether an agent left processes behind, in any trial."""
    return any(row.exit.leaky for row in case.trials)


def stderr_tail(row: TrialRow, most: int) -> list[str]:
    """Give the last lines that an agent in error wrote, unless a failure quotes them already."""
    if row.status != "error":
        return []
    lines = row.exit.stderr.rstrip().splitlines()[-most:]
    text = "\n".join(lines)
    return [] if any(text in failure.message for failure in row.failures) else lines


def _status(rows: Sequence[TrialRow], planned: int) -> Status:
    """Say how a case ended: one trial that did not pass decides, whatever is still to be run."""
    statuses = {row.status for row in rows}
    for decided in ("error", "failed"):
        if decided in statuses:
            return decided
    return "passed" if len(rows) == planned and statuses <= {"passed"} else "unfinished"


def _sum_known(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
