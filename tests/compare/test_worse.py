"""The verdict on B beside A."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.captures import result, sample
from runledger.compare.samples import compare_samples
from runledger.ledger.comparison import Comparison


def passing(before: list[bool], now: list[bool]) -> Comparison:
    """Compare tasks of one trial each, which take equally long."""
    a = sample("a", *(result(f"t{n}", one) for n, one in enumerate(before)))
    b = sample("b", *(result(f"t{n}", one) for n, one in enumerate(now)))
    return compare_samples(a, [b])[0]


def test_a_drop_beyond_chance_fails() -> None:
    """Ten tasks of twenty that all fail now."""
    found = passing([True] * 20, [False] * 10 + [True] * 10)

    assert found.verdict == "fail"
    assert found.reason == (
        "B passes less often than A, beyond chance: adjusted p 0.0039, over 20 tasks"
    )


def test_a_drop_that_may_be_chance_is_inconclusive() -> None:
    """It says how many tasks like these would decide."""
    found = passing([True] * 20, [False] * 3 + [True] * 17)

    assert found.verdict == "inconclusive"
    assert found.reason == (
        "B passes less often than A, but this may be chance; "
        "about 27 further tasks like these would decide"
    )
    assert passing([True] * 40, [False] * 6 + [True] * 34).verdict == "inconclusive"
    assert passing([True] * 47, [False] * 7 + [True] * 40).verdict == "fail"


@pytest.mark.parametrize("now", [[True] * 8, [True] * 4 + [False] * 4])
def test_what_is_not_lower_passes(now: list[bool]) -> None:
    """Whether it is better or just the same."""
    found = passing([True] * 4 + [False] * 4, now)

    assert found.verdict == "pass"
    assert found.reason == "B passes no less often than A, over 8 tasks"


def test_few_tasks_can_show_no_drop() -> None:
    """Nothing speaks against B, and nothing could."""
    found = passing([True] * 3, [True] * 3)

    assert found.verdict == "inconclusive"
    assert found.reason == (
        "B passes no less often than A, over 3 tasks: too few to show a drop; "
        "3 further tasks would decide"
    )


def test_five_tasks_that_all_break_may_be_chance() -> None:
    """All of so few fall one way in more than one of twenty cases."""
    found = passing([True] * 5, [False] * 5)

    assert found.verdict == "inconclusive"
    assert "this may be chance" in found.reason


def test_without_grades_nothing_is_told() -> None:
    """Durations alone make B neither good nor bad."""
    a, b = (sample(name, *(result(f"t{n}") for n in range(8))) for name in "ab")

    assert compare_samples(a, [b])[0].verdict == "inconclusive"
    assert compare_samples(a, [b])[0].reason == (
        "nothing was graded on both sides: whether B is worse cannot be told"
    )


def test_a_lower_score_at_the_same_rate_is_told() -> None:
    """The rate decides; the score is named."""
    a, b = (
        sample(name, *(result(f"t{n}", score={"pass": True, "score": score}) for n in range(9)))
        for name, score in (("a", 0.9), ("b", 0.7))
    )
    found = compare_samples(a, [b])[0]

    assert found.verdict == "pass"
    assert found.reason == (
        "B passes no less often than A, over 9 tasks; yet it scores lower, beyond chance"
    )


def test_tasks_judged_on_one_side_only_are_told() -> None:
    """The verdict is over those that both sides judged."""
    a = sample("a", *(result(f"t{n}", True) for n in range(8)))
    b = sample("b", *(result(f"t{n}", True if n < 6 else None) for n in range(8)))

    assert compare_samples(a, [b])[0].reason == ("B passes no less often than A, over 6 of 8 tasks")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_a_failure_is_always_a_drop_and_never_of_few(pairs: list[tuple[bool, bool]]) -> None:
    """And swapped sides never fail both."""
    found = passing([a for a, _ in pairs], [b for _, b in pairs])
    swapped = passing([b for _, b in pairs], [a for a, _ in pairs])

    assert not (found.verdict == swapped.verdict == "fail")
    if found.verdict == "fail":
        assert found.metrics[0].b < found.metrics[0].a
        assert len(pairs) >= 6
        assert swapped.verdict == "pass"
    if found.verdict == "pass":
        assert found.metrics[0].b >= found.metrics[0].a
