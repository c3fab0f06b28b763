"""The table at the end of trials."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from compare.rows import HOSTILE
from runledger.ledger.printable import columns
from runledger.views.look import PLAIN, Look
from runledger.views.trials import PromptTally, render_trials


def render(rows: Iterable[tuple[str, int, int, int]], k: int, look: Look = PLAIN) -> str:
    """Render prompts whose k trials all ended: id, graded, passed, errors."""
    return render_trials([PromptTally(id, k, *rest) for id, *rest in rows], k, look)


def test_every_k_has_a_row_with_both_chances_and_their_intervals() -> None:
    """Of one prompt the intervals come from its own trials."""
    text = render([("greet", 5, 4, 0)], 5)

    assert "1 prompt, 5 trials of each" in text
    assert "pass rate 80.0% (4 of 5 graded trials passed; 95% interval 37.6% to 96.4%)" in text
    rows = [" ".join(line.split()) for line in text.splitlines() if "%" in line][-5:]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[2] == "3 100.0% 75.6% to 100.0% 40.0% 5.3% to 89.5% 1"


def test_prompts_that_waver_are_named_with_their_counts() -> None:
    """Always and never are steady."""
    text = render([("always", 3, 3, 0), ("never", 3, 0, 0), ("now-and-then", 3, 1, 0)], 3)

    assert "flaky: now-and-then (1 of 3 passed)\n" in text
    assert "always (" not in text


def test_many_flaky_prompts_are_counted() -> None:
    """The first twenty are named."""
    text = render([(f"p{number}", 2, 1, 0) for number in range(25)], 2)

    assert "p19 (1 of 2 passed) and 5 more" in " ".join(text.split())
    assert "p20" not in text


def test_what_was_not_graded_is_in_no_figure_and_counted() -> None:
    """A prompt with too few graded trials leaves the rows of larger k."""
    text = render([("a", 3, 3, 0), ("b", 2, 0, 1)], 3)

    assert "1 of 6 trials ended in an error" in text
    assert "1 of 6 trials not graded" in text
    assert "every prompt weighs the same" in " ".join(text.split())
    assert [line.split()[-1] for line in text.splitlines()[-3:]] == ["2", "2", "1"]


def test_without_a_grader_it_tells_what_was_captured() -> None:
    """Unknown is not 0: there is no rate and no table."""
    text = render([("a", 0, 0, 1), ("b", 0, 0, 0)], 5)

    assert "9 trials captured, 1 ended in an error" in text
    assert "no trial was graded" in text
    assert "%" not in text


def test_prompts_that_came_out_alike_bound_nothing() -> None:
    """An interval without width would promise what nobody knows."""
    text = render([("a", 2, 2, 0), ("b", 2, 2, 0)], 2)

    assert "pass rate 100.0% (4 of 4 graded trials passed)" in text
    assert "-: no interval, since the prompts do not differ" in text
    assert "100.0% to 100.0%" not in text


def test_single_trials_have_a_rate_and_no_table() -> None:
    """Of one trial each, the interval is Wilson's over prompts."""
    text = render([(f"p{number}", 1, number < 8, 0) for number in range(10)], 1)

    assert "pass rate 80.0% (8 of 10 graded trials passed; 95% interval 49.0% to 94.3%)" in text
    assert "pass@k" not in text


@pytest.mark.parametrize("k", [9, 50, 1000])
def test_many_trials_get_a_few_rows(k: int) -> None:
    """They start at one trial, end at all, and lie ever further apart."""
    text = render([("a", k, k // 2, 0), ("b", k, k, 0)], k)
    rows = text.partition("prompts\n")[2].partition("\n\n")[0].splitlines()
    numbers = [int(line.split()[0].replace(",", "")) for line in rows if "%" in line]

    assert numbers[0] == 1
    assert numbers[-1] == k
    assert len(numbers) <= 8


def test_no_prompts_are_no_fault() -> None:
    """There is just nothing to tell."""
    assert render([], 3) == "0 prompts, 3 trials of each\n"


@pytest.mark.parametrize("look", [Look(), Look(colour=True)])
def test_names_of_any_origin_are_harmless(look: Look) -> None:
    """They neither drive a terminal nor command a CI runner, and lines fit in 80 columns."""
    text = render([(HOSTILE, 2, 1, 0), ("::error::x", 2, 1, 0)], 2, look)

    assert "\x1b[31m" not in text
    assert "\x00" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    if not look.colour:
        assert max(map(columns, text.splitlines())) <= 80


def test_trials_that_never_ran_are_not_called_captured() -> None:
    """A run that was stopped says so."""
    text = render_trials([PromptTally("a", 2, 0, 0, 0)], 5)

    assert "3 of 5 trials did not come to an end" in text
    assert "2 trials captured, 0 ended in an error" in text
