"""Captures laid side by side: what is paired, what is measured, and what it shows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.captures import call, result, sample
from runledger.compare.samples import compare_samples
from runledger.errors import UsageError
from runledger.ledger.comparison import Comparison, Metric, Sample, TaskKey

SWAPPED = {"better_a": "better_b", "better_b": "better_a"}
TURNED = {"better": "worse", "worse": "better"}


def compared(a: Sample, b: Sample) -> Comparison:
    """Compare two samples."""
    (found,) = compare_samples(a, [b])
    return found


def metric(found: Comparison, id: str) -> Metric:
    """Find a metric by its id."""
    return next(one for one in found.metrics if one.id == id)


def tried(name: str, passes: list[bool], **more: Any) -> Sample:
    """Make a sample of one trial for each task."""
    return sample(name, *(result(f"t{n}", one, **more) for n, one in enumerate(passes)))


def test_of_a_trial_only_figures_are_kept() -> None:
    """Tokens, cost and duration come from the line, calls and their errors from its steps."""
    usage = {"tokensIn": 10, "tokensOut": 20, "costUsd": 0.5}
    found = sample("a", result("t", True, 700, usage=usage, trajectory=[call(), call("failed")]))
    (figures,) = next(iter(found.tasks.values()))

    assert asdict(figures) == {
        "passed": True,
        "score": 1.0,
        "answered": True,
        "duration_ms": 700,
        "tokens_in": 10,
        "tokens_out": 20,
        "cost_usd": 0.5,
        "tool_calls": 2,
        "tool_errors": 1,
    }


def test_an_error_that_only_shows_in_what_a_tool_said_counts() -> None:
    """The steps do not tell which call it was, but there was one."""
    found = sample("a", result("t", toolErrors=True, toolErrorsDerived=True, trajectory=[call()]))

    assert next(iter(found.tasks.values()))[0].tool_errors == 1


def test_trials_of_a_trials_file_and_repeated_lines_are_the_same() -> None:
    """Whatever a task's trials are written as, they are averaged within it."""
    entries = [
        {"trialNum": n, "output": "done", "duration": 1000, "pass": n > 1, "score": float(n > 1)}
        for n in (1, 2, 3)
    ]
    trials = sample("a", {"id": "t", "input": "do t", "k": 3, "trials": entries})
    lines = sample("a", *(result("t", n > 1) for n in (1, 2, 3)))

    (one,), (other,) = trials.tasks.values(), lines.tasks.values()
    assert [figures.passed for figures in one] == [figures.passed for figures in other]
    assert one[0].tool_calls is None, "a trials file may leave the trajectory out"


def run_line(id: str, trial: int, attempt: int, status: str = "passed") -> dict[str, Any]:
    """Make a line of a run's own results."""
    failures = [] if status == "passed" else [{"type": "timeout", "message": "", "details": {}}]
    more = {"trial": trial, "attempt": attempt, "status": status, "failures": failures}
    return result(id, status == "passed", **more)


def test_of_several_attempts_the_last_one_counts() -> None:
    """Attempts of another trial stand for themselves."""
    found = sample("a", run_line("t", 1, 1, "error"), run_line("t", 2, 1), run_line("t", 1, 2))

    assert [one.passed for one in next(iter(found.tasks.values()))] == [True, True]


def test_two_runs_in_one_file_are_more_trials() -> None:
    """The same attempt again is not a later one."""
    found = sample("a", run_line("t", 1, 1), run_line("t", 1, 1, "error"))

    assert [one.passed for one in next(iter(found.tasks.values()))] == [True, False]


def test_a_run_in_which_nobody_judged_has_no_passes() -> None:
    """Its status says passed of every answer, and that would be a rate of 100 %."""
    line = run_line("t", 1, 1)
    del line["score"]

    assert next(iter(sample("a", line).tasks.values()))[0].passed is None


def test_tasks_are_paired_by_id_and_input() -> None:
    """What is on one side only, or has another input, is named and not compared."""
    a = sample("a", result("same"), result("gone"), result("edited"))
    b = sample("b", result("same"), result("new"), result("edited", input="do something else"))
    found = compared(a, b)

    assert found.tasks.paired == 1
    assert found.tasks.only_a == ("gone",)
    assert found.tasks.only_b == ("new",)
    assert found.tasks.changed == ("edited",)
    assert [case.id for case in found.cases] == ["same"]


