"""Means of tasks that come in clusters."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compare.experiments import scored
from runledger.compare.clusters import (
    centre_of,
    chance_of,
    cluster_sums,
    detectable_in,
    fewest,
    interval_of,
)
from runledger.compare.experiment import findings_of
from runledger.compare.further import on_the_limit
from runledger.compare.paired import sign_flip, standard_error, t_chance, t_interval
from runledger.ledger.findings import BenchRecord, Effect, GateFinding

VALUES = [12.5, -5.0, 20.0, 7.5, 0.0, 15.0, -10.0, 25.0, 2.5, 10.0, 5.0, -2.5]
CLUSTERS = [0, 0, 1, 1, 1, 2, 3, 3, 4, 4, 4, 5]


def in_repositories(names: list[str | None], differences: list[float]) -> BenchRecord:
    """Make a record whose tasks come from these repositories; None: it does not say."""
    record = scored(
        {"without": [50.0] * len(names), "with": [50.0 + one for one in differences]},
        cluster="metadata.repo",
    )
    tasks = tuple(
        replace(task, metadata={} if name is None else {"repo": name})
        for task, name in zip(record.experiment.tasks, names, strict=True)
    )
    return replace(record, experiment=replace(record.experiment, tasks=tasks))


def effect_on(record: BenchRecord, metric: str = "score") -> Effect:
    """Give the effect on one metric."""
    return next(one for one in findings_of(record).effects if one.metric == metric)


def test_the_clustered_error_is_that_of_statsmodels() -> None:
    """Expected values: OLS on a constant, cov_type cluster, use_t, statsmodels 0.15.0."""
    centre = centre_of(VALUES, CLUSTERS)

    assert centre.mean == pytest.approx(6.666666666666669, abs=1e-9)
    assert centre.error == pytest.approx(1.4513722752903484, abs=1e-9)
    assert chance_of(centre) == pytest.approx(0.005875677206619657, abs=1e-9)
    assert interval_of(centre, 0.95) == pytest.approx(
        (2.9357954590591504, 10.397537874274187), abs=1e-9
    )


@given(st.lists(st.integers(-800, 800).map(lambda n: n / 8), min_size=2, max_size=12))
def test_tasks_that_stand_for_themselves_have_the_usual_interval(values: list[float]) -> None:
    """Then the standard error is the usual one, and Student's test as well."""
    centre = centre_of(values, range(len(values)))

    assert centre.error == pytest.approx(standard_error(values), rel=1e-9)
    if centre.varies:
        assert interval_of(centre, 0.9) == pytest.approx(t_interval(values, 0.9), abs=1e-9)
        assert chance_of(centre) == pytest.approx(t_chance(values), abs=1e-9)


@pytest.mark.parametrize(("level", "tasks"), [(0.9, 5), (0.95, 6), (0.99, 8)])
def test_fewer_tasks_all_fall_one_way_too_often(level: float, tasks: int) -> None:
    """So many coins show one side in at most as many cases as the level leaves."""
    assert fewest(level) == tasks
    assert sign_flip([Fraction(1)] * tasks) <= 1 - level < sign_flip([Fraction(1)] * (tasks - 1))


def test_equal_values_have_the_interval_of_their_signs() -> None:
    """Enough of them rule every other mean out, since all would lie on one side of it."""
    enough, few = centre_of([5.0] * 6, range(6)), centre_of([5.0] * 5, range(5))

    assert interval_of(enough, 0.95) == (5.0, 5.0)
    assert interval_of(few, 0.95) is None
    assert chance_of(enough) == 2**-5
    assert detectable_in(enough, 0.95) is None


def test_one_cluster_proves_nothing() -> None:
    """It tells nothing of how clusters differ."""
    centre = centre_of([5.0, 7.0], ["a", "a"])

    assert interval_of(centre, 0.95) is None
    assert chance_of(centre) == 1.0


def test_signs_turn_cluster_by_cluster() -> None:
    """Tasks of one repository go together."""
    values = [Fraction(3), Fraction(-1), Fraction(2)]

    assert cluster_sums(values, ["a", "a", "b"]) == [2, 2]


