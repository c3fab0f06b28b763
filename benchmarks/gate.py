"""How often the live gate is wrong: runs with no change at all, and runs with a real one.

Each row draws many pairs of runs from the same agent (no change) or from a worse one, promotes the
first of each pair and gates the second. Every case has a rate and a duration of its own. The gate
may fail at most 5 % of the runs in which nothing changed, however noisy; of the others it should
fail many. Beside it stands the naive gate, which holds the bare figures against the thresholds.
At last a large suite whose graders failed now and then is timed: its numbers of trials are ragged.

Usage: gate.py [PAIRS] [SEED]
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from runledger.compare.promote import baseline_of
from runledger.compare.rates import summarize
from runledger.compare.regression import regression_of
from runledger.ledger.grade import Failure
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.run import Ending, RunRecord, Summary, TrialRow
from runledger.ledger.suite import Thresholds
from runledger.ledger.usage import Tally

FELL_SHORT = Failure("assertion_failed", "")
NOT_GRADED = Failure("grader_error", "")
UNGRADED = 0.05
DEFAULTS = ("300", "20260215")
SPREAD = 0.4  # of durations, as the standard deviation of their logarithm
ALLOWED = Thresholds(
    min_success_rate=0.8, max_avg_wall_ms_delta_pct=25, max_p95_wall_ms_delta_pct=50
)
WHOLE = Thresholds(min_success_rate=1.0)
STRICT = Thresholds(max_avg_wall_ms_delta_pct=10, max_p95_wall_ms_delta_pct=10)
POINT = Thresholds(max_avg_wall_ms_delta_pct=10, max_p95_wall_ms_delta_pct=10, gate="point")


@dataclass(frozen=True)
class Agent:
    """An agent: how often it passes, in how many cases it never does, and how slow it is."""

    rate: float
    broken: int = 0
    slow: float = 1.0


@dataclass(frozen=True)
class Situation:
    """What is drawn: a suite's size, its gate, and the agent before and now."""

    name: str
    cases: int
    trials: int
    before: Agent
    now: Agent
    thresholds: Thresholds = ALLOWED
    spread: float = SPREAD


def unchanged() -> Iterator[Situation]:
    """Yield situations in which nothing changed."""
    good, fair, poor = Agent(0.95), Agent(0.8), Agent(0.5)
    yield Situation("passes 95%", 20, 5, good, good)
    yield Situation("passes 80%, as asked", 20, 5, fair, fair)
    yield Situation("passes 95%, asked 100%", 20, 5, good, good, WHOLE)
    for cases, trials in ((5, 3), (20, 5), (50, 3)):
        yield Situation("passes 95%, strict", cases, trials, good, good, STRICT)
    yield Situation("passes 50%, strict", 10, 5, poor, poor, STRICT)
    for spread in (0.1, 0.8):
        yield Situation(f"durations spread by {spread}", 20, 5, good, good, STRICT, spread)


def changed() -> Iterator[Situation]:
    """Yield situations in which the agent got worse."""
    good = Agent(0.95)
    for cases, trials in ((5, 3), (20, 3), (20, 5)):
        yield Situation("one case breaks", cases, trials, good, Agent(0.95, broken=1))
        yield Situation("two cases break", cases, trials, good, Agent(0.95, broken=2))
    for cases, trials in ((3, 20), (20, 5)):
        yield Situation("95% to 70%", cases, trials, good, Agent(0.7))
    for cases, trials in ((5, 5), (20, 5)):
        yield Situation("twice as slow", cases, trials, good, Agent(0.95, slow=2.0))
        yield Situation("40% slower", cases, trials, good, Agent(0.95, slow=1.4))


def drawn(situation: Situation, agent: Agent, random: Random) -> Summary:
    """Draw a run of an agent."""
    rows = [
        _row(number, trial, agent, situation.spread, random)
        for number in range(situation.cases)
        for trial in range(situation.trials)
    ]
    manifest = Manifest(
        run_id="drawn",
        suite_name="simulation",
        mode="live",
        started="",
        cases=tuple(PlannedCase(f"c{number}") for number in range(situation.cases)),
        trials=situation.trials,
        thresholds=situation.thresholds,
    )
    return summarize(RunRecord(manifest, tuple(rows), Ending()))