def test_inputs_are_equal_whatever_the_order_of_their_keys() -> None:
    """Only fingerprints of canonical values are kept."""
    a = sample("a", result("t", input={"x": 1, "y": 2}))
    b = sample("b", result("t", input={"y": 2, "x": 1}))

    assert compared(a, b).tasks.paired == 1
    assert all(isinstance(key, TaskKey) and len(key.input) == 64 for key in a.tasks)


def test_nothing_in_common_is_told_with_what_is_there() -> None:
    """The first ids of both sides show what went wrong."""
    a = sample("old.jsonl", *(result(f"a{n}") for n in range(5)))
    b = sample("new.jsonl", result("b0"), result("a1", input="other"))

    with pytest.raises(UsageError) as told:
        compared(a, b)
    assert "old.jsonl has a0, a1, a2 and 2 more" in str(told.value)
    assert "new.jsonl has b0, a1" in str(told.value)
    assert "another input: a1" in str(told.value)


def test_an_empty_side_is_named() -> None:
    """Nothing can be said of no results."""
    with pytest.raises(UsageError, match=r"empty\.jsonl holds no results"):
        compared(sample("a", result("t")), sample("empty.jsonl"))


def test_single_trials_are_compared_by_mcnemar() -> None:
    """Two tasks passed only in A, ten only in B: the worked value."""
    a = tried("a", [True] * 2 + [False] * 10 + [True] * 8)
    b = tried("b", [False] * 2 + [True] * 10 + [True] * 8)
    found = metric(compared(a, b), "pass_rate")

    assert found.test == "mcnemar"
    assert found.p == pytest.approx(0.03857421875)
    assert (found.a, found.b, found.difference) == (0.5, 0.9, 0.4)
    assert found.ci is not None
    assert found.ci[0] < 0.4 < found.ci[1]


def test_scores_are_compared_by_sign_flips() -> None:
    """The worked differences, from scores as they are written: a tenth is a tenth."""
    gains = [0.25, 0.0, -0.1, 0.5, 0.3, 0.05, -0.2, 0.4, 0.15, 0.1]
    pairs = [(0.2, 0.45), (0.3, 0.3), (0.5, 0.4), (0.1, 0.6), (0.2, 0.5)]
    pairs += [(0.05, 0.1), (0.7, 0.5), (0.6, 1.0), (0.15, 0.3), (0.9, 1.0)]
    a, b = (
        sample(
            name,
            *(
                result(f"t{n}", score={"pass": True, "score": pair[side]})
                for n, pair in enumerate(pairs)
            ),
        )
        for side, name in enumerate("ab")
    )
    found = metric(compared(a, b), "score")

    assert found.test == "sign_flip"
    assert found.p == 0.08203125
    assert found.difference == pytest.approx(sum(gains) / 10, abs=1e-12)
    half = 2.2621571627409915 * 0.06970174555442162  # the table's t, the worked standard error
    assert found.ci == pytest.approx((0.145 - half, 0.145 + half), abs=1e-9)
    assert found.detectable == pytest.approx(0.21925109401506793, abs=1e-9)


def test_several_trials_are_averaged_within_their_task() -> None:
    """A task with many trials weighs no more than one with few."""
    a = sample("a", *[result("x", False)] * 4, result("y", True))
    b = sample("b", *[result("x", True)] * 4, result("y", True))
    found = metric(compared(a, b), "pass_rate")

    assert found.test == "sign_flip"
    assert (found.a, found.b, found.difference, found.n) == (0.5, 1.0, 0.5, 2)


def test_durations_are_compared_by_ratios_of_medians() -> None:
    """Oracle: numpy's mean and scipy.stats.ttest_rel on logarithms of these medians."""
    before, now = (100, 200, 400, 800), (110, 210, 500, 790)
    a = sample("a", *(result(f"t{n}", ms=ms) for n, ms in enumerate(before)))
    b = sample("b", *(result(f"t{n}", ms=ms) for n, ms in enumerate(now)))
    found = metric(compared(a, b), "duration_ms")

    assert found.ratio == pytest.approx(1.0927159324205054, abs=1e-9)
    assert found.ci == pytest.approx((0.93204549, 1.28108351), abs=1e-8)
    assert found.p == pytest.approx(0.17412183694066563, abs=1e-9)
    assert found.difference is None


