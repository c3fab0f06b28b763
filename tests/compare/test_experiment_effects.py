"""What each condition changes, metric by metric."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from compare.experiments import changed, scored
from runledger.compare.experiment import findings_of
from runledger.compare.mcnemar import Fourfold, mcnemar, newcombe
from runledger.compare.paired import sign_flip, t_interval
from runledger.ledger.attempt import Attempt, Counts
from runledger.ledger.findings import BenchRecord, Effect
from runledger.ledger.usage import Usage

BEFORE = [50.0, 60.0, 70.0, 40.0, 55.0, 65.0, 80.0, 45.0]
AFTER = [70.0, 65.0, 67.5, 60.0, 75.0, 90.0, 82.5, 45.0]
scores = st.integers(0, 40).map(lambda halves: halves * 2.5)


def effect_of(record: BenchRecord, metric: str = "score", condition: str = "with") -> Effect:
    """Give one effect of a record."""
    found = findings_of(record).effects
    return next(one for one in found if (one.metric, one.condition) == (metric, condition))


def by_task(**values: list[float]) -> Any:
    """Give the durations of attempts, by condition and then by task."""
    return lambda one: {"duration_s": values[one.slot.condition][int(one.slot.task_id[1:])]}


def test_scores_are_compared_by_sign_flips_and_students_interval() -> None:
    """The differences of tasks are exact fractions."""
    found = effect_of(scored({"without": BEFORE, "with": AFTER}))
    differences = [b - a for a, b in zip(BEFORE, AFTER, strict=True)]

    assert found.difference == pytest.approx(sum(differences) / 8)
    assert found.ci == pytest.approx(t_interval(differences))
    assert found.p == sign_flip([Fraction(one) for one in differences])
    assert found.test == "sign_flip"
    assert (found.wins, found.losses, found.ties) == (6, 1, 1)
    assert found.n == 8


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(scores, scores), min_size=3, max_size=9))
def test_the_effect_on_scores_is_scipys(pairs: list[tuple[float, float]]) -> None:
    """Its interval is that of a paired t test, its chance that of all permutations."""
    record = scored({"without": [a for a, _ in pairs], "with": [b for _, b in pairs]}, level=0.9)
    found, differences = effect_of(record), [b - a for a, b in pairs]
    flips = stats.permutation_test(
        (differences,), sum, permutation_type="samples", n_resamples=math.inf, vectorized=False
    )

    assert found.p == pytest.approx(flips.pvalue, abs=1e-9)
    if len(set(differences)) > 1:
        ci = stats.ttest_1samp(differences, 0).confidence_interval(0.9)
        expected = max(ci.low, -100), min(ci.high, 100)
        assert found.ci == pytest.approx(expected, abs=1e-9)


def test_trials_are_averaged_within_their_task() -> None:
    """Ten trials of two tasks are two observations."""
    record = scored(
        {"without": [50.0, 60.0, 70.0, 80.0], "with": [60.0, 80.0, 70.0, 90.0]}, trials=2
    )
    found = findings_of(record)

    assert effect_of(record).n == 2
    assert effect_of(record).baseline == 65
    assert effect_of(record).difference == 10
    assert [(one.difference, one.n) for one in found.tasks] == [(15, 2), (5, 2)]
    assert found.tasks[0].ci == pytest.approx(t_interval([10, 20]))


def test_single_completions_are_compared_by_mcnemar() -> None:
    """One run each is a table of four fields; the interval is Newcombe's, in points."""
    found = effect_of(scored({"without": BEFORE, "with": AFTER}), "completion")
    table = Fourfold(both=1, only_a=0, only_b=1, neither=6)
    low, high = newcombe(table)

    assert found.test == "mcnemar"
    assert found.p == mcnemar(0, 1)
    assert found.difference == 12.5
    assert found.ci == pytest.approx((100 * low, 100 * high))


def test_completions_of_several_trials_are_compared_by_sign_flips() -> None:
    """A task may be complete in half of them."""
    record = scored({"without": [50.0, 90.0] * 3, "with": [90.0, 90.0] * 3}, trials=2)

    assert effect_of(record, "completion").test == "sign_flip"
    assert effect_of(record, "completion").difference == 50


def test_durations_are_told_in_seconds_and_as_a_ratio() -> None:
    """Gates go by seconds; the ratio is the geometric mean, tested on logarithms."""
    record = scored({"without": [50.0] * 4, "with": [50.0] * 4})
    slow, fast = [10.0, 20.0, 30.0, 40.0], [5.0, 12.0, 14.0, 22.0]
    found = effect_of(changed(record, by_task(without=slow, **{"with": fast})), "duration_s")
    logs = [math.log(b / a) for a, b in zip(slow, fast, strict=True)]
    test = stats.ttest_1samp(logs, 0)

    assert found.difference == -11.75
    assert found.ci == pytest.approx(t_interval([b - a for a, b in zip(slow, fast, strict=True)]))
    assert found.ratio == pytest.approx(stats.gmean([0.5, 0.6, 14 / 30, 0.55]))
    assert found.ratio_ci == pytest.approx([math.exp(one) for one in test.confidence_interval()])
    assert found.p == pytest.approx(test.pvalue, abs=1e-9)
    assert (found.wins, found.losses) == (4, 0)


def test_few_durations_that_differ_are_no_doubt_about_their_test() -> None:
    """Student's test is no test of signs: two tasks of eight may well be told from chance."""
    record = scored({"without": [50.0] * 8, "with": [50.0] * 6 + [60.0, 70.0]})
    late = changed(record, by_task(without=[10.0] * 8, **{"with": [10.0] * 6 + [11.0, 12.0]}))

    assert effect_of(late, "duration_s").note is None
    assert effect_of(late).note == "fewer than 6 tasks differ: p cannot be below 0.05"


