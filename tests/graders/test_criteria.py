"""Criteria that a machine can tell by itself."""

from __future__ import annotations

import pytest

from runledger.errors import UsageError
from runledger.graders.criteria import answer_in, checked
from runledger.ledger.criterion import Criterion


def test_contains_is_met_by_the_text_as_it_is_written() -> None:
    """Seed 004 section 4: met is what is explicitly stated; capitals matter, as in assertions."""
    criterion = Criterion("c", "names the pool", contains="LockPool")

    assert checked(criterion, "see LockPool.take") == "met"
    assert checked(criterion, "see lockpool") == "missed"
    assert checked(criterion, "") == "missed"


def test_a_regex_is_met_wherever_it_matches() -> None:
    """Patterns run on RE2."""
    criterion = Criterion("c", "tells the limit", regex=r"(?i)limit\s+of\s+\d+")

    assert checked(criterion, "a Limit of\n40") == "met"
    assert checked(criterion, "a limit") == "missed"


def test_both_checks_must_hold_in_one_text() -> None:
    """A criterion with two checks is met by neither alone."""
    criterion = Criterion("c", "t", contains="a", regex="^b")

    assert checked(criterion, "ba") == "met"
    assert checked(criterion, "ab") == "missed"
    assert checked(criterion, {"x": "a", "y": "bc"}) == "missed"


def test_objects_are_looked_through() -> None:
    """An answer that is an object is its canonical text, and each text in it."""
    assert checked(Criterion("c", "t", contains='"n":1'), {"n": 1}) == "met"
    assert checked(Criterion("c", "t", regex=r"^two\nlines$"), {"a": ["two\nlines"]}) == "met"


def test_the_self_report_is_no_answer() -> None:
    """Seed 004 section 3: counts that an agent reports meet no criterion."""
    said = answer_in("It locks.\nFiles read: 40\n")

    assert checked(Criterion("c", "tells 40", contains="40"), said) == "missed"
    assert checked(Criterion("c", "locks", contains="locks"), said) == "met"


def test_a_pattern_that_re2_does_not_know_is_told() -> None:
    """A check that cannot be made is something to fix."""
    with pytest.raises(UsageError, match="criterion c"):
        checked(Criterion("c", "t", regex="(?=x)"), "x")
