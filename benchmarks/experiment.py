"""How often an experiment's gate is wrong: conditions that change nothing, and some that do.

Each row draws many experiments of two conditions and judges the second one by a gate. A task has
facts that the agent always finds or never does, and others that it finds by chance, anew in each
run: their share is the noise. Where nothing changed, the gate may say no-go in at most 5 % of the
experiments; where something did, it should notice. Beside it stands the naive gate, which fails
whenever the mean is below the limit, or the 95th percentile of durations grew by over 10 %.

Usage: experiment.py [EXPERIMENTS] [SEED]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from runledger.compare.e_value import e_value, threshold_of
from runledger.compare.experiment import findings_of
from runledger.compare.paired import t_interval
from runledger.compare.rates import quantile
from runledger.ledger.attempt import Attempt, PlannedRun, Slot, Standing
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import Condition, Experiment, ExperimentGate, Protocol, Word
from runledger.ledger.findings import BenchRecord
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.ledger.verdict import CriterionVerdict

DEFAULTS = ("300", "20260215")
LEVEL = 0.95
BASE, OTHER = "without", "with"
CRITERIA = tuple(Criterion(f"c{number}", "a fact") for number in range(5))
PARTIAL = 0.1  # of facts that were found are told but in part
NOT_WORSE = ExperimentGate("score", min_difference=0.0)
NOT_SLOWER = ExperimentGate("duration_s", max_difference=0.0)
NAIVE_P95 = 1.1
LOOKS = 60  # tasks at the most, where one looks after each


@dataclass(frozen=True)
class Situation:
    """What is drawn: the size of an experiment, its noise, and what the condition changes."""

    name: str
    tasks: int
    noise: float = 0.3  # the share of facts that are found by chance
    gain: float = 0.0  # the share of missed facts that are found, or of found ones lost
    trials: int = 1
    spread: float = 0.4  # of durations, as the standard deviation of their logarithm
    slow: float = 1.0
    gate: ExperimentGate = NOT_WORSE


def unchanged() -> Iterator[Situation]:
    """Yield situations in which the condition changes nothing, at several levels of noise."""
    for noise in (0.05, 0.3, 1.0):
        for tasks in (6, 12, 30):
            yield Situation(f"noise {noise:.0%}", tasks, noise)
    yield Situation("noise 100%, 3 trials", 8, 1.0, trials=3)
    for spread in (0.2, 0.4, 0.8):
        yield Situation(f"durations, spread {spread}", 12, spread=spread, gate=NOT_SLOWER)


def changed() -> Iterator[Situation]:
    """Yield situations in which the condition makes the agent worse, better or slower."""
    for tasks in (6, 12, 30):
        yield Situation("loses 40% of facts", tasks, gain=-0.4)
        yield Situation("finds 40% more", tasks, gain=0.4)
    yield Situation("loses 40%, noise 100%", 12, 1.0, gain=-0.4)
    yield Situation("the same, 3 trials", 12, 1.0, gain=-0.4, trials=3)
    yield Situation("loses 10% of facts", 30, gain=-0.1)
    for slow in (1.4, 2.0):
        yield Situation(f"takes {slow} times as long", 20, slow=slow, gate=NOT_SLOWER)


def drawn(situation: Situation, random: Random) -> BenchRecord:
    """Draw an experiment that was run and judged to its end."""
    experiment = _experiment(situation)
    attempts: list[Attempt] = []
    verdicts: list[CriterionVerdict] = []
    for task in experiment.tasks:
        known = [random.random() < 0.5 for _ in CRITERIA]
        for trial in range(1, situation.trials + 1):
            for place, name in enumerate(random.sample((BASE, OTHER), 2), 1):
                slot = Slot(task.id, name, trial)
                attempts.append(_attempt(slot, place, situation, random))
                verdicts += _verdicts(slot, known, situation, random)
    plan = tuple(PlannedRun(number, one.slot, one.place) for number, one in enumerate(attempts, 1))
    return BenchRecord(
        "drawn", experiment, 1, plan, tuple(attempts), tuple(verdicts), status="done"
    )


def _experiment(situation: Situation) -> Experiment:
    return Experiment(
        name="simulation",
        file="",
        directory="",
        agent=AgentSettings(()),
        cwd="",
        tasks=tuple(Task(f"t{n}", "", criteria=CRITERIA) for n in range(situation.tasks)),
        conditions=(Condition(BASE, baseline=True), Condition(OTHER)),
        protocol=Protocol("", "", {}, {}, ()),
        trials=situation.trials,
        gates=(situation.gate,),
        level=LEVEL,
    )


def _attempt(slot: Slot, place: int, situation: Situation, random: Random) -> Attempt:
    typical = 10 * (int(slot.task_id[1:]) % 5 + 1)
    took = typical * random.lognormvariate(0, situation.spread)
    slow = situation.slow if slot.condition == OTHER else 1.0
    return Attempt(slot, 1, 1, place, Standing(), "an answer", took * slow)


def _verdicts(
    slot: Slot, known: Sequence[bool], situation: Situation, random: Random
) -> Iterator[CriterionVerdict]:
    gain = situation.gain if slot.condition == OTHER else 0.0
    for criterion, always in zip(CRITERIA, known, strict=True):
        found = random.random() < 0.5 if random.random() < situation.noise else always
        if random.random() < abs(gain):
            found = gain > 0
        word: Word = "missed"
        if found:
            word = "partial" if random.random() < PARTIAL else "met"
        yield CriterionVerdict(slot, 1, criterion.id, "j1", word)


def naive_no_go(record: BenchRecord, situation: Situation) -> bool:
    """Judge by the bare figures: any mean on the wrong side, any 95th percentile over 10 %."""
    if situation.gate.metric == "duration_s":
        before, now = (
            [one.duration_s for one in record.attempts if one.slot.condition == name]
            for name in (BASE, OTHER)
        )
        return quantile(now, 0.95) > NAIVE_P95 * quantile(before, 0.95)
    worth: dict[Word, float] = {"met": 1.0, "partial": 0.5, "missed": 0.0}
    total = sum(
        worth[one.verdict] * (1 if one.slot.condition == OTHER else -1)
        for one in record.verdicts
        if one.verdict is not None
    )
    return total < 0


def report(situation: Situation, experiments: int, random: Random) -> float:
    """Print how often the gate said what, and how often the naive one fails; give the no-go's."""
    verdicts: Counter[str | None] = Counter()
    naive = 0
    for _ in range(experiments):
        record = drawn(situation, random)
        verdicts[findings_of(record).verdict] += 1
        naive += naive_no_go(record, situation)
    shares = [verdicts[word] / experiments for word in ("fail", "inconclusive", "pass")]
    figures = "".join(f"{share:14.1%}" for share in [*shares, naive / experiments])
    print(f"{situation.name:28}{situation.tasks:6}{figures}")
    return shares[0]


