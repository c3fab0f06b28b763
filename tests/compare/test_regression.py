"""A run beside its baseline, every figure taken as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.rows import check, record, row, short_of
from runledger.compare.promote import baseline_of
from runledger.compare.rates import summarize
from runledger.compare.regression import regression_of
from runledger.ledger.baseline import Baseline
from runledger.ledger.grade import Failure
from runledger.ledger.regression import CaseChanges, Check, Regression
from runledger.ledger.run import TrialRow
from runledger.ledger.suite import Thresholds

CHECKS = [
    "min_success_rate",
    "newly_failing",
    "missing_cases",
    "max_avg_wall_ms_delta_pct",
    "max_p95_wall_ms_delta_pct",
    "suite_sha256",
]


def baseline(*rows: TrialRow, **more: Any) -> Baseline:
    """Make a baseline of a run with these rows."""
    return baseline_of(summarize(record(*rows, **more)))


def beside(before: Baseline, *rows: TrialRow, **more: Any) -> Regression:
    """Hold a run with these rows against a baseline; thresholds may be given one by one."""
    limits = {key: more.pop(key) for key in Thresholds.__slots__ if key in more}
    if limits:
        more["thresholds"] = Thresholds(**limits)
    return regression_of(summarize(record(*rows, **more)), before)


def five(ms: int = 400) -> list[TrialRow]:
    """Make five cases that pass."""
    return [row(f"c{n}", ms=ms) for n in range(5)]


FIVE = baseline(*five())


def test_every_check_is_there_in_a_fixed_order() -> None:
    """What is not set is skipped, not left out."""
    found = beside(FIVE, *five())

    assert [one.id for one in found.checks] == CHECKS
    assert [one.status for one in found.checks] == [
        *("skipped", "pass", "pass", "skipped", "skipped", "pass")
    ]
    assert found.verdict == "pass"


def test_from_1_to_0_8_fails() -> None:
    """The seed's example: the rate, its drop, and the case that fails now."""
    found = beside(FIVE, *five()[:4], short_of("c4"), min_success_rate=1.0)

    assert found.verdict == "fail"
    assert check(found, "min_success_rate") == Check(
        "min_success_rate", "fail", 1.0, 0.8, -0.2, 1.0
    )
    assert check(found, "newly_failing").status == "fail"
    assert found.cases == CaseChanges(newly_failing=("c4",))


def test_a_rate_below_1_does_not_allow_what_passed_before() -> None:
    """The share of failing cases is for those that failed before."""
    found = beside(FIVE, *five()[:4], short_of("c4"), min_success_rate=0.8)

    assert check(found, "min_success_rate").status == "pass"
    assert found.verdict == "fail"


def test_a_rate_below_1_allows_what_failed_before() -> None:
    """The run is no worse than its baseline."""
    before = baseline(*five()[:4], short_of("c4"))
    found = beside(before, *five()[:4], short_of("c4"), min_success_rate=0.8)

    assert found.verdict == "pass"


def test_cases_that_changed_are_named() -> None:
    """Each on its list, in order."""
    before = baseline(row("b"), row("a"), short_of("c"), row("z"))
    found = beside(before, short_of("b"), short_of("a"), row("c"), row("new"))

    assert found.cases == CaseChanges(("a", "b"), ("c",), ("z",), ("new",))


@pytest.mark.parametrize("type", ["timeout", "protocol_error", "assertion_failed"])
def test_a_case_in_error_does_not_pass(type: str) -> None:
    """An agent that hangs is worse than one that answered."""
    assert beside(baseline(row("a")), row("a", Failure(type, ""))).verdict == "fail"


def test_an_unfinished_case_does_not_pass() -> None:
    """What was not run cannot have passed."""
    found = beside(baseline(row("a"), row("b")), row("a"), case_ids=("a", "b"))

    assert found.cases.newly_failing == ("b",)