def test_durations_of_one_task_are_compared_by_ranks() -> None:
    """Six trials on each side are enough for a verdict."""
    a = sample("a", *(result("t", ms=ms) for ms in range(1000, 1008)))
    b = sample("b", *(result("t", ms=ms) for ms in range(500, 508)))
    found = metric(compared(a, b), "duration_ms")

    assert found.test == "mann_whitney"
    assert found.ratio == pytest.approx(0.5, abs=0.01)
    assert found.verdict == "better_b"


@pytest.mark.parametrize("fewer", [1, 5])
def test_few_trials_of_one_task_give_no_verdict(fewer: int) -> None:
    """However far apart they are; and then no other chance is adjusted for them."""
    a = sample("a", *(result("t", ms=ms) for ms in range(1000, 1020)))
    b = sample("b", *(result("t", ms=ms) for ms in range(10, 10 + fewer)))
    found = metric(compared(a, b), "duration_ms")

    assert found.verdict == "no_verdict"
    assert found.p_adjusted is None
    assert "6 trials" in (found.note or "")


def test_what_nobody_judged_leaves_the_rate_and_is_counted() -> None:
    """Unknown is not failed."""
    a = sample("a", result("x", True), result("y", True))
    b = sample("b", result("x", True), result("y", None))
    found = compared(a, b)

    assert found.b.ungraded == 1
    assert metric(found, "pass_rate").n == 1
    assert [case.change for case in found.cases] == ["same", "unknown"]


@pytest.mark.parametrize(
    "broken",
    [
        {"status": "error", "failures": [{"type": "timeout", "message": "too slow"}]},
        {"exitInfo": {"timedOut": True}},
        {"errors": ["the agent exited with code 1"], "output": ""},
    ],
)
def test_what_gave_no_answer_is_in_no_duration(broken: dict[str, Any]) -> None:
    """A crash is fast, and a timeout as long as it was given."""
    a = sample("a", result("x"), result("y"), result("z"))
    b = sample("b", result("x"), result("y"), result("z", ms=60_000, **broken))
    found = compared(a, b)

    assert found.b.unanswered == 1
    assert metric(found, "duration_ms").verdict == "tie"
    assert metric(found, "tool_calls").n == 2


def test_what_is_not_known_on_both_sides_is_named() -> None:
    """No figure is made up for it."""
    usage = {"tokensIn": 10, "tokensOut": None, "costUsd": None}
    found = compared(sample("a", result("t", usage=usage)), sample("b", result("t")))

    assert found.unknown == ("pass_rate", "score", "tokens_in", "tokens_out", "cost_usd")


def test_a_verdict_needs_a_chance_that_is_small_after_adjusting() -> None:
    """Of several metrics one is below 0.05 by chance now and then."""
    a = tried("a", [False] * 6 + [True] * 14)
    b = tried("b", [True] * 20)
    found = compared(a, b)
    rate = metric(found, "pass_rate")

    assert rate.p == 0.03125
    assert rate.p_adjusted == 0.0625, "the score differs just so"
    assert rate.verdict == "no_difference_shown"


def test_less_is_better_but_for_rates_and_scores() -> None:
    """The sign of a change does not say who is better."""
    few, many = ([call()] * 1, [call()] * 9)
    a = sample("a", *(result(f"t{n}", False, 900 + n, trajectory=many) for n in range(12)))
    b = sample("b", *(result(f"t{n}", True, 300 + 2 * n, trajectory=few) for n in range(12)))
    found = compared(a, b)

    verdicts = {one.id: one.verdict for one in found.metrics}
    assert verdicts == {
        "pass_rate": "better_b",
        "score": "better_b",
        "duration_ms": "better_b",
        "tool_calls": "better_b",
        "tool_errors": "tie",
    }


def test_a_task_at_the_same_rate_changes_by_its_score() -> None:
    """Passing better is better."""
    a = sample("a", result("t", score={"pass": True, "score": 0.6}))
    b = sample("b", result("t", score={"pass": True, "score": 0.9}))

    assert [case.change for case in compared(a, b).cases] == ["better"]