def report_early_looks(noise: float, experiments: int, random: Random) -> float:
    """Print how often looking after every task finds a change that is none, in both ways."""
    situation = Situation("", LOOKS, noise)
    wrong = Counter(_fooled(drawn(situation, random)) for _ in range(experiments))
    by_e_value = sum(times for (one, _), times in wrong.items() if one) / experiments
    by_interval = sum(times for (_, one), times in wrong.items() if one) / experiments
    print(f"{f'noise {noise:.0%}':28}{LOOKS:6}{by_e_value:14.1%}{by_interval:14.1%}")
    return by_e_value


def _fooled(record: BenchRecord) -> tuple[bool, bool]:
    """Look after every task: does the e-value decide, does an interval exclude 0?"""
    differences = [one.difference for one in findings_of(record).tasks]
    wins = losses = 0
    decided = excluded = False
    for looked, difference in enumerate(differences, 1):
        wins, losses = wins + (difference > 0), losses + (difference < 0)
        decided |= e_value(wins, losses) >= threshold_of(LEVEL)
        low, high = (looked >= 6 and t_interval(differences[:looked], LEVEL)) or (0.0, 0.0)
        excluded |= low > 0 or high < 0
    return decided, excluded


def main() -> None:
    """Draw every situation, and say whether false alarms are rare enough."""
    experiments, seed = (int(word) for word in [*sys.argv[1:], *DEFAULTS[len(sys.argv) - 1 :]])
    random, started = Random(seed), time.perf_counter()
    columns = f"{'no-go':>14}{'inconclusive':>14}{'go':>14}{'naive no-go':>14}"
    head = f"{'':28}{'tasks':>6}{columns}"
    print(f"seed {seed}\n\nno change, {experiments} experiments each\n{head}")
    alarms = [report(situation, experiments, random) for situation in unchanged()]
    fewer = max(1, experiments // 2)
    print(f"\na real change, {fewer} experiments each\n{head}")
    for situation in changed():
        report(situation, fewer, random)
    print(f"\nno change, a look after each task, {fewer} experiments each: decided wrongly")
    print(f"{'':28}{'tasks':>6}{'e-value':>14}{'interval':>14}")
    early = [report_early_looks(noise, fewer, random) for noise in (0.3, 1.0)]
    false = f"{sum(alarms) / len(alarms):.1%} on average, {max(alarms):.1%} at worst"
    looks = f"with early looks {max(early):.1%} at worst"
    print(f"\nfalse alarms: {false}; {looks}; {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
