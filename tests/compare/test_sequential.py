"""Looking early: the e-value of wins and losses."""

from __future__ import annotations

import sys
from dataclasses import replace
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.experiments import NOT_WORSE, scored
from runledger.compare.e_value import further_pairs, threshold_of
from runledger.compare.experiment import findings_of
from runledger.compare.sequential import decided_early, e_value
from runledger.ledger.experiment import ExperimentGate
from runledger.ledger.findings import BenchRecord


def looked_at(wins: int, losses: int, ties: int = 0, **about: object) -> BenchRecord:
    """Make a run that may stop early, with so many tasks won and lost."""
    after = [60.0] * wins + [40.0] * losses + [50.0] * ties
    record = scored({"without": [50.0] * len(after), "with": after}, **about)
    return replace(record, sequential=True)


def cut_short(record: BenchRecord, blocks: int) -> BenchRecord:
    """Stop a run before its last blocks."""
    return replace(record, attempts=record.attempts[: -2 * blocks])


def test_the_worked_value_is_met() -> None:
    """One loss and twelve wins."""
    assert e_value(1, 12) == pytest.approx(45.010989010989015, abs=1e-9)
    assert e_value(12, 1) == e_value(1, 12)


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_e_value_is_its_formula(b: int, c: int) -> None:
    """It is 2^n b! c! / (n+1)!."""
    exact = 2 ** (b + c) * factorial(b) * factorial(c) / factorial(b + c + 1)

    assert e_value(b, c) == pytest.approx(exact, rel=1e-12)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_e_value_is_a_martingale(b: int, c: int) -> None:
    """A fair coin's next toss leaves it the same on average: that is why looking costs nothing."""
    assert (e_value(b + 1, c) + e_value(b, c + 1)) / 2 == pytest.approx(e_value(b, c))


def test_very_many_wins_stay_a_number() -> None:
    """JSON knows no infinity."""
    assert e_value(2000, 0) == sys.float_info.max


def test_several_conditions_share_the_error() -> None:
    """Each has to reach more, so that one of them decides wrongly as rarely as before."""
    assert threshold_of(0.95) == 20
    assert threshold_of(0.95, 4) == 80
    assert threshold_of(0.99) == 100


def test_wins_in_the_same_proportion_decide_in_the_end() -> None:
    """As many wins as losses never do."""
    assert further_pairs(5, 0, 20) == 3
    assert e_value(8, 0) >= 20 > e_value(7, 0)
    assert further_pairs(4, 4, 20) is None
    assert further_pairs(0, 0, 20) is None


def test_enough_wins_stop_the_run() -> None:
    """Eight of eight make more than 20."""
    assert decided_early(looked_at(8, 0))
    assert not decided_early(looked_at(7, 0))
    assert not decided_early(looked_at(0, 0, ties=20))


def test_losses_decide_too() -> None:
    """That a condition is worse is an answer."""
    record = looked_at(0, 8)

    assert decided_early(record)
    assert findings_of(record).verdict == "fail"


def test_all_conditions_must_be_decided() -> None:
    """One that is still open keeps the run going."""
    record = scored({"base": [50.0] * 9, "good": [70.0] * 9, "same": [50.0] * 9})

    assert not decided_early(record)


def test_a_task_is_looked_at_when_all_its_trials_have_ended() -> None:
    """A task counts once, whatever its first trial shows."""
    record = scored({"without": [50.0] * 24, "with": [70.0] * 24}, trials=3)
    half = [one for one in record.attempts if one.slot.trial < 3]

    assert decided_early(record)
    assert not decided_early(replace(record, attempts=tuple(half)))


def test_a_decided_run_is_judged_by_its_e_value_though_it_stopped() -> None:
    """The gate on the score's sign needs no more."""
    record = cut_short(looked_at(8, 0, ties=4), 4)
    found = findings_of(record)

    assert found.verdict == "pass"
    assert found.sequential[0].decided
    assert found.sequential[0].e_value == pytest.approx(256 / 9)
    assert found.sentence == (
        "Go: `with` scores 10.0 points higher than `without` (95% interval 10.0 to 10.0, 8 tasks), "
        "by the e-value of 8 wins and 0 losses."
    )


def test_a_wide_interval_decides_nothing_where_the_e_value_is_small() -> None:
    """Whoever looks often sees an interval exclude 0 sooner or later."""
    found = findings_of(looked_at(7, 0))

    assert found.verdict == "inconclusive"
    assert found.gates[0].further_tasks == 1


def test_other_gates_are_open_in_a_run_that_stopped_early() -> None:
    """Their intervals are made for the whole plan."""
    gates = (NOT_WORSE, ExperimentGate("score", min_difference=5.0))
    whole = looked_at(8, 0, ties=4, gates=gates)

    assert [one.verdict for one in findings_of(cut_short(whole, 4)).gates] == [
        "pass",
        "inconclusive",
    ]
    note = findings_of(cut_short(whole, 4)).gates[1].note
    assert note is not None
    assert "stopped early" in note


def test_in_a_whole_run_other_gates_go_by_their_interval() -> None:
    """Nothing was cut short."""
    gates = (ExperimentGate("score", min_difference=5.0),)

    assert findings_of(looked_at(8, 0, gates=gates)).verdict == "pass"


def test_a_gate_that_asks_for_no_more_is_turned_around() -> None:
    """There losses are what it asks for."""
    gates = (ExperimentGate("score", max_difference=0.0),)

    assert findings_of(looked_at(8, 0, gates=gates)).verdict == "fail"
    assert findings_of(looked_at(0, 8, gates=gates)).verdict == "pass"


def test_without_early_looks_there_is_no_e_value() -> None:
    """The plan was run as a whole."""
    assert not findings_of(replace(looked_at(8, 0), sequential=False)).sequential
