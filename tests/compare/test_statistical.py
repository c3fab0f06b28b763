"""A run of several trials beside its baseline: chance alone fails no run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compare.rows import check, record, row, short_of
from runledger.compare.promote import baseline_of
from runledger.compare.rates import summarize
from runledger.compare.regression import regression_of
from runledger.ledger.baseline import Baseline
from runledger.ledger.grade import Failure
from runledger.ledger.regression import Regression
from runledger.ledger.run import RunRecord, TrialRow
from runledger.ledger.suite import Thresholds


def trials(id: str, passed: int, n: int, ms: int = 400) -> list[TrialRow]:
    """Make the trials of a case, so many of which pass; durations spread a little."""
    rows = [row(id) if number < passed else short_of(id) for number in range(n)]
    return [
        replace(one, trial=number + 1, tally=replace(one.tally, wall_ms=ms + number * ms // 50))
        for number, one in enumerate(rows)
    ]


def run(counts: list[int], n: int = 5, ms: int = 400, **more: Any) -> RunRecord:
    """Make a live run in which each case passes in so many of its n trials."""
    rows = [one for case, passed in enumerate(counts) for one in trials(f"c{case}", passed, n, ms)]
    limits = {key: more.pop(key) for key in Thresholds.__slots__ if key in more}
    return record(*rows, trials=n, mode="live", thresholds=Thresholds(**limits), **more)


def baseline(counts: list[int], n: int = 5, ms: int = 400) -> Baseline:
    """Make a baseline of such a run."""
    return baseline_of(summarize(run(counts, n, ms)))


def beside(before: Baseline, now: RunRecord) -> Regression:
    """Hold a run against a baseline."""
    return regression_of(summarize(now), before)


def status(before: Baseline, now: RunRecord) -> str:
    """Give the status of a run that was held against a baseline."""
    ending = replace(now.ending, regression=beside(before, now), baseline=before)
    return summarize(replace(now, ending=ending)).status


def test_one_failing_trial_is_evidence_and_no_verdict() -> None:
    """The case has failed, and the run passes all the same."""
    before, now = baseline([5, 5, 5, 5]), run([5, 5, 5, 4], min_success_rate=0.9)

    assert beside(before, now).verdict == "pass"
    assert status(before, now) == "passed"


def test_one_failing_trial_is_no_proof_that_not_all_pass() -> None:
    """Even where every case is asked to pass, too little is known to fail."""
    before, now = baseline([5] * 20), run([5] * 19 + [4], min_success_rate=1.0)
    told = check(beside(before, now), "min_success_rate")

    assert beside(before, now).verdict == "inconclusive"
    assert told.note == (
        "this may be chance; about 27 trials of each case, in the baseline too, would decide"
    )
    assert status(before, now) == "passed"


def test_without_regression_any_failing_trial_fails_the_run() -> None:
    """A suite that asks for nothing asks for everything."""
    now = run([5, 5, 5, 4])
    bare = replace(now, manifest=replace(now.manifest, thresholds=None))

    assert status(baseline([5, 5, 5, 5]), bare) == "failed"


def test_the_point_gate_can_be_chosen() -> None:
    """Then a case passes when all its trials do."""
    found = beside(baseline([5, 5]), run([5, 4], gate="point"))

    assert found.cases.newly_failing == ("c1",)
    assert found.verdict == "fail"


@pytest.mark.parametrize("now", [0, 1])
def test_a_case_that_breaks_is_named(now: int) -> None:
    """From all trials to hardly any is no chance, among twenty steady cases either."""
    found = beside(baseline([5] * 20), run([5] * 19 + [now], min_success_rate=0.8))

    assert found.verdict == "fail"
    assert found.cases.newly_failing == ("c19",)


def test_two_cases_that_break_need_fewer_trials() -> None:
    """Two trials of one case may be chance; three cases at once are not."""
    broken = run([0, 0, 0, 2, 2], n=2, min_success_rate=0.1)
    found = beside(baseline([2] * 5, n=2), broken)

    assert found.verdict == "fail"


def test_few_cases_that_get_worse_together_fail() -> None:
    """Sixty passing trials that become forty are no chance, though no case is broken."""
    found = beside(baseline([20] * 3, n=20), run([14, 13, 14], n=20))

    assert found.verdict == "fail"
    assert set(found.cases.newly_failing) == {"c0", "c1", "c2"}


def test_a_drop_that_the_suite_allows_passes() -> None:
    """Fewer passing trials are no regression while enough of them pass."""
    found = beside(baseline([20] * 3, n=20), run([14, 13, 14], n=20, min_success_rate=0.6))

    assert found.verdict == "pass"


def test_too_few_trials_are_inconclusive_and_say_how_many_would_do() -> None:
    """Two of two and none of two happen; at three the same would be decided."""
    found = beside(baseline([2, 2, 2], n=2), run([2, 2, 0], n=2))
    told = check(found, "newly_failing")

    assert found.verdict == "inconclusive"
    assert (told.status, told.current) == ("warn", 0)
    assert told.note == (
        "this may be chance: c2 (passed 2 of 2 before, 0 of 2 now); "
        "about 3 trials of each case, in the baseline too, would decide"
    )


def test_a_baseline_of_single_trials_decides_little() -> None:
    """Its one passing trial of each case may have been luck."""
    once = baseline_of(summarize(record(*(row(f"c{n}") for n in range(3)))))

    assert beside(once, run([5, 5, 0], min_success_rate=0.1)).verdict == "inconclusive"


def test_the_rate_is_the_mean_of_the_cases_rates() -> None:
    """Cases count, not trials; the change is paired and has an interval."""
    told = check(
        beside(baseline([5, 5, 5, 5]), run([5, 5, 4, 4], min_success_rate=0.9)), "min_success_rate"
    )

    assert (told.baseline, told.current, told.delta) == (1.0, 0.9, -0.1)
    assert told.status == "pass"
    assert told.ci is not None
    assert told.ci[0] < -0.1 < told.ci[1]


def test_a_rate_surely_below_what_is_asked_for_fails() -> None:
    """The demand is absolute: a baseline as bad does not help."""
    found = beside(baseline([10] * 4 + [0], n=10), run([10] * 4 + [0], n=10, min_success_rate=0.95))

    assert check(found, "min_success_rate").status == "fail"


def test_a_rate_perhaps_below_what_is_asked_for_is_inconclusive() -> None:
    """The note says how many trials would decide."""
    told = check(
        beside(baseline([5] * 4), run([5, 5, 5, 3], min_success_rate=0.95)), "min_success_rate"
    )

    assert told.status == "warn"
    assert "trials of each case would decide" in (told.note or "")


def test_less_than_all_but_no_worse_is_a_warning() -> None:
    """An agent that is as shaky as its baseline is no regression."""
    shaky = [5, 4, 5, 4, 5]
    found = beside(baseline(shaky), run(shaky, min_success_rate=1.0))

    assert check(found, "min_success_rate").status == "warn"
    assert found.verdict == "pass"


def test_many_small_drops_fail_by_their_interval() -> None:
    """The paired interval lies below 0, and so does every toss of the signs."""
    found = beside(baseline([10] * 20, n=10), run([9, 8] * 10, n=10, min_success_rate=0.9))

    assert check(found, "min_success_rate").status == "fail"


def test_trials_that_say_nothing_about_the_agent_leave_the_rate() -> None:
    """They are no failing trials, and no passing ones."""
    outside = row("c0", Failure("grader_error", ""), trial=2)
    rows = [row("c0"), outside]
    now = record(*rows, trials=2, mode="live", thresholds=Thresholds(min_success_rate=0.9))
    found = beside(baseline([2], n=2), now)

    assert check(found, "min_success_rate").current == 1.0
    assert found.verdict == "inconclusive"


def test_a_case_that_was_never_tried_fails() -> None:
    """What was not run cannot have passed."""
    now = run([5], case_ids=("c0", "c1"), min_success_rate=0.1)

    assert beside(baseline([5, 5]), now).cases.newly_failing == ("c1",)


def test_a_run_that_stopped_among_its_trials_does_not_pass() -> None:
    """A failing trial that --fail-fast stopped at leaves others untried."""
    before, whole = baseline([5, 5]), run([5, 4], min_success_rate=0.1)
    partly = replace(whole, rows=(*whole.rows[:5], replace(short_of("c1"), trial=1)))

    assert status(before, whole) == "passed"
    assert status(before, partly) == "failed"


@pytest.mark.parametrize("asked", [None, 1.0])
def test_a_new_case_that_never_passes_fails(asked: float | None) -> None:
    """The baseline has nothing to compare it with, and all cases are asked to pass."""
    before, now = baseline([10] * 3, n=10), run([10] * 3 + [0], n=10, min_success_rate=asked)
    told = check(beside(before, now), "min_success_rate")

    assert told.status == "fail"
    assert "new cases that never passed: c3" in (told.note or "")
    assert status(before, now) == "failed"


@pytest.mark.parametrize("asked", [None, 1.0])
def test_a_new_case_that_fails_at_times_is_undecided(asked: float | None) -> None:
    """One failing trial is evidence and no verdict, of a new case too."""
    before, now = baseline([10] * 3, n=10), run([10] * 3 + [7], n=10, min_success_rate=asked)
    told = check(beside(before, now), "min_success_rate")

    assert told.status == "warn"
    assert "new cases that failed in some trials: c3" in (told.note or "")
    assert beside(before, now).verdict == "inconclusive"
    assert status(before, now) == "passed"


def test_below_1_the_mean_of_all_cases_judges_the_new_ones() -> None:
    """A suite that allows failing cases allows new ones among them."""
    before, now = baseline([10] * 3, n=10), run([10] * 3 + [0], n=10, min_success_rate=0.7)

    assert beside(before, now).verdict == "pass"


def test_new_cases_that_pass_change_nothing() -> None:
    """There is nothing to say about them."""
    told = check(beside(baseline([5]), run([5, 5, 5])), "min_success_rate")

    assert (told.status, told.note) == ("skipped", "not set")


def test_cases_that_fell_together_are_not_each_called_failing() -> None:
    """Many small drops are proof that something got worse, and of no case that it did."""
    found = beside(baseline([5] * 30), run([4] * 30))
    told = check(found, "newly_failing")

    assert (found.verdict, told.status, told.current) == ("fail", "fail", 0)
    assert found.cases.newly_failing == ()
    assert (told.note or "").startswith("together the cases pass less often, beyond chance")
    assert "c0 (passed 5 of 5 before, 4 of 5 now)" in (told.note or "")


def test_a_case_that_fell_a_little_is_noted() -> None:
    """It passes the check, and yet not all is as it was."""
    told = check(beside(baseline([4, 4, 4], n=4), run([4, 4, 2], n=4)), "newly_failing")

    assert told.status == "pass"
    assert told.note == "pass less often now: c2 (passed 4 of 4 before, 2 of 4 now)"


def test_a_check_without_an_interval_says_so() -> None:
    """Of one case, and of few durations, the spread is unknown."""
    limits = {"max_avg_wall_ms_delta_pct": 10, "max_p95_wall_ms_delta_pct": 10}
    found = beside(baseline([5]), run([5], min_success_rate=1.0, **limits))
    notes = [check(found, id).note or "" for id in ("min_success_rate", *limits)]

    assert found.verdict == "pass"
    assert all(note.startswith("no interval: ") for note in notes)


def test_many_trials_that_would_not_decide_are_not_promised_to() -> None:
    """Where even a hundred trials of each case tell nothing, none are asked for."""
    hardly = run([50] * 99 + [49], n=50, min_success_rate=1.0)
    told = check(beside(baseline([50] * 100, n=50), hardly), "min_success_rate")

    assert "would not decide" in (told.note or "")


def test_cases_that_got_better_are_named() -> None:
    """Beyond chance as well."""
    assert beside(baseline([0, 5, 4]), run([5, 5, 5])).cases.newly_passing == ("c0",)


def test_slower_beyond_chance_fails() -> None:
    """The ratio of the medians, its interval and the threshold are in percent."""
    found = beside(baseline([5] * 6), run([5] * 6, ms=800, max_avg_wall_ms_delta_pct=50))
    told = check(found, "max_avg_wall_ms_delta_pct")

    assert told.status == "fail"
    assert told.delta == pytest.approx(100, abs=1)
    assert told.ci == pytest.approx((100, 100), abs=1)


def test_slower_by_chance_is_inconclusive() -> None:
    """One case that is much slower says little about the others."""
    slow = [one for n in range(4) for one in trials(f"c{n}", 5, 5, 2000 if n == 0 else 400)]
    limits = Thresholds(max_avg_wall_ms_delta_pct=10)
    found = beside(baseline([5] * 4), record(*slow, trials=5, mode="live", thresholds=limits))

    assert "trials of each case would decide" in (
        check(found, "max_avg_wall_ms_delta_pct").note or ""
    )
    assert found.verdict == "inconclusive"


def test_one_case_alone_has_no_interval() -> None:
    """Nothing is known about its spread."""
    found = beside(baseline([5]), run([5], ms=800, max_avg_wall_ms_delta_pct=10))

    assert found.verdict == "inconclusive"


@pytest.mark.parametrize(("cases", "status"), [(11, "warn"), (12, "fail")])
def test_a_95th_percentile_needs_59_durations(cases: int, status: str) -> None:
    """Below that it only warns."""
    now = run([5] * cases, ms=900, max_p95_wall_ms_delta_pct=50)

    assert check(beside(baseline([5] * cases), now), "max_p95_wall_ms_delta_pct").status == status


def test_the_same_run_passes() -> None:
    """Shaky or not, nothing has changed."""
    limits = {"max_avg_wall_ms_delta_pct": 0, "max_p95_wall_ms_delta_pct": 0}
    counts = [5, 4, 0, 3, 5]

    assert beside(baseline(counts), run(counts, **limits)).verdict == "pass"
