"""What gates say, and how many further tasks would decide."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.experiments import changed, scored
from runledger.compare.clusters import centre_of, interval_of
from runledger.compare.experiment import findings_of
from runledger.compare.further import (
    MOST_FURTHER,
    further_in_table,
    further_units,
    on_the_limit,
    too_many,
)
from runledger.compare.mcnemar import Fourfold, newcombe
from runledger.ledger.experiment import ExperimentGate
from runledger.ledger.findings import BenchRecord, GateFinding

UP = [20.0, 25.0, 15.0, 30.0, 20.0, 10.0, 22.5, 17.5]  # 20 on average
AROUND = [30.0, -20.0, 25.0, -15.0, 10.0, 5.0, -10.0, 15.0]  # 5 on average


def apart(differences: list[float], *gates: ExperimentGate) -> BenchRecord:
    """Make a record in which the tasks differ by this much."""
    after = [50.0 + one for one in differences]
    about = {"gates": gates} if gates else {}
    return scored({"without": [50.0] * len(after), "with": after}, **about)


def gate_on(differences: list[float], **limit: float) -> GateFinding:
    """Judge differences of scores by one gate."""
    return findings_of(apart(differences, ExperimentGate("score", **limit))).gates[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("differences", "limit", "verdict"),
    [
        (UP, {"min_difference": 0.0}, "pass"),
        (UP, {"min_difference": 20.0}, "inconclusive"),
        (UP, {"min_difference": 30.0}, "fail"),
        (UP, {"max_difference": 30.0}, "pass"),
        (UP, {"max_difference": 20.0}, "inconclusive"),
        (UP, {"max_difference": 0.0}, "fail"),
        (AROUND, {"min_difference": 0.0}, "inconclusive"),
    ],
)
def test_a_gate_asks_for_the_whole_interval(
    differences: list[float], limit: dict[str, float], verdict: str
) -> None:
    """On one side of the limit it passes, on the other it fails, over it nothing is decided."""
    assert gate_on(differences, **limit).verdict == verdict


def test_what_just_meets_the_limit_passes() -> None:
    """At or above is enough: six tasks that all differ by 20."""
    assert gate_on([20.0] * 6, min_difference=20.0).verdict == "pass"
    assert gate_on([20.0] * 6, max_difference=20.0).verdict == "pass"
    assert gate_on([20.0] * 6, min_difference=20.1).verdict == "fail"
    assert gate_on([0.0] * 6, min_difference=0.0).verdict == "pass"


@pytest.mark.parametrize("differences", [[20.0] * 5, [20.0, 22.5, 20.0, 22.5, 25.0], [20.0]])
def test_fewer_than_six_tasks_decide_nothing(differences: list[float]) -> None:
    """Chance alone makes all of five tasks fall one way in more than 5 % of experiments."""
    found = gate_on(differences, min_difference=0.0)

    assert found.verdict == "inconclusive"
    assert found.further_tasks == 6 - len(differences)
    assert found.note == "fewer than 6 tasks decide nothing"


def test_the_number_of_further_tasks_decides_if_they_are_like_these() -> None:
    """Eight such blocks more would, and the number is between one and many of them."""
    found = gate_on(AROUND, min_difference=0.0)

    assert found.further_tasks is not None
    times = (8 + found.further_tasks) // 8
    assert gate_on(AROUND * (times - 1), min_difference=0.0).verdict == "inconclusive"
    assert gate_on(AROUND * (times + 1), min_difference=0.0).verdict == "pass"


@given(st.lists(st.integers(-40, 40).map(float), min_size=6, max_size=20), st.floats(-30, 30))
def test_further_tasks_are_the_least_that_would_do(values: list[float], limit: float) -> None:
    """With as many, spread like these, the limit is at the end of the interval or beyond."""
    centre = centre_of(values, range(len(values)))
    found = further_units(centre, limit, 0.95).number
    if not centre.varies or found is None or found == 1:
        return

    def beside(n: int) -> float:
        error = (centre.error or 0.0) * (centre.n / n) ** 0.5
        low, high = interval_of(replace(centre, error=error, n=n, clusters=n), 0.95) or (0, 0)
        return abs(centre.mean - limit) - (high - low) / 2

    assert beside(centre.n + found) >= -1e-9
    assert beside(centre.n + found - 1) < 1e-9


def test_an_estimate_on_the_limit_is_never_decided() -> None:
    """More tasks would only narrow an interval that holds the limit in its middle."""
    found = gate_on([10.0, -10.0] * 4, min_difference=0.0)

    assert found.further_tasks is None
    assert found.note == on_the_limit("tasks")


def test_a_hair_from_the_limit_takes_too_many_tasks() -> None:
    """Then no number is told."""
    found = further_units(centre_of([100.0, -100.0] * 8 + [0.1], range(17)), 0.0, 0.95)

    assert found == (None, too_many("tasks"))
    assert f"{MOST_FURTHER:,} further tasks" in too_many("tasks")


def completions(table: Fourfold, **limit: float) -> GateFinding:
    """Judge single completions by one gate: so many tasks under both conditions, one, none."""
    done = [(90, 90)] * table.both + [(90, 50)] * table.only_a
    done += [(50, 90)] * table.only_b + [(50, 50)] * table.neither
    gate = ExperimentGate("completion", **limit)  # type: ignore[arg-type]
    scores = {"without": [a for a, _ in done], "with": [b for _, b in done]}
    return findings_of(scored(scores, gates=(gate,))).gates[0]


def grown(table: Fourfold, times: int) -> Fourfold:
    """Make the table so many times as large."""
    fields = (table.both, table.only_a, table.only_b, table.neither)
    return Fourfold(*(times * one for one in fields))


@pytest.mark.parametrize("tasks", [3, 6, 7])
@pytest.mark.parametrize("limit", [{"min_difference": 0.0}, {"max_difference": 0.0}])
def test_completions_that_all_tie_lie_on_the_limit(tasks: int, limit: dict[str, float]) -> None:
    """Newcombe's interval goes around 0 however many there are: no number would decide."""
    found = completions(Fourfold(tasks, 0, 0, 0), **limit)

    assert found.verdict == "inconclusive"
    assert found.further_tasks is None
    assert found.note == on_the_limit("tasks")


