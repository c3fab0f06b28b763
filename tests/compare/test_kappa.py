"""How far two judges agree."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compare.experiments import judged, scored
from runledger.compare.experiment import findings_of
from runledger.compare.kappa import kappa_of
from runledger.ledger.attempt import Slot
from runledger.ledger.verdict import CHECK, MANUAL

Table = list[list[int]]


def table_of(counts: Table) -> list[tuple[int, int]]:
    """Write a table of two judges' words out as pairs."""
    return [
        (row, column)
        for row, line in enumerate(counts)
        for column, times in enumerate(line)
        for _ in range(times)
    ]


@pytest.mark.parametrize(
    ("counts", "value", "interval"),
    [
        (
            [[20, 3, 1], [4, 15, 2], [0, 5, 10]],
            0.6163682864450127,
            (0.44906961342323165, 0.7836669594667938),
        ),
        (
            [[44, 5, 1], [7, 20, 3], [9, 5, 6]],
            0.49152542372881347,
            (0.35015820121748686, 0.6328926462401401),
        ),
        (
            [[2, 3, 0], [6, 1, 2], [0, 4, 1]],
            -0.21794871794871792,
            (-0.530070142006436, 0.09417270610900016),
        ),
    ],
)
def test_kappa_and_its_interval_are_those_of_statsmodels(
    counts: Table, value: float, interval: tuple[float, float]
) -> None:
    """Expected values: cohens_kappa of statsmodels 0.15.0, kappa with kappa_low and kappa_upp."""
    found = kappa_of(table_of(counts))

    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.ci == pytest.approx(interval, abs=1e-9)


def test_judges_who_never_differ_have_no_interval() -> None:
    """The formula knows no doubt there, though they judged two things only."""
    assert kappa_of([("met", "met"), ("missed", "missed")]) == (1.0, None)


def test_judges_who_always_say_the_same_word_agree_by_chance_alone() -> None:
    """Nothing tells whether they look at all."""
    assert kappa_of([("met", "met")] * 5) == (None, None)
    assert kappa_of([]) == (None, None)


def test_one_judge_without_a_choice_agrees_by_chance() -> None:
    """Kappa is 0, however often they say the same."""
    assert kappa_of([("met", "met")] * 4 + [("met", "missed")]).value == pytest.approx(0)


def test_every_two_judges_are_compared_where_both_judged() -> None:
    """What they differ in is listed; the experiment's own judges come first."""
    record = scored({"without": [50.0] * 2, "with": [100.0] * 2})
    slots = [Slot("t0", "without", 1), Slot("t1", "with", 1)]
    others = [*judged(slots[0], 55.0, "j2"), *judged(slots[1], 100.0, MANUAL)]
    found = findings_of(replace(record, verdicts=(*record.verdicts, *others))).agreements

    assert [(one.a, one.b, one.n, one.agreed) for one in found] == [
        ("j1", "j2", 20, 19),
        ("j1", "manual", 20, 20),
    ]
    assert [(one.slot, one.criterion, one.a, one.b) for one in found[0].disagreements] == [
        (slots[0], "c10", "missed", "met")
    ]
    assert found[0].kappa == pytest.approx(0.9)
    assert found[1].kappa is None


def test_a_check_is_a_judge_beside_the_others() -> None:
    """A person may look over the machine's shoulder."""
    record = scored({"without": [50.0], "with": [100.0]})
    checks = [*judged(Slot("t0", "without", 1), 45.0, CHECK)]
    found = findings_of(replace(record, verdicts=(*record.verdicts, *checks))).agreements

    assert [(one.a, one.b, one.agreed) for one in found] == [("j1", "check", 19)]


def test_void_verdicts_and_runs_that_do_not_count_take_no_part() -> None:
    """They are no judgements."""
    record = scored({"without": [50.0], "with": [100.0]})
    void = [replace(one, void="no quote") for one in judged(Slot("t0", "with", 1), 0, "j2")]
    stray = [*judged(Slot("elsewhere", "with", 1), 0, "j2")]

    assert not findings_of(replace(record, verdicts=(*record.verdicts, *void, *stray))).agreements