@pytest.mark.parametrize("type", ["spawn_failed", "grader_error", "internal_error"])
def test_what_says_nothing_about_the_agent_is_no_regression(type: str) -> None:
    """It is no pass either: nobody knows."""
    found = beside(baseline(row("a"), row("b")), row("a"), row("b", Failure(type, "")))

    assert found.cases.newly_failing == ()
    assert check(found, "newly_failing").status == "warn"
    assert found.verdict == "inconclusive"


def test_a_run_in_which_nothing_was_judged_is_inconclusive() -> None:
    """No rate is not a good rate."""
    outside = row("a", Failure("spawn_failed", ""))
    found = beside(baseline(row("a")), outside, min_success_rate=0.5)

    assert check(found, "min_success_rate").note == "no case was judged"
    assert found.verdict == "inconclusive"


def test_a_missing_case_fails() -> None:
    """A case that was deleted or renamed is told by name."""
    found = beside(FIVE, *five()[:4])

    assert check(found, "missing_cases") == Check("missing_cases", "fail", current=1, threshold=0)
    assert found.cases.missing == ("c4",)
    assert found.verdict == "fail"


def test_a_missing_case_can_be_allowed() -> None:
    """Then it is a warning."""
    found = beside(FIVE, *five()[:4], allow_missing_cases=True)

    assert check(found, "missing_cases").status == "warn"
    assert found.verdict == "pass"


def test_a_case_that_was_not_chosen_is_not_missing() -> None:
    """Figures are of the cases that both sides have."""
    before = baseline(*five()[:3], short_of("slow"), row("slower", ms=9000))
    found = beside(before, *five()[:3], not_chosen=("slow", "slower"), min_success_rate=1.0)

    assert found.verdict == "pass"
    assert found.cases.missing == ()
    assert check(found, "min_success_rate").baseline == 1.0
    assert check(found, "max_avg_wall_ms_delta_pct").baseline == 400


def test_an_added_case_does_not_count_as_slower() -> None:
    """Only what the baseline has can be compared with it."""
    found = beside(FIVE, *five(), row("new", ms=9000), max_avg_wall_ms_delta_pct=1, mode="live")

    assert check(found, "max_avg_wall_ms_delta_pct").current == 400
    assert found.verdict == "pass"


def test_cases_that_did_not_answer_are_not_timed() -> None:
    """A timeout's duration is the limit's: the case is left out on both sides."""
    hung = row("c4", Failure("timeout", ""), ms=30_000, answered=False)
    slow = baseline(*five()[:4], row("c4", ms=5000))
    found = beside(slow, *five()[:4], hung, max_avg_wall_ms_delta_pct=1)

    assert (check(found, CHECKS[3]).baseline, check(found, CHECKS[3]).current) == (400, 400)


@pytest.mark.parametrize(("ms", "status"), [(500, "pass"), (501, "fail")])
def test_percent_means_percent(ms: int, status: str) -> None:
    """25 allows 400 to become 500, and not a millisecond more."""
    found = beside(FIVE, *five(ms), max_avg_wall_ms_delta_pct=25, mode="live")

    assert check(found, "max_avg_wall_ms_delta_pct").status == status


@given(st.integers(1, 10**6), st.integers(0, 500))
def test_exactly_what_is_allowed_is_allowed(hundredth: int, percent: int) -> None:
    """No rounding makes a run that is just slow enough too slow."""
    before, now = 100 * hundredth, hundredth * (100 + percent)
    found = beside(
        baseline(row("a", ms=before)),
        row("a", ms=now),
        mode="live",
        max_avg_wall_ms_delta_pct=percent,
        abs_floor_ms=0,
    )

    assert check(found, "max_avg_wall_ms_delta_pct").status == "pass"


def test_slowness_only_warns_in_replay() -> None:
    """There the machine is timed more than the agent; the suite may ask otherwise."""
    limits = {"max_avg_wall_ms_delta_pct": 10, "max_p95_wall_ms_delta_pct": 10}
    warned = beside(FIVE, *five(900), **limits)
    failed = beside(FIVE, *five(900), **limits, latency_gate="fail")

    assert [check(warned, id).status for id in CHECKS[3:5]] == ["warn", "warn"]
    assert warned.verdict == "pass"
    assert [check(failed, id).status for id in CHECKS[3:5]] == ["fail", "fail"]
    assert failed.verdict == "fail"