@pytest.mark.parametrize(
    ("table", "limit"),
    [
        (Fourfold(3, 0, 1, 2), {"min_difference": 0.0}),
        (Fourfold(3, 1, 0, 2), {"min_difference": 0.0}),
        (Fourfold(4, 1, 2, 1), {"max_difference": 0.0}),
        (Fourfold(7, 0, 0, 0), {"min_difference": -10.0}),
        (Fourfold(2, 1, 2, 2), {"min_difference": 30.0}),
    ],
)
def test_further_completions_decide_by_their_own_interval(
    table: Fourfold, limit: dict[str, float]
) -> None:
    """Tables that are as many times as large, less and more, are judged as the number says."""
    found = completions(table, **limit)

    assert found.verdict == "inconclusive"
    assert found.further_tasks is not None
    times = (table.n + found.further_tasks - 1) // table.n
    assert completions(grown(table, times), **limit).verdict == "inconclusive"
    assert completions(grown(table, times + 1), **limit).verdict != "inconclusive"


def test_few_completions_are_told_to_be_few() -> None:
    """Six tasks are the least, however clear the first ones are."""
    found = completions(Fourfold(0, 0, 5, 0), min_difference=0.0)

    assert found.further_tasks == 1
    assert found.note == "fewer than 6 tasks decide nothing"


def test_completions_a_hair_from_the_limit_take_too_many_tasks() -> None:
    """Then no number is told."""
    table = Fourfold(50, 10, 11, 50)

    assert further_in_table(table, 1 / 121 + 1e-6, 0.95) == (None, too_many("tasks"))


@given(st.tuples(*[st.integers(0, 9)] * 4).filter(any), st.integers(1, 6))
def test_a_table_grows_in_proportion(fields: tuple[int, int, int, int], times: int) -> None:
    """The interval of a table that is thought to be larger is that of the larger one."""
    table = Fourfold(*fields)

    assert newcombe(table, 0.95, times) == pytest.approx(newcombe(grown(table, times)), abs=1e-9)


def test_a_gate_on_what_nobody_knows_is_open() -> None:
    """It says why."""
    record = apart(UP, ExperimentGate("cost_usd", max_difference=0.0))
    found = findings_of(record)

    assert found.verdict == "inconclusive"
    assert found.gates[0].note == "no task knows it under both conditions"
    assert found.sentence == ("Inconclusive: of `with` and `without` nothing is known by cost_usd.")


def test_a_gate_on_durations_is_in_seconds() -> None:
    """Half a second longer on ten is within one second."""
    record = apart([0.0] * 6, ExperimentGate("duration_s", max_difference=1.0))
    slower = changed(
        record,
        lambda one: {"duration_s": 10 + 0.5 * (one.slot.condition == "with") + one.place / 100},
    )

    assert findings_of(slower).verdict == "pass"


def test_every_condition_faces_every_gate() -> None:
    """The gravest verdict is the experiment's."""
    gates = (
        ExperimentGate("score", min_difference=0.0),
        ExperimentGate("score", max_difference=90),
    )
    record = scored({"a": [50.0] * 6, "b": [70.0] * 6, "c": [40.0] * 6}, gates=gates)
    found = findings_of(record)

    assert [(one.condition, one.verdict) for one in found.gates] == [
        ("b", "pass"),
        ("c", "fail"),
        ("b", "pass"),
        ("c", "pass"),
    ]
    assert found.verdict == "fail"
    assert found.sentence.startswith("No-go: `c` scores 10.0 points lower than `a`")
    assert found.sentence.endswith("; 1 of 4 gates says so.")
