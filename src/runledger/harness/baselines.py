"""Compare a finished run with a baseline, or make it one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ..compare.promote import baseline_of, promotable
from ..compare.rates import summarize
from ..compare.regression import regression_of
from ..ledger.baseline import Baseline
from ..ledger.regression import Regression
from ..ledger.run import Ending, RunRecord, Summary
from ..store.baseline import read_baseline, refuse_foreign, write_baseline
from ..store.rundir import read_run


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run beside a baseline."""

    summary: Summary
    baseline: Baseline
    regression: Regression


def compare_with_baseline(run: Path, file: Path) -> Comparison:
    """Hold a finished run against a baseline, as its gate would have."""
    record = read_run(run)
    baseline = read_baseline(file)
    refuse_foreign(baseline, record.manifest.suite_name, file)
    summary = summarize(beside(record, baseline))
    regression = summary.record.ending.regression
    assert regression is not None
    return Comparison(summary, baseline, regression)


def beside(record: RunRecord, baseline: Baseline) -> RunRecord:
    """Put the comparison with a baseline into the ending of a record."""
    regression = regression_of(summarize(record), baseline)
    ending: Ending = replace(record.ending, regression=regression, baseline=baseline)
    return replace(record, ending=ending)


def promote(run: Path, to: Path, *, allow_failing: bool) -> Baseline:
    """Write a baseline from a finished run."""
    summary = summarize(read_run(run))
    promotable(summary, allow_failing)
    baseline = baseline_of(summary)
    if to.is_file():  # the baseline of another suite, overwritten, would be missed there
        refuse_foreign(read_baseline(to), baseline.suite_name, to)
    write_baseline(to, baseline)
    return baseline
