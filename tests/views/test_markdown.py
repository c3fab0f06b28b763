"""The step summary tells the verdict first, stays small, and nothing in it is Markdown but ours."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from compare.rows import HOSTILE, colourful, record, row, several_trials, short_of
from runledger.compare.rates import summarize
from runledger.ledger.baseline import Aggregates, Baseline
from runledger.ledger.grade import Failure
from runledger.ledger.regression import CaseChanges, Check, Regression
from runledger.ledger.run import Summary
from runledger.views import markdown
from runledger.views.conformance import check_view

ANY_TEXT = st.text(st.characters(exclude_categories=()), min_size=1)
MARKUP = (
    "``` ```` ` `` ~~~ | \\| @octocat #1 <b> </code></summary></details> [a](http://x.y) ![i](j)\n"
    "```\n# heading\n- item\n> quote\n| a | b |\n|---|---|\n<script>alert(1)</script>\n\n"
    "www.example.org $x^2$ **bold** _it_ ~~gone~~ &lt; <!-- -- > a@b.c https://example.org\n</details>"
)
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def beside_a_baseline(*changed: str, text: str = "x") -> Summary:
    """Make a run that is worse than its baseline, in the words of this text."""
    checks = (
        Check("min_success_rate", "fail", 1.0, 0.8, -0.2, 1.0, note=text),
        Check("max_avg_wall_ms_delta_pct", "skipped"),
    )
    regression = Regression("fail", checks, CaseChanges(newly_failing=changed, missing=(text,)))
    baseline = Baseline("s", text, "", Aggregates(1.0, None, None, 0, 0), ())
    rows = [row("a"), short_of("b")]
    return summarize(record(*rows, regression=regression, baseline=baseline))


class Tags(HTMLParser):
    """The tags of a text, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag with its attributes."""
        self.seen.append(f"{tag} {attrs}")

    def handle_endtag(self, tag: str) -> None:
        """Note the end of a tag."""
        self.seen.append(f"/{tag}")


def shape(text: str) -> list[str]:
    """List what a Markdown text is made of, without the words in it."""
    found = []
    for token in PARSER.parse(text):
        for one in (token, *(token.children or ())):
            found.append(one.type)
            if one.type.startswith("html"):
                tags = Tags()
                tags.feed(one.content)
                found += tags.seen
    return found


def all_over(text: str) -> Summary:
    """Make a run that has this text in every place where somebody else's text may be."""
    regression = Regression("fail", (Check("x", "fail", note=text),), CaseChanges((text,), (text,)))
    baseline = Baseline("s", text, "", Aggregates(1.0, None, None, 0, 0), ())
    return summarize(
        record(
            row(text, Failure(text, text)),
            case_ids=(text, "never-run" + text),
            suite_name=text,
            run_id=text,
            regression=regression,
            baseline=baseline,
        )
    )


def test_the_verdict_comes_first() -> None:
    """The heading says how the run of which suite ended."""
    text = markdown.render(summarize(record(row("a"), short_of("b"))))

    assert text.startswith("### ❌ failed: `support-triage`, 1 of 2 cases passed\n")
    assert "| 50.0% (95% interval 9% to 91%) | 1 |" in text


def test_a_passing_run_is_short() -> None:
    """Nothing is folded where nothing failed."""
    text = markdown.render(summarize(record(row("a"))))

    assert text.startswith("### ✅ passed")
    assert "<details" not in text


def test_a_failing_case_is_told_with_its_failures() -> None:
    """Its name, its status and every message are there."""
    text = markdown.render(colourful())

    assert "<summary><code>misses</code> failed</summary>" in text
    assert "cassette_miss: cassettes/refund.jsonl: no recorded answer" in text
    assert "required_fields: $.reply is missing" in text
    assert "Not finished: `never-run`" in text


def test_what_a_crashed_agent_said_last_is_told() -> None:
    """The end of its standard error stands below the failure."""
    text = markdown.render(colourful())

    assert "code 1\n\nend of standard error:\nTraceback\n  File x\nKeyError: 'ticket'\n```" in text


def test_the_same_failure_of_several_trials_is_told_once() -> None:
    """Trials that fall short alike are one message."""
    assert markdown.render(several_trials()).count("equals: $.x") == 1


def test_a_regression_names_its_cases_and_figures() -> None:
    """What is worse stands in a table, and whose fault it is below it."""
    text = markdown.render(beside_a_baseline("b", "c", text="gone"))

    assert "**fail** beside the baseline `gone`" in text
    assert "| fail | success rate 100% → 80% (−20 points, at least 100% asked for) |" in text
    assert "- passed before, fail now: `b`, `c`" in text
    assert "- missing: `gone`" in text


def test_what_the_gate_asks_for_is_told() -> None:
    """A green run with failing cases says why it is green."""
    text = markdown.render(summarize(record(row("a"), short_of("b"), min_success_rate=0.5)))

    assert "1 of 2 judged cases passed; the suite asks for at least 50%." in text


def test_a_run_that_is_not_valid_says_why() -> None:
    """The fault is named, and is not the agent's."""
    text = markdown.render(summarize(record(row("a", Failure("spawn_failed", "no such file")))))

    assert "Not valid: spawn_failed in 1 case, which says nothing about the agent." in text


def test_thousands_of_failures_stay_small() -> None:
    """What does not fit is counted."""
    rows = [short_of(f"c{n}", "é" * 3000) for n in range(1000)]
    text = markdown.render(summarize(record(*rows)))
    told = text.count("<details")

    assert len(text.encode()) < 2**18
    assert told > 20
    assert f"_{1000 - told} more did not pass; " in text


def test_the_caller_may_ask_for_less() -> None:
    """A page that is nearly full gets the verdict alone."""
    text = markdown.render(colourful(), most_bytes=0)

    assert text.startswith("### ❌")
    assert "<details" not in text
    assert "_3 more did not pass; " in text


def test_many_failures_of_one_case_are_counted() -> None:
    """Ten are told, the others are a number."""
    failures = [Failure("assertion_failed", f"no {n}") for n in range(30)]
    text = markdown.render(summarize(record(row("a", *failures))))

    assert "assertion_failed: no 9\n" in text
    assert "… 20 more failures" in text


def test_text_that_looks_like_markup_changes_nothing() -> None:
    """Fences, tables, tags, links and mentions of somebody else stay text in code."""
    plain = shape(markdown.render(all_over("x")))

    assert shape(markdown.render(all_over(MARKUP))) == plain
    assert shape(markdown.render(all_over(HOSTILE))) == plain


@given(text=ANY_TEXT | st.text("`|\\<>&@#*_~[]()! \n\t-$", min_size=1))
def test_any_text_stays_text(text: str) -> None:
    """No text leaves the code it is set in."""
    assert shape(markdown.render(all_over(text))) == shape(markdown.render(all_over("x")))


def test_it_keeps_the_promises_of_a_view() -> None:
    """It is whole text, and byte for byte the same when made again."""
    check_view(markdown, [colourful(), several_trials(), all_over(HOSTILE), summarize(record())])