def test_tasks_are_clustered_by_what_the_experiment_names() -> None:
    """A task that does not say is a cluster of its own."""
    names = ["x", "x", "y", "y", "z", "z", None, None]
    found = effect_on(in_repositories(names, [5.0, 10.0, 0.0, 20.0, -5.0, 10.0, 15.0, 5.0]))

    assert found.clusters == 5
    assert found.n == 8
    assert found.p == sign_flip([Fraction(n) for n in (15, 20, 5, 15, 5)])
    assert found.note is not None
    assert "fewer than 10 clusters: the interval is unreliable" in found.note


def test_clustered_completions_are_no_table() -> None:
    """McNemar's test takes tasks as independent; sign flips of clusters do not."""
    names = ["x", "x", "y", "z"]

    assert effect_on(in_repositories(names, [50.0, 0.0, 50.0, 0.0]), "completion").test == (
        "sign_flip"
    )


@pytest.mark.parametrize("each", [2, 4, 10])
def test_a_gate_needs_enough_clusters(each: int) -> None:
    """However many tasks three repositories have, they are three observations."""
    names: list[str | None] = ["x", "y", "z"] * each
    found = findings_of(in_repositories(names, [20.0, 22.5, 17.5] * each))

    assert found.verdict == "inconclusive"
    assert found.gates[0].further_clusters == 3
    assert found.gates[0].further_tasks == 3 * each
    assert found.gates[0].note == "fewer than 6 clusters decide nothing"
    assert found.sentence.endswith("; about 3 further clusters would decide.")
    assert "3 clusters are few: under 10 the intervals are unreliable" in found.notes


AROUND = [30.0, -20.0, 25.0, -15.0, 10.0, 5.0, -10.0, 15.0]  # 5 on average


def repeated(times: int) -> GateFinding:
    """Judge clusters of two tasks each, spread around 5, so many times as many."""
    names: list[str | None] = [f"r{number // 2}" for number in range(16 * times)]
    differences = [one for one in AROUND for _ in range(2)] * times
    return findings_of(in_repositories(names, differences)).gates[0]


def test_further_clusters_decide_if_they_are_like_these() -> None:
    """New clusters do, as many tasks of the same clusters do not."""
    found = repeated(1)

    assert found.further_clusters is not None
    assert found.further_tasks == 2 * found.further_clusters
    times = (8 + found.further_clusters) // 8
    assert repeated(times - 1).verdict == "inconclusive"
    assert repeated(times + 1).verdict == "pass"
    same: list[str | None] = [f"r{number}" for number in range(8)]
    more = in_repositories(same * 2 * (times + 1), AROUND * 2 * (times + 1))
    assert findings_of(more).verdict == "inconclusive"


def test_clusters_on_the_limit_are_never_decided() -> None:
    """The note says clusters, and there is no number of either."""
    names: list[str | None] = [f"r{number // 2}" for number in range(16)]
    found = findings_of(in_repositories(names, [10.0, 10.0, -10.0, -10.0] * 4)).gates[0]

    assert (found.further_tasks, found.further_clusters) == (None, None)
    assert found.note == on_the_limit("clusters")


def test_without_clusters_no_number_of_them_is_told() -> None:
    """Tasks stand for themselves."""
    found = findings_of(scored({"without": [50.0] * 3, "with": [60.0] * 3})).gates[0]

    assert (found.further_tasks, found.further_clusters) == (3, None)


def test_a_cluster_may_be_any_value() -> None:
    """A number, a list or an object tells repositories apart as well as a name."""
    record = in_repositories(["x", "y"], [5.0, 10.0])
    tasks = tuple(
        replace(task, metadata={"repo": {"id": number // 2}})
        for number, task in enumerate(record.experiment.tasks)
    )
    found = effect_on(replace(record, experiment=replace(record.experiment, tasks=tasks)))

    assert found.clusters == 1
    assert found.ci is None