def test_slowness_fails_live_unless_the_suite_wants_a_warning() -> None:
    """In live mode the agent is what is timed."""
    limits = {"max_p95_wall_ms_delta_pct": 10, "mode": "live"}

    assert beside(FIVE, *five(900), **limits).verdict == "fail"
    assert beside(FIVE, *five(900), **limits, latency_gate="warn").verdict == "pass"


@pytest.mark.parametrize(("ms", "status"), [(449, "pass"), (450, "fail")])
def test_a_change_under_the_floor_never_counts(ms: int, status: str) -> None:
    """Fifty milliseconds are noise, whatever their share."""
    found = beside(FIVE, *five(ms), max_avg_wall_ms_delta_pct=1, mode="live")

    assert check(found, "max_avg_wall_ms_delta_pct").status == status


@pytest.mark.parametrize("ms", [0, None])
def test_there_is_no_percentage_of_nothing(ms: int | None) -> None:
    """A baseline without a duration is skipped, with a note."""
    row_before = row("a", ms=ms or 0, answered=ms is not None)
    found = beside(baseline(row_before), row("a"), max_avg_wall_ms_delta_pct=1, mode="live")

    assert check(found, "max_avg_wall_ms_delta_pct").status == "skipped"
    assert check(found, "max_avg_wall_ms_delta_pct").note is not None
    assert found.verdict == "pass"


def test_another_suite_file_is_a_note() -> None:
    """A suite that has grown may still be compared."""
    found = beside(baseline(row("a"), suite_sha256="a"), row("a"), suite_sha256="b")

    assert "has changed" in (check(found, "suite_sha256").note or "")
    assert found.verdict == "pass"


def test_statistics_that_cannot_be_had_are_told() -> None:
    """A replay has nothing to be uncertain about: the plain rules hold."""
    found = beside(FIVE, *five()[:4], short_of("c4"), gate="statistical")

    assert "needs live mode and several trials" in (check(found, "min_success_rate").note or "")
    assert found.verdict == "fail"


def test_the_baselines_own_figures_hold_when_all_cases_are_there() -> None:
    """Who edits the aggregates of a baseline is heard."""
    edited = replace(FIVE, aggregates=replace(FIVE.aggregates, avg_wall_ms=1000.0))

    assert check(beside(edited, *five()), "max_avg_wall_ms_delta_pct").baseline == 1000


outcomes = st.dictionaries(st.sampled_from("abcdefgh"), st.booleans(), min_size=1)


def rows_of(outcome: dict[str, bool]) -> list[TrialRow]:
    """Make a row for each case, passing or not."""
    return [row(id) if passed else short_of(id) for id, passed in outcome.items()]


@given(outcomes)
def test_a_run_is_no_worse_than_itself(outcome: dict[str, bool]) -> None:
    """Beside its own baseline nothing has changed."""
    rows = rows_of(outcome)
    found = beside(baseline(*rows), *rows, max_avg_wall_ms_delta_pct=0, latency_gate="fail")

    assert found.verdict == "pass"
    assert found.cases == CaseChanges()


@given(outcomes, outcomes, st.floats(0, 1))
def test_no_run_passes_with_a_case_that_passed_before(
    was: dict[str, bool], now: dict[str, bool], asked: float
) -> None:
    """Whatever else happens, a case that fails now or is missing fails the gate."""
    found = beside(baseline(*rows_of(was)), *rows_of(now), min_success_rate=asked)
    lost = any(passed and not now.get(id, False) for id, passed in was.items())

    assert not (lost and found.verdict != "fail")


@given(outcomes, outcomes)
def test_the_order_of_cases_plays_no_part(was: dict[str, bool], now: dict[str, bool]) -> None:
    """Neither in the baseline nor in the run."""
    forwards = beside(baseline(*rows_of(was)), *rows_of(now))
    backwards = beside(baseline(*rows_of(was)[::-1]), *rows_of(now)[::-1])

    assert forwards == backwards
