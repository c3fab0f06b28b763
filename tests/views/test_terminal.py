"""What a person reads at the end of a run."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.rows import MISS, colourful, record, row, several_trials, short_of
from runledger.compare.rates import summarize
from runledger.ledger.grade import Failure
from runledger.ledger.printable import columns
from runledger.ledger.regression import Regression
from runledger.ledger.run import RunRecord
from runledger.ledger.trajectory import CassetteUse, Exit
from runledger.ledger.usage import Tally, Usage
from runledger.views.look import Look, duration
from runledger.views.terminal import render, verdict_line

ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\r\n\t :#[\x1b"))
COLOURS = re.compile("\x1b\\[\\d+m")


PLAIN = Look()


def shown(run: RunRecord, look: Look = PLAIN, directory: str = "") -> str:
    """Show a run."""
    return render(summarize(run), directory, look)


def test_one_passing_case() -> None:
    """A verdict, the case, the figures, the place; nothing else."""
    assert shown(record(row("greets")), directory="runs/1") == (
        "PASSED  support-triage  1 of 1 case passed  1.2 s\n"
        "\n"
        "  passed   400 ms  greets\n"
        "\n"
        "2 tool calls\n"
        "record: runs/1\n"
        "report: runs/1/report.html\n"
    )


def test_many_passing_cases_are_not_listed() -> None:
    """Three hundred good cases are one line, unless somebody asks."""
    run = record(*(row(f"case-{n:03}") for n in range(300)))

    assert shown(run) == (
        "PASSED  support-triage  300 of 300 cases passed  1.2 s\n\n600 tool calls\n"
    )
    assert shown(run, Look(verbose=True)).count("  passed  ") == 300


def test_a_failing_case_tells_everything() -> None:
    """Passing cases come first, so that failures stand next to the prompt."""
    miss = row("refund", Failure("cassette_miss", MISS), ms=1201)
    noted = replace(miss, cassette=CassetteUse("c", "s", 7, 2, 5, (2, 3)))
    text = shown(record(noted, row("greets"), short_of("answers")))

    assert text == (
        "FAILED  support-triage  1 of 3 cases passed  1.2 s\n"
        "\n"
        "  passed   400 ms  greets\n"
        "\n"
        "  failed    1.2 s  refund\n"
        "    cassette_miss: cassettes/refund.jsonl: no recorded answer for search_docs\n"
        '      {"query":"refund"}\n'
        '      nearest: line 2, differs at $.query: recorded "refund policy", called\n'
        '        "refund"\n'
        "      to ignore it: cassettes: {match: {search_docs: {ignore: [$.query]}}}\n"
        "      to record it:\n"
        "        runledger run examples/support-triage --mode record"
        " --case refund-of-a-late-order\n"
        "      recorded:\n"
        '        line 1 search_docs {"query":"shipping times"}\n'
        '        line 2 search_docs {"query":"refund policy"}\n'
        "        … and 4 more\n"
        "    note: cassette lines 2, 3 matched only through an override\n"
        "\n"
        "  failed   400 ms  answers\n"
        "    assertion_failed: equals: $.x: expected 1, found 2\n"
        "\n"
        "2 failed; 6 tool calls\n"
    )


def test_an_agent_in_error_shows_the_end_of_its_standard_error() -> None:
    """The last lines are what says why."""
    noise = "".join(f"line {n}\n" for n in range(100))
    failure = Failure("agent_exited_early", "the agent exited with code 1")
    text = shown(record(row("a", failure, exit=Exit(stderr=noise + "KeyError: 'x'\n"))))

    assert "    end of standard error:\n      | line 89\n" in text
    assert "      | KeyError: 'x'\n" in text
    assert "line 88" not in text


def test_odd_things_about_a_failing_case_stand_with_it() -> None:
    """Leaks and limits that nobody judged are notes."""
    odd = replace(short_of("a"), exit=Exit(leaky=True), unjudged=("max_cost_usd",))
    text = shown(record(odd))

    assert "    note: left processes behind, which were ended\n" in text
    assert "    note: max_cost_usd not judged, because the agent reported no figure\n" in text


def test_odd_things_about_passing_cases_are_told_together() -> None:
    """One note for many cases, even where passing cases are not listed."""
    rows = [row(f"c{n}", exit=Exit(leaky=True)) for n in range(30)]

    assert "  note: c0, c1, c2, c3, c4 and 25 more: left processes behind" in shown(record(*rows))


def test_an_interrupted_run_says_what_is_missing() -> None:
    """The cases that are still to be run are named."""
    text = shown(record(row("a"), case_ids=("a", "b", "c"), interrupted=True))

    assert text.startswith(
        "INTERRUPTED  support-triage  1 of 3 cases passed  1.2 s\n"
        "  stopped before its end: what is not finished was not judged\n"
    )
    assert "\n  not finished: b, c\n\n2 unfinished; 2 tool calls\n" in text


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (
            record(row("a", Failure("spawn_failed", "no such file"))),
            "not valid: spawn_failed in 1 case, which says nothing about the agent",
        ),
        (record(row("a"), case_ids=("a", "b")), "not valid: 1 case not finished"),
        (record(), "not valid: there was no case to run"),
        (
            record(*(row(str(n)) for n in range(4)), short_of("x"), min_success_rate=0.8),
            "4 of 5 judged cases passed; the suite asks for at least 80%",
        ),
        (record(row("a"), regression=Regression("fail", ())), "worse than the baseline"),
    ],
)
def test_a_verdict_that_surprises_has_a_reason(run: RunRecord, reason: str) -> None:
    """It stands right below the verdict."""
    assert shown(run).splitlines()[1] == f"  {reason}"


def test_of_many_failing_cases_the_first_are_told() -> None:
    """Twenty in full, the others by name."""
    text = shown(record(*(short_of(f"c{n}") for n in range(25))))

    assert text.count("  failed   400 ms  c") == 20
    assert "  5 more did not pass: c20, c21, c22, c23, c24\n" in text


def test_of_many_failures_the_first_are_told() -> None:
    """A schema with five hundred errors does not fill the screen."""
    failures = [Failure("assertion_failed", f"json_schema: error {n}") for n in range(500)]

    assert "    … 490 more failures, all in summary.json\n" in shown(record(row("a", *failures)))


@pytest.mark.parametrize("message", ["word " * 10**5, "line\n" * 10**4, "x" * 10**6])
def test_a_long_message_is_cut(message: str) -> None:
    """The file has the rest, and the text says so."""
    text = shown(record(short_of("a", message)))

    assert len(text.splitlines()) < 45
    assert "      … (the rest is in summary.json)\n" in text


def test_several_trials_are_counted() -> None:
    """The same failure is told once, with the trials that it happened in."""
    text = render(several_trials())

    assert "  passed   400 ms  steady  3 of 3 trials passed\n" in text
    assert "  failed   400 ms  shaky  1 of 3 trials passed\n" in text
    assert "    assertion_failed (trials 2, 3): equals: $.x: expected 1, found 2\n" in text


def test_tokens_and_cost_are_shown_when_known() -> None:
    """Unknown figures are not mentioned."""
    known = row("a", tally=Tally(1, 1, 1, Usage(12345, 67, 0.0021)))

    assert "1 tool call (1 failed); 12,345 tokens in, 67 tokens out; $0.0021\n" in shown(
        record(known)
    )
    assert "token" not in shown(record(row("a")))


@pytest.mark.parametrize(
    ("usd", "text"),
    [(0.0, "$0.0000"), (0.00002, "under $0.0001"), (0.25, "$0.2500"), (1234.5, "$1,234.50")],
)
def test_a_small_cost_does_not_look_like_nothing(usd: float, text: str) -> None:
    """A cost has as many digits as it needs."""
    assert f"; {text}\n" in shown(record(row("a", tally=Tally(usage=Usage(cost_usd=usd)))))


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        *((None, "-"), (0, "0 ms"), (999, "999 ms"), (1000, "1.0 s"), (59_949, "59.9 s")),
        *((59_950, "1m 00s"), (75_333, "1m 15s"), (3_600_000, "60m 00s")),
    ],
)
def test_durations_read_as_a_person_says_them(ms: int | None, text: str) -> None:
    """Milliseconds, seconds, minutes."""
    assert duration(ms) == text


def test_colours_only_when_asked() -> None:
    """The coloured text is the plain one with colours."""
    plain, coloured = (render(colourful(), "runs/1", Look(colour=on)) for on in (False, True))

    assert "\x1b" not in plain
    assert coloured.startswith("\x1b[31mFAILED\x1b[0m  ")
    assert COLOURS.sub("", coloured) == plain


def test_the_verdict_line_stands_alone_too() -> None:
    """A quiet run prints this and nothing else."""
    assert verdict_line(several_trials()) == "FAILED  support-triage  1 of 2 cases passed  1.2 s"


def test_lines_fit_the_width() -> None:
    """All but commands, which stay whole so that they can be copied."""
    for width in (60, 80, 120):
        lines = render(colourful(), "runs/1", Look(width=width)).splitlines()
        assert all(columns(line) <= width for line in lines if "runledger " not in line)


def test_a_wide_line_of_signs_fits_too() -> None:
    """Signs of two columns count twice."""
    text = shown(record(short_of("a", "日本語" * 100)))

    assert all(columns(line) <= 80 for line in text.splitlines())


def test_a_command_that_a_break_would_make_is_defused() -> None:
    """A line that starts with a command only because it was broken there is inert as well."""
    text = shown(record(short_of("a", "x" * 50 + " ::stop-commands::" + "y" * 30)))

    assert "\n      \\::stop-commands::y" in text


@given(name=ANY_TEXT, type=ANY_TEXT, message=ANY_TEXT, colour=st.booleans())
def test_no_text_drives_the_terminal_or_the_runner(
    name: str, type: str, message: str, colour: bool
) -> None:
    """Only our own colours are obeyed, and no line is a command."""
    bad = row(name, Failure(type, message), Failure("timeout", name), exit=Exit(stderr=message))
    run = record(bad, row("b"), suite_name=name, run_id=name, interrupted=True)
    text = COLOURS.sub("", shown(run, Look(colour=colour), directory=name))

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\ud800-\udfff]", text)
    assert not any(line.lstrip().startswith("::") for line in text.split("\n"))
    assert "##[" not in text


def test_a_recording_tells_what_was_kept() -> None:
    """A cassette whose case failed was left as it was, and is named."""
    use = CassetteUse("cassettes/a.jsonl", "ab" * 32, entries=3, used=3, unused=0)
    run = record(row("a", cassette=use), short_of("b"), mode="record")

    text = shown(run)

    assert "recorded: 1 cassette with 3 answers" in text
    assert "left as it was, since its case did not pass: b" in text
