"""Experiments that ran: records written down by the scores of their tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from runledger.ledger.attempt import Attempt, PlannedRun, Slot, Standing
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import (
    Condition,
    Experiment,
    ExperimentGate,
    JudgeProgram,
    Protocol,
    Scoring,
    Word,
)
from runledger.ledger.findings import BenchRecord
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.ledger.verdict import CriterionVerdict

CRITERIA = tuple(Criterion(f"c{number}", f"fact {number}") for number in range(20))
NOT_WORSE = ExperimentGate("score", min_difference=0.0)
JUDGE = "j1"

Scores = Mapping[str, Sequence[float]]  # by condition, the baseline first: one for each task


def experiment(
    tasks: int, conditions: Iterable[str] = ("without", "with"), **about: Any
) -> Experiment:
    """Make an experiment whose tasks have twenty criteria; the first condition is the baseline."""
    plain = Experiment(
        name="lens",
        file="experiment.yaml",
        directory="/home/me/bench",
        agent=AgentSettings(("agent",), "headless"),
        cwd="/home/me/repo",
        tasks=tuple(
            Task(f"t{number}", f"question {number}", criteria=CRITERIA) for number in range(tasks)
        ),
        conditions=tuple(
            Condition(name, baseline=not place) for place, name in enumerate(conditions)
        ),
        protocol=Protocol("0" * 64, "/home/me/bench", {}, {}, ()),
        scoring=Scoring(judges=(JudgeProgram(JUDGE, ("./judge",)),)),
        gates=(NOT_WORSE,),
    )
    return replace(plain, **about)


def scored(scores: Scores, **about: Any) -> BenchRecord:
    """Make the record of an experiment whose runs have these scores: multiples of 2.5.

    With several trials the scores go trial by trial within a task.
    """
    trials = about.get("trials", 1)
    asked = experiment(len(next(iter(scores.values()))) // trials, scores, **about)
    record = BenchRecord(
        "20260215-101530-a1b2c3", asked, 1, tuple(_plan(asked)), status="done", launches=()
    )
    given = {
        slot: scores[slot.condition][number * trials + slot.trial - 1]
        for slot, number in ((one.slot, int(one.slot.task_id[1:])) for one in record.plan)
    }
    verdicts = [one for slot, score in given.items() for one in judged(slot, score)]
    return replace(
        record,
        attempts=tuple(attempt(one.slot, place=one.place) for one in record.plan),
        verdicts=tuple(verdicts),
    )


def _plan(asked: Experiment) -> Iterator[PlannedRun]:
    """Plan all runs; every other block begins with another condition."""
    names = [one.name for one in asked.conditions]
    number = 0
    for trial in range(1, asked.trials + 1):
        for index, task in enumerate(asked.tasks):
            turn = (index + trial) % len(names)
            for place, name in enumerate(names[turn:] + names[:turn], 1):
                number += 1
                yield PlannedRun(number, Slot(task.id, name, trial), place)


def attempt(slot: Slot, **more: Any) -> Attempt:
    """Make an attempt that counts."""
    plain = Attempt(slot, 1, 1, 1, Standing(), "an answer", 10.0, model="glm-5")
    return replace(plain, **more)


def judged(slot: Slot, score: float, judge: str = JUDGE) -> Iterator[CriterionVerdict]:
    """Give the verdicts that make this score: met, then at most one partial, then missed."""
    halves = round(score / 2.5)
    for place, criterion in enumerate(CRITERIA):
        left = halves - 2 * place
        word: Word = "met" if left >= 2 else "partial" if left == 1 else "missed"
        yield CriterionVerdict(slot, 1, criterion.id, judge, word)


def changed(record: BenchRecord, change: Any) -> BenchRecord:
    """Make every attempt another: `change` gives its other fields."""
    attempts = tuple(replace(one, **change(one)) for one in record.attempts)
    return replace(record, attempts=attempts)
