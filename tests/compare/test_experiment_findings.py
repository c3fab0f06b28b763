"""All that an experiment shows: its verdict in a sentence, its tallies, its notes."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compare.experiments import attempt, changed, experiment, scored
from runledger.compare.experiment import findings_of
from runledger.compare.experiment.sentence import decimals_of
from runledger.compare.planning import smallest_effect, smallest_points
from runledger.ledger.attempt import Counts, Slot, Standing
from runledger.ledger.experiment import ExperimentGate
from runledger.ledger.findings import BenchRecord, Findings
from runledger.ledger.usage import Usage

UP = [70.0, 75.0, 65.0, 80.0, 70.0, 60.0]
EMPTY = Standing("retried", "empty_output", "the output is empty")
CRASHED = Standing("discarded", "crashed", "it crashed")


def better(**about: object) -> BenchRecord:
    """Make a record in which the condition is better by 20 points."""
    return scored({"without": [50.0] * 6, "with": UP}, **about)


def test_go_is_told_in_one_sentence() -> None:
    """With the difference, its interval and the number of tasks."""
    assert findings_of(better()).sentence == (
        "Go: `with` scores 20.0 points higher than `without` (95% interval 12.6 to 27.4, 6 tasks)."
    )


def test_no_go_is_told_with_what_was_asked_for() -> None:
    """Where the limit is not just no change."""
    gate = ExperimentGate("score", min_difference=40.0)

    assert findings_of(better(gates=(gate,))).sentence == (
        "No-go: `with` scores 20.0 points higher than `without` "
        "(95% interval 12.6 to 27.4, 6 tasks), "
        "where the gate asks for a difference of at least 40."
    )


def test_inconclusive_is_told_with_what_would_decide() -> None:
    """The number of further tasks."""
    record = scored({"without": [50.0] * 8, "with": [80, 30, 75, 35, 60, 55, 40, 65]})

    assert findings_of(record).sentence == (
        "Inconclusive: `with` scores 5.0 points higher than `without` "
        "(95% interval -10.5 to 20.5, 8 tasks); about 48 further tasks would decide."
    )


def test_without_a_gate_there_is_no_verdict() -> None:
    """The effect on the score is told all the same."""
    found = findings_of(better(gates=()))

    assert found.verdict is None
    assert found.sentence == (
        "No gate: `with` scores 20.0 points higher than `without` "
        "(95% interval 12.6 to 27.4, 6 tasks)."
    )


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("completion", "completes 16.7 points more of the tasks than"),
        ("duration_s", "takes 2.5 s less than"),
        ("tool_calls", "makes 3.0 fewer tool calls than"),
        ("files_read", "reads as many files as"),
        ("tokens", "uses 12,000 more tokens than"),
        ("cost_usd", "costs 0.0020 USD more than"),
    ],
)
def test_every_metric_has_words_of_its_own(metric: str, told: str) -> None:
    """Figures are plain, and none that is small looks like nothing."""
    gate = ExperimentGate(metric, max_difference=0.0)  # type: ignore[arg-type]
    record = changed(
        better(gates=(gate,)),
        lambda one: {
            "duration_s": 7.5 if one.slot.condition == "with" else 10.0,
            "counts": Counts(7 if one.slot.condition == "with" else 10, 4, 2),
            "usage": Usage(20_000 if one.slot.condition == "with" else 8_000, 10, 0.004)
            if one.slot.condition == "with"
            else Usage(8_000, 10, 0.002),
        },
    )

    assert f"`with` {told} `without`" in findings_of(record).sentence


@pytest.mark.parametrize(
    ("metric", "values", "decimals"),
    [
        ("duration_s", (0.023, -0.01524, 0.06124), 3),
        ("score", (20.0, 12.6, 27.4), 1),
        ("score", (0.0, -5.25, 5.25), 1),
        ("score", (17.6, 0.0, 35.2), 1),
        ("score", (17.6, 0.0004, 35.2), 4),
        ("score", (17.6, 1e-14, 35.2), 1),
        ("score", (0.0,), 1),
        ("duration_s", (1500.0, 1200.0, 1800.0), 0),
        ("duration_s", (700.0, -3.21, 1403.21), 1),
        ("tokens", (12_000.0, 0.5, 23_999.5), 1),
        ("tokens", (120.0, 80.0, 160.0), 0),
        ("cost_usd", (0.523, 0.112, 0.934), 2),
        ("cost_usd", (0.00005, 0.00001, 0.00009), 6),
    ],
)
def test_figures_side_by_side_have_the_same_decimals(
    metric: str, values: tuple[float, ...], decimals: int
) -> None:
    """As many as the smallest needs for two digits, and no more than make sense."""
    assert decimals_of(metric, values) == decimals  # type: ignore[arg-type]


def test_an_interval_of_small_figures_is_told_evenly() -> None:
    """Both bounds and the difference are rounded at the same place."""
    gate = ExperimentGate("duration_s", max_difference=0.0)
    added = [0.0, 0.07, -0.02, 0.05, 0.03, 0.01, 0.005, 0.039]
    record = changed(
        scored({"without": [50.0] * 8, "with": [50.0] * 8}, gates=(gate,)),
        lambda one: {
            "duration_s": 1.0 + (one.slot.condition == "with") * added[int(one.slot.task_id[1:])]
        },
    )

    assert "takes 0.0230 s longer than `without` (95% interval -0.0017 to 0.0477" in (
        findings_of(record).sentence
    )


def test_an_unfinished_run_decides_nothing() -> None:
    """Looking before the end makes chance look like an effect."""
    record = scored({"without": [50.0] * 12, "with": UP * 2})
    found = findings_of(replace(record, attempts=record.attempts[:-3], status="interrupted"))

    assert found.verdict == "inconclusive"
    assert found.sentence == "Inconclusive: 2 of 12 comparisons have not been run to the end."
    assert found.gates[0].verdict == "pass"
    assert found.notes[0] == (
        "2 of 12 comparisons have not been run to the end, and count for nothing"
    )


def test_a_run_that_is_not_valid_decides_nothing() -> None:
    """Seed 004 section 7: too many discards ask for their cause, not for a verdict."""
    found = findings_of(replace(better(), status="invalid", stopped="too many discards"))

    assert found.verdict == "inconclusive"
    assert found.sentence == "Inconclusive: the run is not valid: too many discards."
    assert not found.notes  # the sentence says it


def test_a_run_that_ended_before_its_plan_says_why() -> None:
    """Where the sentence does not."""
    found = findings_of(replace(better(), status="interrupted", stopped="the money is spent"))

    assert found.notes == ("the run ended before its plan: the money is spent",)


def test_what_is_not_judged_keeps_the_verdict_open() -> None:
    """Runs without a score might say otherwise."""
    record = better()
    found = findings_of(replace(record, verdicts=record.verdicts[20:]))

    assert found.verdict == "inconclusive"
    assert found.unjudged == 1
    assert found.sentence == "Inconclusive: of 12 runs 1 is not judged yet."
    assert found.effects[0].n == 5


def test_nothing_that_counts_is_no_verdict() -> None:
    """A plan without a run shows nothing."""
    record = replace(better(), attempts=(), verdicts=(), status="planned")
    found = findings_of(record)

    assert found.verdict == "inconclusive"
    assert found.sentence == "Inconclusive: no run counts yet."
    assert not found.effects
    assert found.tallies[0].counted == 0
    assert found.tallies[0].score is None


def test_a_baseline_alone_is_compared_with_nothing() -> None:
    """It has scores and no verdict."""
    found = findings_of(scored({"without": [50.0] * 6}))

    assert found.verdict == "inconclusive"
    assert found.sentence == "Inconclusive: there is no condition beside the baseline."
    assert not found.effects


def test_a_block_of_one_condition_counts_for_none() -> None:
    """There is nothing to compare it with."""
    record = better()
    alone = [one for one in record.attempts if one.slot.condition == "with"]

    assert not findings_of(replace(record, attempts=tuple(alone))).scores


def test_tallies_tell_what_became_of_every_attempt() -> None:
    """Seed 004 section 7: retries and discards are counted beside, per condition."""
    record = better()
    slot = Slot("t0", "with", 1)
    more = (
        attempt(slot, standing=EMPTY, output="", usage=Usage(cost_usd=0.25)),
        attempt(slot, number=2, standing=CRASHED, model=None),
    )
    again = [
        replace(one, round=2, number=one.number + 2 * (one.slot == slot))
        if one.slot.task_id == "t0"
        else one
        for one in record.attempts
    ]
    found = findings_of(replace(record, attempts=(*more, *again)))
    without, with_ = found.tallies

    assert (without.condition, with_.condition) == ("without", "with")
    assert (with_.planned, with_.counted, with_.attempts) == (6, 6, 8)
    assert (with_.retried, with_.discarded) == (1, {"crashed": 1})
    assert with_.total_cost_usd == 0.25
    assert with_.cost_usd is None
    assert without.models == ("glm-5",)
    assert found.unjudged == 1  # the verdicts were on another attempt


def test_means_of_a_condition_are_over_tasks() -> None:
    """Durations by their geometric mean, the others by the plain one."""
    record = changed(
        scored({"without": [50.0, 100.0], "with": [75.0, 100.0]}),
        lambda one: {
            "duration_s": 10.0 if one.slot.task_id == "t0" else 40.0,
            "counts": Counts(3, 2, 5 if one.slot.task_id == "t0" else 8),
            "usage": Usage(100, 20, 0.5),
        },
    )
    found = findings_of(record).tallies[0]

    assert found.score == 75
    assert found.completion == 50
    assert found.duration_s == pytest.approx(20)
    assert (found.tool_calls, found.files_read, found.turns) == (3, 2, 6.5)
    assert (found.tokens, found.cost_usd, found.total_cost_usd) == (120, 0.5, 1.0)


def test_uneven_losses_are_told() -> None:
    """A condition that breaks the agent may look good in what is left."""
    record = better()
    slots = [Slot(f"t{n}", "with", 1) for n in range(6)] * 3
    retried = [attempt(slot, number=9, standing=EMPTY) for slot in slots]
    found = findings_of(replace(record, attempts=(*retried, *record.attempts)))

    assert (
        "attempts that do not count are spread unevenly: 18 of 24 of `with`, 0 of 6 of"
        in " ".join(found.notes)
    )


def test_many_gates_are_told_to_raise_false_alarms() -> None:
    """Each gate has its own."""
    gates = (ExperimentGate("score", min_difference=0.0),) * 4

    assert (
        "4 gates are judged: without any change one of them fails by chance in up to 10% of "
        "experiments"
    ) in findings_of(better(gates=gates)).notes


def test_five_conditions_are_each_compared_with_the_baseline() -> None:
    """Findings go condition by condition."""
    names = ["base", "b", "c", "d", "e"]
    random = Random(5)
    record = scored({name: [random.randrange(41) * 2.5 for _ in range(7)] for name in names})
    found = findings_of(record)

    assert [one.condition for one in found.effects if one.metric == "score"] == names[1:]
    assert len(found.gates) == 4
    assert len(found.tasks) == 28
    assert [one.condition for one in found.tallies] == names


def assert_finite(found: Findings) -> None:
    """Every figure can be written as JSON."""
    slots = {"scores": (), "agreements": (), "discards": ()}
    json.dumps(asdict(replace(found, **slots)), allow_nan=False)


@pytest.mark.parametrize("value", [0.0, 1e-300, 1e90, 1e300, math.inf, math.nan, -1.0])
def test_strange_figures_spoil_nothing(value: float) -> None:
    """What is no measurement is not known; what is huge is reckoned with."""
    record = changed(
        better(), lambda one: {"duration_s": value if one.place == 1 else 1.0, "counts": Counts()}
    )

    assert_finite(findings_of(record))


def test_huge_counts_are_no_fault() -> None:
    """A number that no float can hold is not known."""
    record = changed(better(), lambda one: {"usage": Usage(10**400, 1, 1e300)})

    assert_finite(findings_of(record))


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 8), st.integers(1, 3), st.integers(2, 5), st.randoms(use_true_random=False))
def test_any_record_gives_findings(
    tasks: int, trials: int, conditions: int, random: Random
) -> None:
    """However few runs have ended and been judged; in which order they ended plays no part."""
    names = [f"k{number}" for number in range(conditions)]
    given_scores = {
        name: [random.randrange(41) * 2.5 for _ in range(tasks * trials)] for name in names
    }
    record = scored(given_scores, trials=trials, cluster=random.choice([None, "id"]))
    kept = tuple(one for one in record.attempts if random.random() < 0.9)
    record = replace(
        record,
        attempts=kept,
        verdicts=tuple(one for one in record.verdicts if random.random() < 0.99),
        sequential=random.random() < 0.5,
    )
    found = findings_of(record)
    shuffled = random.sample(kept, len(kept))

    assert_finite(found)
    assert findings_of(replace(record, attempts=tuple(shuffled))) == found


def test_the_smallest_effect_shrinks_with_tasks() -> None:
    """It takes two tasks to tell one at all."""
    assert smallest_effect(1, 0.95) is None
    assert smallest_effect(2, 0.95) == pytest.approx(9.96, abs=0.01)
    assert smallest_effect(30, 0.95) == pytest.approx(0.53, abs=0.01)
    found = [smallest_effect(n, 0.95) or 0.0 for n in range(2, 50)]
    assert found == sorted(found, reverse=True)


def test_an_earlier_run_tells_the_smallest_effect_in_points() -> None:
    """Its tasks' differences have a spread; where all differ by the same nothing is told."""
    random = Random(1)
    base = [random.randrange(20) * 2.5 for _ in range(12)]
    earlier = scored({"without": base, "with": [one + random.randrange(20) * 2.5 for one in base]})
    shown = smallest_points(earlier, 12)

    assert shown == pytest.approx(findings_of(earlier).effects[0].detectable)
    assert smallest_points(earlier, 1) is None
    assert smallest_points(scored({"a": [50.0] * 6, "b": [60.0] * 6}), 12) is None
    assert smallest_points(BenchRecord("r", experiment(3), 1, ()), 12) is None
