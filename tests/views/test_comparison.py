"""Comparisons as text, as Markdown and for programs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from compare.captures import call, result, sample
from compare.rows import HOSTILE
from runledger.compare.samples import compare_samples
from runledger.ledger.comparison import Comparison, Metric
from runledger.ledger.printable import columns
from runledger.views.comparison import render_json, render_markdown, render_text
from runledger.views.figures import change, figure, how_sure, interval
from runledger.views.look import Look

USAGE = {"tokensIn": 1200, "tokensOut": 300, "costUsd": 0.0021}


def colourful() -> tuple[Comparison, ...]:
    """Compare two samples in which nearly everything happens."""
    a = sample(
        "before.jsonl",
        *(result(f"t{n:02}", n > 9, 900 + n, usage=USAGE) for n in range(20)),
        result("gone", True),
        result("edited", True),
        result(HOSTILE, False),
        result("crashed", False, errors=["it crashed"], output=""),
    )
    b = sample(
        "after.jsonl",
        *(result(f"t{n:02}", n != 15, 300 + 2 * n, trajectory=[call()] * n) for n in range(20)),
        result("new", True),
        result("edited", True, input="something else"),
        result(HOSTILE, True),
        result("crashed", None),
    )
    return compare_samples(a, [b])


def measured(**fields: object) -> Metric:
    """Make a metric with these fields, the rest of it plain."""
    plain = Metric(
        id="pass_rate",
        unit="share",
        a=0.5,
        b=0.75,
        difference=0.25,
        ratio=None,
        ci=(-0.05, 0.55),
        p=0.123,
        test="mcnemar",
        n=20,
        detectable=0.3,
        verdict="no_difference_shown",
        p_adjusted=0.246,
    )
    return replace(plain, **fields)  # type: ignore[arg-type]


def test_the_text_tells_figures_changes_and_what_is_left_out() -> None:
    """A person sees who is better, in what, and which tasks made it so."""
    text = render_text(colourful())
    flat = " ".join(text.split())

    assert "A before.jsonl: 24 tasks, 24 trials" in flat
    assert "B after.jsonl: 24 tasks, 24 trials" in flat
    assert "pass: B passes no less often than A, over 21 of 22 tasks" in flat
    assert "duration 914 ms 337 ms ×0.37" in flat
    assert "better B" in flat
    assert "worse in B: t15 (passed → failed)" in flat
    assert "t00 (failed → passed)" in flat
    assert "only in A: gone" in flat
    assert "only in B: new" in flat
    assert "not compared, since their input is another: edited" in flat
    assert "B: 1 of 24 trials not judged, and in no pass rate or score" in flat
    assert "A: 1 of 24 trials unanswered: only in pass rate and score" in flat
    assert "not known on both sides: tokens in, tokens out, cost" in flat
    assert "adjusted for" in flat


def test_the_text_fits_80_columns_and_is_harmless() -> None:
    """Whatever an agent's prompts are called, a line neither runs over nor commands anybody."""
    text = render_text(colourful())

    assert max(map(columns, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    assert "##[" not in text


@pytest.mark.parametrize("size", [1e-7, 0.004, 3.0, 12345.678, 123_456.0, 9_876_543.0])
@pytest.mark.parametrize("unit", ["tokens", "usd", "calls"])
def test_figures_of_any_size_fit_their_column(size: float, unit: str) -> None:
    """Nine columns for a figure with the space before it, ten for a change."""
    wide = measured(unit=unit, a=size, b=size, difference=-size, ci=(-size, size))

    assert len(figure(size, wide.unit)) <= 8
    assert len(change(wide)) <= 9
    assert len(interval(wide)) <= 20


@pytest.mark.parametrize("ms", [3.0, 59_000.0, 5_990_000.0, 98_765_432.0])
def test_durations_of_any_length_fit_their_column(ms: float) -> None:
    """Agents that work for days are told in hours."""
    assert len(figure(ms, "ms")) <= 8


def test_a_rate_changes_in_points_and_a_duration_by_a_factor() -> None:
    """A percentage of a percentage would be misread."""
    assert change(measured()) == "+25.0 pts"
    assert interval(measured()) == "−5.0 to +55.0 pts"
    ratio = measured(unit="ms", difference=None, ratio=0.5, ci=(0.4, 0.625))
    assert change(ratio) == "×0.50"
    assert interval(ratio) == "×0.40 to ×0.62"
    assert change(replace(ratio, ratio=1e9)) == "×>1,000"


def test_what_a_verdict_rests_on_is_told() -> None:
    """The test, the tasks, both chances, and what could have been seen."""
    assert how_sure(measured()) == (
        "exact McNemar test, 20 tasks: p 0.12 (adjusted 0.25); smallest detectable change 30.0 pts"
    )
    lone = measured(n=1, p=1.0, verdict="tie", p_adjusted=1.0, detectable=None, ci=None)
    assert how_sure(lone) == "exact McNemar test, 1 task: p 1"
    assert interval(lone) == "-"
    assert "p <0.0001" in how_sure(measured(p=1e-9))


def test_many_tasks_that_changed_are_counted() -> None:
    """The first twenty are named, those that pass or fail before those that score."""
    score = {"pass": False, "score": 0.5}
    a = sample("a", *(result(f"t{n:02}", False) for n in range(30)))
    b = sample("b", result("t00", score=score), *(result(f"t{n:02}", True) for n in range(1, 30)))
    text = " ".join(render_text(compare_samples(a, [b])).split())

    assert "better in B: t01 (failed → passed)" in text
    assert "t20 (failed → passed) and 10 more" in text


def test_the_markdown_holds_the_same_and_no_foreign_markup() -> None:
    """Names of any origin are code, in tables and lists of ours."""
    text = render_markdown(colourful())

    assert "- **A** `before.jsonl`: 24 tasks, 24 trials" in text
    assert "\n**pass**: B passes no less often than A, over 21 of 22 tasks\n" in text
    assert "| duration | 914 ms | 337 ms | ×0.37 |" in text
    assert "- only in A: `gone`" in text
    assert "- worse in B: `t15` (passed → failed)" in text
    assert "<img" not in text.replace("`", "\n").splitlines()
    assert "\x1b" not in text


def test_the_json_is_the_published_shape() -> None:
    """Programs get every figure, and null where nobody knows."""
    found = json.loads(render_json(colourful()))

    assert found["schema_version"] == 1
    assert list(found) == [
        "schema_version",
        "a",
        "b",
        "verdict",
        "reason",
        "tasks",
        "metrics",
        "unknown",
        "cases",
    ]
    assert found["verdict"] == "pass"
    assert found["reason"] == "B passes no less often than A, over 21 of 22 tasks"
    assert found["tasks"] == {
        "paired": 22,
        "only_a": ["gone"],
        "only_b": ["new"],
        "changed": ["edited"],
    }
    assert set(found["metrics"][0]) == {
        "id",
        "unit",
        "a",
        "b",
        "difference",
        "ratio",
        "ci",
        "p",
        "p_adjusted",
        "test",
        "n",
        "detectable",
        "verdict",
        "note",
    }
    assert found["unknown"] == ["tokens_in", "tokens_out", "cost_usd"]
    assert found["cases"][-1] == {
        "id": "t19",
        "a": {"n": 1, "graded": 1, "passed": 1, "score": 1.0, "duration_ms": 919.0},
        "b": {"n": 1, "graded": 1, "passed": 1, "score": 1.0, "duration_ms": 338.0},
        "change": "same",
    }


def test_several_comparisons_are_a_list() -> None:
    """Each further set of results beside the first."""
    a, b, c = (sample(name, result("t", True)) for name in "abc")
    found = json.loads(render_json(compare_samples(a, [b, c])))

    assert [one["b"]["name"] for one in found["comparisons"]] == ["b", "c"]
    assert render_text(compare_samples(a, [b, c])).count("95% interval") == 2


def test_views_made_again_are_the_same() -> None:
    """There is no clock and no randomness in them."""
    for render in (render_text, render_markdown, render_json):
        assert render(colourful()) == render(colourful())


def test_colours_are_only_where_they_are_wanted() -> None:
    """A verdict stands out in a terminal."""
    assert "\x1b[32m" in render_text(colourful(), Look(colour=True))
