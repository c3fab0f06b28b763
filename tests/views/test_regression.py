"""A run beside its baseline, as people and CI servers read it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.rows import HOSTILE, record, row, short_of
from runledger.compare.promote import baseline_of
from runledger.compare.rates import summarize
from runledger.compare.regression import regression_of
from runledger.ledger.baseline import Baseline
from runledger.ledger.printable import columns
from runledger.ledger.regression import CaseChanges, Check, Regression
from runledger.ledger.run import RunRecord, Summary
from runledger.ledger.suite import Thresholds
from runledger.views import junit, terminal
from runledger.views.look import Look
from runledger.views.regression import render_json, render_markdown, render_text
from runledger.views.report.overview import overview_of

ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\r\n\t :#[|`<@\x1b"))
COLOURS = re.compile("\x1b\\[\\d+m")
CODE = re.compile("(?<!`)(`+)(?!`)[^\n]*?(?<!`)\\1(?!`)")
RUN_ID = "20260215-101530-a1b2c3"
BASELINE = baseline_of(summarize(record(*(row(f"c{n}") for n in range(5)))))
LIMITS = Thresholds(min_success_rate=1.0, max_avg_wall_ms_delta_pct=25)


def compared(run: RunRecord, baseline: Baseline = BASELINE) -> Summary:
    """Hold a run against a baseline and put what is found into its ending."""
    found = regression_of(summarize(run), baseline)
    return summarize(replace(run, ending=replace(run.ending, regression=found, baseline=baseline)))


def four_of_five() -> Summary:
    """Make a run in which a case fails that passed before, and the others are slower."""
    rows = [row(f"c{n}", ms=620) for n in range(4)]
    return compared(record(*rows, short_of("c4"), thresholds=LIMITS))


def found_in(summary: Summary) -> Regression:
    """Give what a comparison found."""
    assert summary.record.ending.regression is not None
    return summary.record.ending.regression


def test_the_report_tells_every_check() -> None:
    """The verdict first, then one line each with its figures."""
    assert render_text(found_in(four_of_five()), BASELINE) == (
        f"FAIL  worse than the baseline {RUN_ID}\n"
        "  FAIL  success rate 100% → 80% (−20 points, at least 100% asked for)\n"
        "  FAIL  1 case passed before and fails now: c4\n"
        "  PASS  no case of the baseline is missing\n"
        "  WARN  average duration 400 ms → 576 ms (+44%, at most +25% allowed)\n"
        "        only a warning in replay mode, unless the suite says latency_gate: fail\n"
        "  PASS  suite.yaml is the baseline's\n"
        "  skipped: max_p95_wall_ms_delta_pct (not set)\n"
    )


def test_cases_that_came_and_got_better_are_told() -> None:
    """Good news is news."""
    before = baseline_of(summarize(record(short_of("a"), row("gone"))))
    text = render_text(found_in(compared(record(row("a"), row("new")), before)), before)

    assert "  FAIL  1 case of the baseline is missing: gone\n" in text
    assert "  failed before, pass now: a\n" in text
    assert "  not in the baseline: new\n" in text


def test_another_suite_file_is_told_once() -> None:
    """The line of its check is the note."""
    text = render_text(found_in(compared(record(row("a"), suite_sha256="other"))), BASELINE)

    assert text.count("suite.yaml has changed since the baseline was made") == 1


def test_an_interval_stands_beside_its_change() -> None:
    """Rates in points, durations in percent."""
    rate = Check("min_success_rate", "warn", 0.95, 0.875, -0.075, 0.9, (-0.2, 0.05), "chance")
    slow = Check("max_avg_wall_ms_delta_pct", "fail", 1000.4, 1500.6, 50.0, 25, (10.04, 1205.0))
    text = render_text(Regression("inconclusive", (rate, slow)), None, Look(width=120))

    assert text == (
        "INCONCLUSIVE  baseline: too little evidence for a verdict\n"
        "  WARN  success rate 95% → 87.5%"
        " (−7.5 points, 98% interval −20 to +5 points, at least 90% asked for)\n"
        "        chance\n"
        "  FAIL  average duration 1.0 s → 1.5 s"
        " (+50%, 98% interval +10 to +1,205%, at most +25% allowed)\n"
    )


def test_a_run_shows_only_what_is_not_well() -> None:
    """It stands right below the verdict, and says nothing twice."""
    text = terminal.render(four_of_five())

    assert text.startswith(
        "FAILED  support-triage  4 of 5 cases passed  1.2 s\n"
        f"  worse than the baseline {RUN_ID}\n"
        "  FAIL  success rate 100% → 80% (−20 points, at least 100% asked for)\n"
        "  FAIL  1 case passed before and fails now: c4\n"
        "  WARN  average duration"
    )
    assert "the suite asks for" not in text


def test_a_run_that_is_no_worse_says_so_in_a_line() -> None:
    """More is not needed."""
    text = terminal.render(compared(record(*(row(f"c{n}") for n in range(5)), thresholds=LIMITS)))

    assert text.splitlines()[1:3] == [f"  baseline {RUN_ID}: no regression", ""]


def test_a_run_that_passes_with_failing_cases_says_why() -> None:
    """The suite allows them."""
    before = baseline_of(summarize(record(row("a"), short_of("b"))))
    run = record(row("a"), short_of("b"), min_success_rate=0.5)
    lines = terminal.render(compared(run, before)).splitlines()

    assert lines[0].startswith("PASSED")
    assert lines[2] == "  PASS  success rate 50% → 50% (+0 points, at least 50% asked for)"


def test_many_cases_are_counted() -> None:
    """The first are named."""
    changes = CaseChanges(newly_failing=tuple(f"c{n}" for n in range(1000)))
    check = Check("newly_failing", "fail", current=1000, threshold=0)
    text = render_text(Regression("fail", (check,), changes), None)

    assert "1,000 cases passed before and fail now: c0, c1," in text
    assert "c19 and 980 more" in " ".join(text.split())
    assert all(columns(line) <= 80 for line in text.splitlines())


def test_colours_only_when_asked() -> None:
    """The coloured text is the plain one with colours."""
    found = found_in(four_of_five())
    coloured = render_text(found, BASELINE, Look(colour=True))

    assert coloured.startswith("\x1b[31mFAIL\x1b[0m  worse")
    assert COLOURS.sub("", coloured) == render_text(found, BASELINE)


def test_markdown_is_a_table_and_lists() -> None:
    """For a comment on a pull request."""
    assert render_markdown(found_in(four_of_five()), BASELINE) == (
        f"**fail** beside the baseline `{RUN_ID}`\n"
        "\n"
        "|  | check |\n"
        "| --- | --- |\n"
        "| fail | success rate 100% → 80% (−20 points, at least 100% asked for) |\n"
        "| fail | 1 case passed before and fails now |\n"
        "| pass | no case of the baseline is missing |\n"
        "| warn | average duration 400 ms → 576 ms (+44%, at most +25% allowed) |\n"
        "| skipped | 95th percentile of durations 400 ms → 620 ms (+55%) |\n"
        "| pass | suite.yaml is the baseline's |\n"
        "\n"
        "- max_avg_wall_ms_delta_pct:"
        " `only a warning in replay mode, unless the suite says latency_gate: fail`\n"
        "- max_p95_wall_ms_delta_pct: `not set`\n"
        "- passed before, fail now: `c4`\n"
    )


def test_json_is_the_regression_with_both_names() -> None:
    """The document that `diff --format json` prints."""
    summary = four_of_five()
    document = json.loads(render_json(summary, BASELINE))

    assert list(document) == [
        *("schema_version", "suite_name", "run_id", "baseline_run_id"),
        *("verdict", "checks", "cases"),
    ]
    assert document["checks"][0]["current"] == 0.8
    assert render_json(summary, BASELINE).isascii()


def hostile(text: str) -> tuple[Regression, Baseline]:
    """Make a comparison whose every foreign text is this one."""
    check = Check(text, "warn", note=text)
    named = Check("newly_failing", "fail", current=1, note=text)
    changes = CaseChanges((text,), (text,), (text,), (text,))
    return Regression("fail", (check, named), changes), replace(BASELINE, run_id=text)


@given(ANY_TEXT)
def test_no_text_drives_the_terminal_or_the_runner(text: str) -> None:
    """Names and notes are only text."""
    shown = render_text(*hostile(text))

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]", shown)
    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    assert "##[" not in shown


@given(ANY_TEXT)
def test_no_text_leaves_its_place_in_markdown(text: str) -> None:
    """Every foreign text is code in a line of its own list; without code nothing of it is left."""
    shown = render_markdown(*hostile(text))
    without = CODE.sub("CODE", shown)
    plain = CODE.sub("CODE", render_markdown(*hostile("x" * len(text))))

    assert [line for line in without.split("\n") if not line.startswith(("|", "- "))] == [
        line for line in plain.split("\n") if not line.startswith(("|", "- "))
    ]
    assert len(without.split("\n")) == len(plain.split("\n"))
    assert not re.search("[`<@]", without)


def test_hostile_names_stay_in_their_cells() -> None:
    """A row of the table has two cells, whatever a check is called."""
    rows = [line for line in render_markdown(*hostile(HOSTILE)).split("\n") if line[:1] == "|"]

    assert {row.count("|") for row in rows} == {3}


def suite_of(summary: Summary) -> Element:
    """Read junit.xml back and give its one testsuite."""
    return ElementTree.fromstring(junit.render(summary).encode())[0]


def baseline_test(suite: Element) -> Element:
    """Find the test that stands for the baseline."""
    return next(one for one in suite.iter("testcase") if one.attrib["name"] == "baseline")


def assert_counts_are_true(suite: Element) -> None:
    """Compare what a testsuite says it holds with what it holds."""
    for attribute, tag in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
        assert int(suite.attrib[attribute]) == len(suite.findall(f"testcase/{tag}")), attribute
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))


def test_a_missing_case_fails_in_junit() -> None:
    """No case of the run shows it, so the baseline is a test of its own."""
    suite = suite_of(compared(record(*(row(f"c{n}") for n in range(4)))))
    failure = baseline_test(suite).find("failure")

    assert failure is not None
    assert failure.attrib == {"type": "regression", "message": f"worse than the baseline {RUN_ID}"}
    assert "1 case of the baseline is missing: c4" in (failure.text or "")
    assert_counts_are_true(suite)


def test_no_regression_is_a_passing_test() -> None:
    """A CI server then shows when it began to fail."""
    suite = suite_of(compared(record(*(row(f"c{n}") for n in range(5)))))

    assert list(baseline_test(suite)) == []
    assert_counts_are_true(suite)


def test_too_little_evidence_is_a_skipped_test() -> None:
    """It neither passed nor failed."""
    found = Regression("inconclusive", ())
    suite = suite_of(summarize(record(row("a"), regression=found)))

    assert [child.tag for child in baseline_test(suite)] == ["skipped"]
    assert_counts_are_true(suite)


def test_a_case_called_baseline_is_another_test() -> None:
    """The classes differ."""
    run = record(row("baseline"), regression=Regression("pass", ()))
    tests = [tuple(one.attrib.values())[:2] for one in suite_of(summarize(run)).iter("testcase")]

    assert len(set(tests)) == 2


def test_without_a_baseline_there_is_no_test_for_it() -> None:
    """The file is as it was."""
    assert suite_of(summarize(record(row("a")))).attrib["tests"] == "1"


@pytest.mark.parametrize("name", ["a", HOSTILE])
def test_any_comparison_is_xml(name: str) -> None:
    """Names are only text there, too."""
    found, before = hostile(name)
    run = record(row("a"), regression=found, baseline=before, suite_name=name)

    assert_counts_are_true(suite_of(summarize(run)))


def test_an_interval_without_bounds_is_not_told_to_the_last_digit() -> None:
    """Of two cases little is known, and a figure of thirteen digits would look like knowledge."""
    slow = Check("max_avg_wall_ms_delta_pct", "warn", 31, 100, 224, 100, ci=(-100.0, 2.7e12))

    text = render_text(Regression("inconclusive", (slow,)), None)

    assert "98% interval too wide to tell anything" in " ".join(text.split())


def test_an_end_beyond_sense_is_not_told_to_the_last_digit() -> None:
    """The other end is knowledge all the same."""
    slow = Check("max_avg_wall_ms_delta_pct", "fail", 31, 100, 224, 100, ci=(40.0, 2.7e12))

    text = render_text(Regression("fail", (slow,)), None)

    assert "98% interval +40 to over +9,999%" in " ".join(text.split())


def test_what_may_be_chance_is_not_called_as_it_was() -> None:
    """A case that fails in some trials is named, and only surely failing ones are denied."""
    quiet = Check("newly_failing", "pass", current=0, threshold=0)
    noted = replace(quiet, note="pass less often now: c2 (passed 4 of 4 before, 2 of 4 now)")

    assert "no case fails that passed before" in render_text(Regression("pass", (quiet,)), None)
    assert "no case surely fails that passed before" in render_text(
        Regression("pass", (noted,)), None
    )


def test_a_drop_of_all_together_is_told_without_a_name() -> None:
    """The note says which fell most."""
    together = Check("newly_failing", "fail", current=0, threshold=0, note="most fell: c1")

    assert "FAIL  cases pass less often than before" in render_text(
        Regression("fail", (together,)), None
    )


def test_the_page_writes_figures_in_the_units_of_their_check() -> None:
    """Rates, durations and counts are told apart by the same table as in the terminal."""
    checks = (
        Check("min_success_rate", "fail", 1.0, 0.8, -0.2, 0.95, (-1.0, 1.0)),
        Check("max_avg_wall_ms_delta_pct", "fail", 1000, 1500, 50.0, 25, (10.04, 1205.0)),
        Check("newly_failing", "fail", None, 3, None, 0),
    )
    page = overview_of(summarize(record(row("a"), regression=Regression("fail", checks))))
    shown = [(one.baseline, one.current, one.delta, one.threshold) for one in page.checks]

    assert shown == [
        ("100.0 %", "80.0 %", "-20.0 points (interval too wide to tell anything)", "95.0 %"),
        ("1.0 s", "1.5 s", "+50.0 % (+10.0 % … +1,205.0 %)", "+25.0 %"),
        ("–", "3", "–", "0"),
    ]