def test_few_durations_decide_nothing_and_may_differ() -> None:
    """Their test can show that; a gate asks for six tasks all the same."""
    record = scored({"without": [50.0] * 4, "with": [50.0, 60.0, 70.0, 80.0]})
    late = changed(record, by_task(without=[10.0] * 4, **{"with": [20.0, 21.0, 20.0, 22.0]}))
    found = effect_of(late, "duration_s")

    assert found.p < 0.05
    assert found.note == "fewer than 6 tasks decide nothing"
    assert effect_of(late).note == "fewer than 6 tasks: they can show no difference"


def test_of_durations_the_median_of_a_tasks_trials_counts() -> None:
    """One trial that hung does not make a task slow."""
    record = scored({"without": [50.0] * 6, "with": [50.0] * 6}, trials=3)
    late = changed(record, lambda one: {"duration_s": 900.0 if one.slot.trial == 2 else 10.0})

    assert effect_of(late, "duration_s").mean == 10.0


def used(one: Attempt) -> dict[str, Any]:
    """Let the run with context use less of everything."""
    less = one.slot.condition == "with"
    number = int(one.slot.task_id[1:])
    return {
        "counts": Counts(10 - less, 5 + number * less, 3),
        "usage": Usage(1000, 200 - 100 * less, 0.05 - 0.01 * less),
    }


def test_less_is_better_but_for_scores() -> None:
    """Calls, files, tokens and money are won by who needs fewer."""
    record = changed(scored({"without": [50.0] * 7, "with": [50.0] * 7}), used)
    found = {one.metric: one for one in findings_of(record).effects}

    assert found["tool_calls"].difference == -1
    assert (found["tool_calls"].wins, found["tool_calls"].losses) == (7, 0)
    assert (found["files_read"].wins, found["files_read"].losses) == (0, 6)
    assert found["tokens"].difference == -100
    assert found["cost_usd"].difference == pytest.approx(-0.01)


def test_tokens_are_known_only_where_both_kinds_are() -> None:
    """Half of a sum is no sum."""
    record = scored({"without": [50.0] * 2, "with": [60.0] * 2})
    half = changed(record, lambda one: {"usage": Usage(tokens_in=100)})

    assert {one.metric for one in findings_of(half).effects} == {
        "score",
        "completion",
        "duration_s",
    }
    assert findings_of(half).tallies[0].tokens is None


def test_chances_are_adjusted_over_all_metrics_and_conditions() -> None:
    """By Holm's method; ties take no part."""
    record = scored({"a": [50.0] * 8, "b": [60.0] * 8, "c": [50.0] * 7 + [60.0]})
    found = findings_of(record).effects
    adjusted = {(one.metric, one.condition): one.p_adjusted for one in found}

    assert adjusted["score", "b"] == 2 * 2**-7
    assert adjusted["score", "c"] == 1.0
    assert adjusted["duration_s", "b"] == 1.0
    assert len(adjusted) == 6


def test_equal_differences_have_the_interval_of_their_signs() -> None:
    """From six tasks on; with fewer nothing bounds the difference."""
    many = effect_of(scored({"without": [50.0] * 6, "with": [70.0] * 6}))
    few = effect_of(scored({"without": [50.0] * 5, "with": [70.0] * 5}))

    assert many.ci == (20.0, 20.0)
    assert many.note == "every task differs by the same: the interval is that of the sign-flip test"
    assert few.ci is None
    assert few.note == "every task differs by the same: so few of them tell no interval"


def test_an_interval_stays_within_what_a_difference_can_be() -> None:
    """No score can rise by more than all points."""
    found = effect_of(scored({"without": [0.0, 0.0], "with": [100.0, 50.0]}))

    assert found.ci == (-100.0, 100.0)


def test_very_many_tasks_are_compared_by_students_test() -> None:
    """Beyond a thousand that differ, sign flips show no more."""
    after = [55.0 + 5 * (number % 3) for number in range(1001)]
    found = effect_of(scored({"without": [50.0] * 1001, "with": after}))

    assert found.test == "paired_t"
    assert found.p < 1e-12


def test_order_is_told_by_welchs_test() -> None:
    """Blocks where the condition ran first are compared with the others."""
    after = [70.0, 50.0, 72.5, 52.5, 67.5, 50.0, 70.0, 55.0]
    record = scored({"without": [50.0] * 8, "with": after})
    found = next(one for one in findings_of(record).order if one.metric == "score")
    first, second = [20.0, 22.5, 17.5, 20.0], [0.0, 2.5, 0.0, 5.0]
    test = stats.ttest_ind(first, second, equal_var=False)

    assert (found.first, found.second) == (20.0, 1.875)
    assert (found.n_first, found.n_second) == (4, 4)
    assert found.p == pytest.approx(test.pvalue, abs=1e-9)
    assert found.ci == pytest.approx([*test.confidence_interval()])
    assert findings_of(record).notes == (
        "order matters to the score of `with`: its difference is 20.0 points where it ran first "
        f"and 1.9 where second (p {test.pvalue:.2g})",
    )


def test_the_order_of_one_block_tells_nothing() -> None:
    """Without two on a side there is no test; without one there is no comparison."""
    record = scored({"without": [50.0] * 2, "with": [60.0, 70.0]})
    alone = replace(record, attempts=record.attempts[:2])

    assert [one.p for one in findings_of(record).order] == [None, None]
    assert not findings_of(alone).order
