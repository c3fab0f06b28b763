"""results.md: the verdict first, then the tables of the seed, then how far to trust them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from compare.rows import HOSTILE
from runledger.ledger.attempt import Counts, Reported
from runledger.ledger.experiment import ExperimentGate
from runledger.ledger.findings import BenchRecord, Findings, GateFinding
from runledger.ledger.usage import Usage
from runledger.views.experiment import results, scenarios
from runledger.views.markup import prose
from views.experiment_kit import (
    Bench,
    all_over,
    bench,
    discarded,
    experiment,
    findings,
    retried,
    slots,
    task,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), min_size=1)
MARKS = st.text("`|\\<>&@#*_~[]()! \n\t-+=1.$:/w", min_size=1)
MARKUP = (
    "``` ```` ` `` ~~~ | \\| @octocat #1 <b> [a](http://x.y) ![i](j)\n```\n# heading\n- item\n"
    "> quote\n| a | b |\n|---|---|\n<script>alert(1)</script>\n\nwww.example.org $x^2$ **bold** "
    "__it__ ~~gone~~ &lt; <!-- https://example.org"
)
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = {"text", "code_inline", "strong_open", "strong_close"}


def rendered(ran: Bench) -> str:
    """Write results.md of an experiment."""
    return results.render(ran.record, ran.findings)


def with_findings(**more: Any) -> str:
    """Write results.md of an experiment with other findings."""
    ran = bench()
    return results.render(ran.record, replace(ran.findings, **more))


def with_attempts(**more: Any) -> str:
    """Write results.md of an experiment whose attempts are all changed like this."""
    record = bench(2).record
    changed = replace(record, attempts=tuple(replace(one, **more) for one in record.attempts))
    return results.render(changed, findings(changed))


def blocks(text: str) -> list[str]:
    """List the blocks that a Markdown text is made of, after a look at what is in its lines."""
    tokens = PARSER.parse(text)
    within = {one.type for token in tokens for one in token.children or ()}
    assert within <= OURS
    return [token.type for token in tokens]


def test_the_verdict_comes_first() -> None:
    """Seed 004 section 6: who reads one sentence has read the result."""
    text = rendered(bench())

    assert text.split("\n\n")[:2] == [
        "# Results: `lens-context`",
        "**Go: `with` scores 16.7 points higher than `without` (95% interval 3.2 to 30.1, "
        "6 tasks).**",
    ]


def test_scores_are_rounded_for_the_eye_only() -> None:
    """Seed 004 section 4: rounded to the nearest 5%; means and differences are not."""
    text = rendered(bench())

    assert "| task | `without` | `with` | `with` − `without` |" in text
    assert "| `t2` | 60% (1/1/1) | 85% (1/2/0) | +25.0 pts |" in text
    assert "| **mean** | **65.3%** | **86.1%** | **+20.8 pts** |" in text


def test_completion_is_by_the_score_before_rounding() -> None:
    """Seed 004 section 4: complete at 80% and above."""
    text = rendered(bench())

    assert "| `t2` | no | yes |" in text
    assert "| **rate** | **33.3%** | **66.7%** |" in text
    assert "A task is complete at a score of 80%, before rounding." in text


def test_the_summary_sets_conditions_side_by_side() -> None:
    """Seed 004 section 6: all that the runs took, and how many of them count."""
    asked = experiment()
    first = slots(asked)[0]
    text = rendered(bench(extra=[retried(asked, first), discarded(asked, slots(asked)[3])]))

    for row in (
        "| duration, geometric mean | 43.0 s | 37.8 s |",
        "| tool calls | 13 | 11 |",
        "| tokens | 12,800 | 11,800 |",
        "| cost of a run | $0.0421 | $0.0381 |",
        "| runs counted | 6 of 6 | 6 of 6 |",
        "| retried | 0 | 1 |",
        "| discarded | 0 | 1 |",
    ):
        assert row in text


def test_what_nobody_knows_has_no_row() -> None:
    """Unknown is not zero."""
    text = with_attempts(counts=Counts(), reported=Reported(), usage=Usage(), model=None)

    assert "| turns |" not in text
    assert "| cost of a run |" not in text
    assert "## Reported against counted" not in text
    assert "hold for this model only" not in text
    assert "Model: not told." in text


def test_effects_tell_how_sure_they_are() -> None:
    """Difference, interval, ratio, test, p, tasks, wins and the smallest detectable difference."""
    text = rendered(bench())

    assert (
        "| score | 65.3% | 86.1% | +20.8 pts | +7.8 to +33.8 pts | - | sign flips | 0.031 | 0.062 "
        "| 6 | 4/0/2 | 21.5 pts |"
    ) in text
    assert "| −5.2 s | −9.0 s to −1.5 s | ×0.88 (×0.81 to ×0.95) | t on ratios | <0.0001 |" in text


@pytest.mark.parametrize(
    ("gate", "shown"),
    [
        (ExperimentGate("score", min_difference=0.0), "score: at least 0 pts"),
        (ExperimentGate("completion", min_difference=-2.5), "completion: at least −2.5 pts"),
        (ExperimentGate("tool_calls", max_difference=0.0), "tool calls: at most 0"),
        (ExperimentGate("duration_s", max_difference=12.0), "duration: at most +12.0 s"),
        (ExperimentGate("cost_usd", max_difference=-0.25), "cost: at most −$0.2500"),
    ],
)
def test_a_gate_is_told_with_its_rule(gate: ExperimentGate, shown: str) -> None:
    """In words, with the unit of its metric."""
    found = GateFinding(gate, "with", "inconclusive", None, None, further_tasks=1)
    text = with_findings(gates=(found,))

    assert f"| {shown} | `with` | **inconclusive** | - | - | about 1 further task would" in text


def test_a_gate_on_clusters_asks_for_clusters() -> None:
    """More tasks of the same would not decide."""
    gate = ExperimentGate("score", min_difference=0.0)
    found = GateFinding(
        gate, "with", "inconclusive", None, None, further_tasks=12, further_clusters=3
    )

    assert "| - | - | about 3 further clusters would decide |" in with_findings(gates=(found,))


def test_a_gate_says_no_go() -> None:
    """Texts say go and no-go, JSON pass and fail."""
    gate = ExperimentGate("score", min_difference=5.0)
    text = with_findings(gates=(GateFinding(gate, "with", "fail", 1.0, (-1.0, 3.0), note="so"),))

    assert (
        "| score: at least +5 pts | `with` | **no-go** | +1.0 pts | −1.0 to +3.0 pts | so |" in text
    )


def test_reports_are_held_against_counts() -> None:
    """Seed 004 section 3: the self-report is a column beside what was counted."""
    text = rendered(bench(2))

    assert "- tool calls: 2 of 4 reports agree with the count; mean difference 0.5" in text
    assert "| `t1` | `without` | 13 | 13 | 9 | 9 |\n| `t1` | `with` | 10 | 11 | 7 | 7 |" in text


def test_discards_are_told_with_their_causes() -> None:
    """Seed 004 section 7: who was discarded, and why."""
    asked = experiment()
    text = rendered(bench(extra=[discarded(asked, slots(asked)[0], "prefix_failed", "no daemon")]))

    assert "| `with` | 6 | 6 | 7 | 0 | prefix command failed once | 0 |" in text
    assert "- `t1` `with`, attempt 1: prefix command failed: `no daemon`" in text


def test_results_hold_for_their_model_only() -> None:
    """Seed 004 section 5: the model and the version are told, and that they are the scope."""
    text = rendered(bench())

    assert "Model: `glm-5`. Version of the agent: `2.1.197`." in text
    assert "- These results hold for this model only: `glm-5`." in text


def test_judges_are_compared() -> None:
    """Kappa with its interval, and every criterion on which they differ."""
    text = rendered(bench())

    assert "| `j1`, `j2` | 24 | 21 | 0.74 | 0.50 to 0.98 |" in text
    assert "- `t2` `without` `c2`: `j1` met, `j2` partial" in text


def test_criteria_are_told_with_quotes() -> None:
    """The last tables show each verdict with the words that it rests on."""
    text = rendered(bench())

    assert "| `c1` names the file src/part3_1.py | `without` | met | `It names the file" in text
    assert "|  | `with` | `j1` met, `j2` partial | `It names the file src/part2_3.py.` |" in text
    assert "| `c3` names the file src/part3_3.py | `without` | missed |  |" in text


def test_a_void_verdict_says_why() -> None:
    """It is no verdict, and what voids it stands where the quote would."""
    record = bench(1).record
    void = tuple(
        replace(one, void="the quote is not in the output") if one.judge == "j2" else one
        for one in record.verdicts
    )
    changed = replace(record, verdicts=void)
    text = results.render(changed, findings(changed))

    assert "`j1` met, `j2` void" in text


def test_a_run_without_verdicts_has_no_score() -> None:
    """What is not judged yet is a dash, and counted."""
    record = replace(bench(2).record, verdicts=())
    text = results.render(record, findings(record))

    assert "| `t1` | - (0/0/0, 3 open) | - (0/0/0, 3 open) | - |" in text
    assert "| `t1` | - | - |" in text
    assert "4 runs not judged in full, and without a score." in text
    assert "## Criteria" not in text


def test_several_trials_are_averaged() -> None:
    """Cells show the mean of the trials, and how many of them are complete."""
    text = rendered(bench(2, trials=3))

    assert "| `t1` | 100% (9/0/0) | 100% (9/0/0) | 0.0 pts |" in text
    assert "| `t1` | 3 of 3 | 3 of 3 |" in text
    assert "| `t1 t3` | `with` |" in text


def test_three_conditions_are_each_held_against_the_baseline() -> None:
    """A table of effects for each of them."""
    text = rendered(bench(3, ("plain", "hints", "docs")))

    assert "| task | `plain` | `hints` | `docs` | `hints` − `plain` | `docs` − `plain` |" in text
    assert text.count("| metric | `plain` |") == 2


def test_a_plan_has_results_too() -> None:
    """They say that nothing has run, and hold no empty tables."""
    none: dict[str, Any] = {"attempts": (), "verdicts": (), "launches": (), "firsts": ()}
    record: BenchRecord = bench(more={**none, "status": "planned"}).record
    found: Findings = replace(findings(record), notes=(), order=(), sentence="Nothing ran.")
    text = results.render(record, found)

    assert "Nothing has run yet." in text
    assert "## " not in text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"status": "interrupted"},
            "The experiment was interrupted: these are the results so far.",
        ),
        (
            {"status": "invalid", "stopped": "too many discards"},
            "The experiment is not valid. Why: too many discards.",
        ),
        ({"stopped": "decided early"}, "It stopped before the end of its plan: decided early."),
    ],
)
def test_an_experiment_that_did_not_end_well_says_so(more: dict[str, Any], said: str) -> None:
    """Before any table."""
    assert said in rendered(bench(more=more)).partition("## ")[0]


def test_looking_early_is_told() -> None:
    """The e-value, and from where on it decides."""
    assert "| `with` | 4 | 1 | 1.07 | 20 | no |" in rendered(bench(more={"sequential": True}))


def test_long_criteria_are_cut() -> None:
    """Nobody reads ten thousand characters in a cell."""
    long = task(1)
    criteria = (replace(long.criteria[0], text="word " * 2000), *long.criteria[1:])
    text = rendered(bench([replace(long, criteria=criteria)]))

    assert len(text) < 10_000
    assert "…" in text


def test_thousands_of_verdicts_stay_bounded() -> None:
    """The tables of criteria end somewhere, and say where the others are."""
    text = rendered(bench(400))

    assert text.count("### `t") == 333
    assert "_67 more tasks: their verdicts are in summary.json._" in text


def test_many_discards_are_counted() -> None:
    """The first hundred are listed."""
    asked = experiment(1)
    text = rendered(bench(1, extra=[discarded(asked, slots(asked)[0])] * 130))

    assert "- … 30 more discards" in text


@pytest.mark.parametrize("text", [MARKUP, HOSTILE])
def test_text_that_looks_like_markup_changes_nothing(text: str) -> None:
    """Fences, tables, tags, links and mentions of somebody else stay text."""
    plain, ours = all_over("x"), all_over(text)

    assert blocks(rendered(ours)) == blocks(rendered(plain))
    assert blocks(scenarios.render(ours.record)) == blocks(scenarios.render(plain.record))
    assert not {"\x1b", "\x9b", "\u202e"} & {*rendered(ours)}


@given(text=ANY_TEXT | MARKS)
def test_any_text_stays_text(text: str) -> None:
    """No text leaves the place it is set in."""
    plain, ours = all_over("x"), all_over(f"x{text}")

    assert blocks(rendered(ours)) == blocks(rendered(plain))
    assert blocks(scenarios.render(ours.record)) == blocks(scenarios.render(plain.record))


@given(text=ANY_TEXT | MARKS)
def test_prose_is_one_paragraph(text: str) -> None:
    """Wherever it begins, it is words and code, and begins no list, heading or rule."""
    assert blocks(prose(text)) in ([], ["paragraph_open", "inline", "paragraph_close"])


def test_prose_keeps_names_in_backticks() -> None:
    """A sentence of ours stays as it was written."""
    said = "Go: `with` scores 16.7 points higher (95% interval −3.2 to 30.1, tool_calls 3.5)."

    assert prose(said) == said


def test_made_again_it_is_the_same() -> None:
    """Results come from the record and the findings alone."""
    assert rendered(bench(3, trials=2)) == rendered(bench(3, trials=2))
