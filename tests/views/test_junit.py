"""junit.xml parses, whatever an agent said."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.rows import HOSTILE, MISS, colourful, record, row, several_trials
from runledger.compare.rates import summarize
from runledger.ledger.grade import Failure
from runledger.ledger.run import Summary
from runledger.ledger.trajectory import Exit
from runledger.views import junit

ANY_TEXT = st.text(st.characters(exclude_categories=()))
ALLOWED = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


def read(summary: Summary) -> Element:
    """Read junit.xml back and give its one testsuite."""
    root = ElementTree.fromstring(junit.render(summary).encode())
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    return suite


def cases(summary: Summary) -> dict[str, Element]:
    """Find every testcase by its name."""
    return {case.attrib["name"]: case for case in read(summary).iter("testcase")}


def test_the_suite_carries_its_totals() -> None:
    """Counts, seconds and the hour of the run stand on the testsuite."""
    assert read(colourful()).attrib == {
        "name": "support-triage",
        "tests": "6",
        "failures": "2",
        "errors": "1",
        "skipped": "1",
        "time": "1.234",
        "timestamp": "2026-02-15T10:15:30.123Z",
    }


def test_the_structure_is_what_ci_servers_know() -> None:
    """Each element stands only where it may, and properties come first."""
    suite = read(colourful())
    assert [child.tag for child in suite] == ["properties", *["testcase"] * 6]
    for case in suite.iter("testcase"):
        tags = [child.tag for child in case]
        assert set(case.attrib) == {"classname", "name", "time"}
        assert tags[1:] == [] or tags[0] == "properties"
        assert set(tags) <= {"properties", "failure", "error", "skipped"}


def test_every_status_has_its_element() -> None:
    """Passed is silence; failed, error and unfinished are failure, error and skipped."""
    found = {name: [child.tag for child in case] for name, case in cases(colourful()).items()}

    assert found["greets"] == []
    assert found["misses"] == ["properties", "failure"]
    assert found["crashes"] == ["error"]
    assert found["never-run"] == ["skipped"]


def test_a_failure_tells_all_failures() -> None:
    """Type and message are the first one's, the text has them all."""
    failure = cases(colourful())["misses"].find("failure")

    assert failure is not None
    assert failure.attrib == {"type": "cassette_miss", "message": MISS}
    assert failure.text == (
        f"cassette_miss: {MISS}\n\nassertion_failed: required_fields: $.reply is missing"
    )


def test_an_error_is_named_after_what_made_it_one() -> None:
    """With failures of both kinds, the one that prevented judging is the telling one."""
    both = row("a", Failure("budget_exceeded", "too long"), Failure("timeout", "no answer"))
    error = cases(summarize(record(both)))["a"].find("error")

    assert error is not None
    assert error.attrib == {"type": "timeout", "message": "no answer"}


def test_an_error_tells_the_end_of_standard_error() -> None:
    """Who reads only the CI server's page sees why the agent crashed."""
    assert "KeyError: 'ticket'" in (cases(colourful())["crashes"].findtext("error") or "")


def test_known_usage_is_a_property() -> None:
    """Unknown figures are absent, not 0."""
    found = {one.attrib["name"]: one.attrib["value"] for one in read(colourful()).iter("property")}

    assert found == {"tokens_in": "1200", "tokens_out": "300", "cost_usd": "0.0021"}
    assert read(summarize(record(row("a")))).find("properties") is None


def test_failures_of_several_trials_name_them() -> None:
    """A failure that happened twice is told once."""
    text = cases(several_trials())["shaky"].findtext("failure")

    assert text == "assertion_failed (of trial 2, 3): equals: $.x: expected 1, found 2"


def test_hostile_text_is_only_text() -> None:
    """Markup reads back as it was said; what XML cannot hold is shown as an escape."""
    failure = cases(colourful())["hostile"].find("failure")

    assert failure is not None
    assert list(failure) == []
    assert failure.attrib["message"].startswith("]]> </failure> </script> <img onerror=x> & \" '")
    for shown in (r"\x00 \x1b[31mred\x1b[0m \x9b2J \x7f \ud800 \udfff \ufffe \uffff", "😀 👩‍🚀"):
        assert shown in failure.attrib["message"]
        assert shown in (failure.text or "")


@pytest.mark.parametrize("unit", ["x", "é", "😀", "\x00", "&"])
def test_a_message_is_cut_at_8_kib(unit: str) -> None:
    """The limit is in bytes as read back, and no character is cut in two."""
    failure = cases(summarize(record(row("a", Failure("tool_error", unit * 9000)))))["a"][0]

    for told in (failure.attrib["message"], failure.text or ""):
        assert 8 * 1024 - 8 < len(told.encode()) <= 8 * 1024
        assert told.endswith("… (cut)")


@given(name=ANY_TEXT, message=ANY_TEXT, stderr=ANY_TEXT)
def test_any_text_parses(name: str, message: str, stderr: str) -> None:
    """There is no text that breaks the file."""
    bad = row(name, Failure("timeout", message), exit=Exit(stderr=stderr))
    summary = summarize(record(bad, suite_name=name))

    assert ALLOWED.fullmatch(junit.render(summary))
    assert len(read(summary).findall("testcase/error")) == 1


def test_hostile_text_is_hostile() -> None:
    """The text of these tests would break a file that took it as it is."""
    with pytest.raises((ElementTree.ParseError, UnicodeEncodeError)):
        ElementTree.fromstring(f"<a>{HOSTILE}</a>".encode())