def _row(number: int, trial: int, agent: Agent, spread: float, random: Random) -> TrialRow:
    passed = number >= agent.broken and random.random() < agent.rate
    typical = 1000 * (number % 10 + 1) * agent.slow
    wall_ms = round(typical * random.lognormvariate(0, spread))
    failures = () if passed else (FELL_SHORT,)
    status = "passed" if passed else "failed"
    return TrialRow(f"c{number}", trial + 1, 1, status, Tally(wall_ms), failures=failures)


def ragged(summary: Summary, random: Random) -> Summary:
    """Take the grades of some trials away."""
    rows = tuple(
        replace(row, status="error", failures=(NOT_GRADED,)) if random.random() < UNGRADED else row
        for row in summary.record.rows
    )
    return summarize(replace(summary.record, rows=rows))


def report_time(situation: Situation, random: Random) -> None:
    """Print how long the gate takes over one pair of ragged runs."""
    baseline = baseline_of(ragged(drawn(situation, situation.before, random), random))
    now = ragged(drawn(situation, situation.now, random), random)
    started = time.perf_counter()
    regression_of(now, baseline)
    took = time.perf_counter() - started
    print(f"{situation.name:24}{situation.cases:6}{situation.trials:8}{took:12.2f} s")


def report(situation: Situation, pairs: int, random: Random) -> float:
    """Print how often the gate failed, was inconclusive and passed; give the first."""
    verdicts: Counter[str] = Counter()
    naive: Counter[str] = Counter()
    for _ in range(pairs):
        baseline = baseline_of(drawn(situation, situation.before, random))
        now = drawn(situation, situation.now, random)
        verdicts[regression_of(now, baseline).verdict] += 1
        naive[regression_of(_naively(now), baseline).verdict] += 1
    shares = [verdicts[word] / pairs for word in ("fail", "inconclusive", "pass")]
    figures = "".join(f"{share:14.1%}" for share in [*shares, naive["fail"] / pairs])
    print(f"{situation.name:24}{situation.cases:6}{situation.trials:8}{figures}")
    return shares[0]


def _naively(summary: Summary) -> Summary:
    """Let the same run be judged by its bare figures."""
    manifest = summary.record.manifest
    assert manifest.thresholds is not None
    bare = replace(manifest, thresholds=replace(manifest.thresholds, gate="point"))
    return replace(summary, record=replace(summary.record, manifest=bare))


def main() -> None:
    """Draw every situation, and say whether false alarms are rare enough."""
    pairs, seed = (int(word) for word in [*sys.argv[1:], *DEFAULTS[len(sys.argv) - 1 :]])
    random, started, agent = Random(seed), time.perf_counter(), Agent(0.95)
    columns = f"{'fail':>14}{'inconclusive':>14}{'pass':>14}{'naive fails':>14}"
    head = f"{'':24}{'cases':>6}{'trials':>8}{columns}"
    print(f"seed {seed}\n\nno change, {pairs} pairs of runs each\n{head}")
    alarms = [report(situation, pairs, random) for situation in unchanged()]
    fewer = max(1, pairs // 4)
    print(f"\na real change, {fewer} pairs each\n{head}")
    for situation in changed():
        report(situation, fewer, random)
    print(f"\nfor scale: one trial of each case, no change, {fewer} pairs\n{head}")
    report(Situation("passes 100%, strict", 20, 1, Agent(1.0), Agent(1.0), POINT), fewer, random)
    print(f"\nthe time of one gate, {UNGRADED:.0%} of the trials not graded")
    for cases, rate in ((400, 0.93), (1000, 0.95), (1000, 0.93), (1000, 0.5)):
        name = f"95% to {rate:.0%}, asked 100%"
        report_time(Situation(name, cases, 10, agent, Agent(rate), WHOLE), random)
    false = f"{sum(alarms) / len(alarms):.1%} on average, {max(alarms):.1%} at worst"
    print(f"\nfalse alarms: {false}; {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