def test_more_than_two_are_compared_with_the_first_and_adjusted_together() -> None:
    """Every comparison makes more tests, and each has to be surer."""
    a = tried("a", [False] * 9 + [True] * 11)
    b, c = tried("b", [True] * 20), tried("c", [True] * 20)
    alone, (one, other) = compared(a, b), compare_samples(a, [b, c])

    assert (one.a.name, one.b.name, other.a.name, other.b.name) == ("a", "b", "a", "c")
    first, second = metric(alone, "pass_rate").p_adjusted, metric(one, "pass_rate").p_adjusted
    assert first is not None
    assert second == pytest.approx(2 * first)


def test_very_many_tasks_are_compared_by_students_test() -> None:
    """Sign flips on a grid would lose what a thousand tasks and more tell."""
    a = sample("a", *(result(f"t{n}", trajectory=[call()] * (n % 3)) for n in range(1501)))
    b = sample("b", *(result(f"t{n}", trajectory=[call()] * (n % 3 + 1)) for n in range(1501)))
    found = metric(compared(a, b), "tool_calls")

    assert found.test == "paired_t"
    assert found.verdict == "better_a"


@st.composite
def trials(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw a few trials of a few tasks."""
    lines = []
    for id in draw(st.lists(st.sampled_from("uvwxyz"), min_size=1, max_size=12)):
        score = draw(st.none() | st.integers(0, 8).map(lambda n: n / 8))
        cost = draw(st.none() | st.sampled_from([0.0, 0.1, 0.0021]))
        more = {} if score is None else {"score": {"pass": score > 0.4, "score": score}}
        usage = {"tokensIn": draw(st.none() | st.integers(0, 99)), "costUsd": cost}
        steps = [call(draw(st.sampled_from(["completed", "failed"])))] * draw(st.integers(0, 2))
        ms = draw(st.integers(0, 50))
        lines.append(result(id, ms=ms, usage=usage, trajectory=steps, **more))
    return lines


@given(trials())
def test_the_same_results_are_a_tie(lines: list[dict[str, Any]]) -> None:
    """No difference, no doubt, and no task that changed."""
    found = compared(sample("a", *lines), sample("b", *lines))

    assert {one.verdict for one in found.metrics} == {"tie"}
    assert all(one.difference in (0, None) and one.ratio in (1, None) for one in found.metrics)
    assert all(one.p == one.p_adjusted == 1 for one in found.metrics)
    assert {case.change for case in found.cases} <= {"same", "unknown"}


@given(trials(), trials())
def test_swapped_sides_are_mirrored(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    """Signs turn, ratios are inverted, intervals are mirrored; chances stay to the last digit."""
    shared = result("shared")
    a, b = sample("a", *one, shared), sample("b", *other, shared)
    found, turned = compared(a, b), compared(b, a)

    assert (found.a, found.b) == (turned.b, turned.a)
    assert (found.tasks.only_a, found.tasks.only_b) == (turned.tasks.only_b, turned.tasks.only_a)
    for metric, mirror in zip(found.metrics, turned.metrics, strict=True):
        assert (metric.p, metric.p_adjusted, metric.test) == (
            mirror.p,
            mirror.p_adjusted,
            mirror.test,
        )
        assert (metric.a, metric.b) == (mirror.b, mirror.a)
        assert metric.detectable == mirror.detectable
        assert SWAPPED.get(metric.verdict, metric.verdict) == mirror.verdict
        _check_mirrored(metric, mirror)
    for case, again in zip(found.cases, turned.cases, strict=True):
        assert TURNED.get(case.change, case.change) == again.change


def _check_mirrored(metric: Metric, mirror: Metric) -> None:
    if metric.difference is not None and mirror.difference is not None:
        assert metric.difference == -mirror.difference
        assert metric.ci == (mirror.ci and (-mirror.ci[1], -mirror.ci[0]))
        return
    assert metric.ratio is not None
    assert mirror.ratio is not None
    assert metric.ratio * mirror.ratio == pytest.approx(1)
    if metric.ci is None or mirror.ci is None:
        assert metric.ci == mirror.ci
        return
    assert metric.ci[0] * mirror.ci[1] == pytest.approx(1)


@given(trials(), trials(), st.randoms(use_true_random=False))
def test_the_order_of_lines_plays_no_part(
    one: list[dict[str, Any]], other: list[dict[str, Any]], chance: Any
) -> None:
    """Results end in whatever order their agents do."""
    shared = result("shared")
    found = compared(sample("a", *one, shared), sample("b", *other, shared))
    chance.shuffle(one)

    assert compared(sample("a", shared, *one), sample("b", *other, shared)) == found
