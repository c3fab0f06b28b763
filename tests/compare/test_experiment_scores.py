"""Scores of runs from the verdicts on their criteria."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compare.experiments import CRITERIA, attempt, experiment, judged, scored
from runledger.compare.experiment import findings_of
from runledger.ledger.attempt import Slot, Standing
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import Scoring, Word
from runledger.ledger.findings import BenchRecord, RunScore
from runledger.ledger.task import Task
from runledger.ledger.verdict import CHECK, MANUAL, CriterionVerdict

WITH, WITHOUT = Slot("t0", "with", 1), Slot("t0", "without", 1)


def one_task(criteria: int, *verdicts: CriterionVerdict, **scoring: object) -> BenchRecord:
    """Make a record of one task with so many criteria, judged as told."""
    asked = experiment(1, scoring=Scoring(**scoring))  # type: ignore[arg-type]
    task = Task("t0", "question", criteria=CRITERIA[:criteria])
    return BenchRecord(
        "run",
        replace(asked, tasks=(task,)),
        1,
        (),
        (attempt(WITHOUT), attempt(WITH, place=2)),
        verdicts,
        status="done",
    )


def said(criterion: int, word: Word | None, judge: str = "j1", **more: object) -> CriterionVerdict:
    """Give one verdict on the run with context."""
    return replace(
        CriterionVerdict(WITH, 1, f"c{criterion}", judge, word),
        **more,  # type: ignore[arg-type]
    )


def score_with(record: BenchRecord) -> RunScore:
    """Give the score of the run with context."""
    return next(one for one in findings_of(record).scores if one.slot == WITH)


def test_met_partial_and_missed_are_worth_1_a_half_and_0() -> None:
    """Seed 004 section 4: the score is points over criteria, in percent."""
    words: tuple[Word, ...] = ("met", "partial", "missed", "met")
    found = score_with(one_task(4, *(said(n, word) for n, word in enumerate(words))))

    assert found.score == 62.5
    assert found.points == {"c0": 1.0, "c1": 0.5, "c2": 0.0, "c3": 1.0}
    assert found.complete is False


@pytest.mark.parametrize(
    ("met", "criteria", "complete"), [(4, 5, True), (3, 4, False), (8, 10, True)]
)
def test_a_task_is_complete_from_80_percent_on(met: int, criteria: int, complete: bool) -> None:
    """Seed 004 section 4: the cut is on the score before it is rounded, and 4 of 5 meets it."""
    verdicts = [said(n, "met" if n < met else "missed") for n in range(criteria)]

    assert score_with(one_task(criteria, *verdicts)).complete is complete


def test_thirds_meet_their_limit() -> None:
    """Points and limits are taken as they are written, so that no rounding decides."""
    words: tuple[Word, ...] = ("met", "met", "partial")
    scoring = {"points": {"met": 1.0, "partial": 0.1, "missed": 0.0}, "complete_at": 70.0}
    found = score_with(one_task(3, *(said(n, word) for n, word in enumerate(words)), **scoring))

    assert found.score == 70.0
    assert found.complete is True


def test_judges_are_averaged() -> None:
    """A person who judges is one of them."""
    verdicts = (said(0, "met"), said(0, "partial", "j2"), said(0, "missed", MANUAL))

    assert score_with(one_task(1, *verdicts)).score == 50.0


def test_a_check_settles_its_criterion() -> None:
    """What judges say of it beside does not count."""
    assert score_with(one_task(1, said(0, "met", CHECK), said(0, "missed"))).score == 100.0


def test_a_void_verdict_is_none() -> None:
    """A criterion that has no other leaves the run without a score."""
    record = one_task(2, said(0, "met"), said(1, "met", void="the quote is not there"))

    assert score_with(record).score is None
    assert score_with(record).points == {"c0": 1.0, "c1": None}
    assert findings_of(record).unjudged == 2


def test_a_verdict_on_another_attempt_does_not_count() -> None:
    """It is about an answer that was discarded."""
    assert score_with(one_task(1, said(0, "met", attempt=2))).score is None


def test_a_run_that_timed_out_without_an_answer_states_nothing() -> None:
    """It scores 0, and nobody has to judge it."""
    record = one_task(2, *judged(WITHOUT, 100))
    late = attempt(WITH, timed_out=True, output="", place=2)
    found = replace(record, attempts=(record.attempts[0], late))

    assert score_with(found).score == 0
    assert score_with(found).complete is False
    assert findings_of(found).unjudged == 0
    assert findings_of(found).notes[0] == (
        "runs that timed out count as answers that state nothing: 1 of `with`"
    )


def test_a_task_without_criteria_has_no_score_and_lacks_no_verdict() -> None:
    """There is nothing to judge."""
    record = one_task(0)

    assert score_with(record).score is None
    assert findings_of(record).unjudged == 0


def test_only_whole_blocks_count() -> None:
    """Seed 004 section 7: a discarded run takes its partner with it."""
    record = scored({"without": [50.0, 60.0], "with": [70.0, 80.0]})
    crashed = Standing("discarded", "crashed", "it crashed")
    attempts = tuple(
        replace(one, standing=crashed) if one.slot == Slot("t1", "with", 1) else one
        for one in record.attempts
    )
    found = findings_of(replace(record, attempts=attempts))

    assert [one.slot for one in found.scores] == [WITHOUT, WITH]
    assert [one.cause for one in found.discards] == ["crashed"]
    assert found.tallies[1].discarded == {"crashed": 1}


def test_criteria_with_a_check_and_without_are_added_up() -> None:
    """All criteria of a task weigh the same."""
    record = one_task(2, said(0, "missed", CHECK), said(1, "met"))
    task = replace(
        record.experiment.tasks[0], criteria=(Criterion("c0", "x", contains="x"), CRITERIA[1])
    )
    asked = replace(record.experiment, tasks=(task,))

    assert score_with(replace(record, experiment=asked)).score == 50.0
