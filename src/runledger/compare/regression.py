"""Hold a run against its baseline: one check for each demand, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from ..ledger.baseline import Baseline
from ..ledger.manifest import Manifest
from ..ledger.regression import MISSING, SUITE, CaseChanges, Check, Regression, Verdict
from ..ledger.run import Summary
from . import point
from .gate import is_statistical
from .matched import Matched, Ruling, match

NO_STATISTICS = "gate: statistical needs live mode and several trials (-k); judged by plain figures"


class Rules(Protocol):
    """Judge a run beside its baseline: the point rules, or the statistical ones."""

    def success(self, matched: Matched, /) -> Ruling:
        """Judge the success rate."""

    def cases(self, matched: Matched, /) -> Ruling:
        """Judge the cases that passed before."""

    def average(self, matched: Matched, /) -> Ruling:
        """Judge the average duration."""

    def p95(self, matched: Matched, /) -> Ruling:
        """Judge the 95th percentile of the durations."""


def regression_of(summary: Summary, baseline: Baseline) -> Regression:
    """Compare a run with its baseline, by the thresholds that its manifest holds."""
    matched = match(summary, baseline)
    rules = _rules(summary.record.manifest)
    missing, added = _missing(matched), _added(matched)
    of_cases = rules.cases(matched)
    rulings = (
        _with_fallback_told(rules.success(matched), matched),
        of_cases,
        _judge_missing(matched, missing),
        rules.average(matched),
        rules.p95(matched),
        _judge_suite(matched),
    )
    changes = CaseChanges(of_cases.fallen, of_cases.risen, missing, added)
    return Regression(_verdict(rulings), tuple(ruling.check for ruling in rulings), changes)


def _rules(manifest: Manifest) -> Rules:
    if not is_statistical(manifest):
        return point
    from . import statistical  # few runs pay for fractions and tests

    return statistical


def _verdict(rulings: Sequence[Ruling]) -> Verdict:
    if any(ruling.check.status == "fail" for ruling in rulings):
        return "fail"
    return "inconclusive" if any(ruling.undecided for ruling in rulings) else "pass"


def _missing(matched: Matched) -> tuple[str, ...]:
    """Name the cases of the baseline that the suite no longer has."""
    manifest = matched.summary.record.manifest
    known = {*manifest.not_chosen, *(case.id for case in manifest.cases)}
    return tuple(sorted(case.id for case in matched.baseline.cases if case.id not in known))


def _added(matched: Matched) -> tuple[str, ...]:
    before = {case.id for case in matched.baseline.cases}
    return tuple(sorted(case.id for case in matched.summary.cases if case.id not in before))


def _judge_missing(matched: Matched, missing: Sequence[str]) -> Ruling:
    told = Check(MISSING, "pass", current=len(missing), threshold=0)
    if not missing:
        return Ruling(told)
    if matched.thresholds.allow_missing_cases:
        return Ruling(replace(told, status="warn", note="allow_missing_cases: true"))
    return Ruling(replace(told, status="fail"))


def _judge_suite(matched: Matched) -> Ruling:
    before, now = matched.baseline.suite_sha256, matched.summary.record.manifest.suite_sha256
    changed = "suite.yaml has changed since the baseline was made"
    return Ruling(Check(SUITE, "pass", note=None if before == now else changed))


def _with_fallback_told(ruling: Ruling, matched: Matched) -> Ruling:
    """Say so where the suite asks for statistics that this run cannot give."""
    asked = matched.thresholds.gate == "statistical"
    if not asked or is_statistical(matched.summary.record.manifest):
        return ruling
    note = "; ".join(filter(None, (ruling.check.note, NO_STATISTICS)))
    return replace(ruling, check=replace(ruling.check, note=note))
