"""What a reader of an experiment's figures should know beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ledger.experiment import GateMetric
from ...ledger.findings import ConditionTally, Effect, GateFinding, OrderEffect
from ..clusters import FEW_CLUSTERS
from ..exact import Stratum, drop_chance
from .sides import Outcomes, unfinished_blocks

SURE = 0.05
MANY_GATES = 3  # up to two, their false alarms together stay within what the level allows
NAMES: dict[GateMetric, str] = {"score": "score", "duration_s": "duration"}


def notes_of(
    outcomes: Outcomes,
    tallies: Sequence[ConditionTally],
    effects: Sequence[Effect],
    gates: Sequence[GateFinding],
    order: Sequence[OrderEffect],
) -> Iterator[str]:
    """Tell what is unfinished, what was left out, and what casts doubt on the figures."""
    yield from _unfinished(outcomes)
    yield from _left_out(tallies)
    yield from _few_clusters(effects)
    yield from _order(order)
    yield from _many_gates(gates, outcomes.record.experiment.level)


def unjudged_runs(outcomes: Outcomes) -> int:
    """Count the runs that count and have a criterion without a verdict."""
    return sum(None in one.run.points.values() for one in outcomes.runs)


def not_run(outcomes: Outcomes) -> str:
    """Say how many blocks have not been run to their end."""
    left, planned = (
        unfinished_blocks(outcomes),
        len({one.slot[::2] for one in outcomes.record.plan}),
    )
    return f"{left:,} of {planned:,} comparisons {_have(left)} not been run to the end"


def _unfinished(outcomes: Outcomes) -> Iterator[str]:
    record = outcomes.record
    if unfinished_blocks(outcomes):
        yield f"{not_run(outcomes)}, and {_count(unfinished_blocks(outcomes))} for nothing"
    if record.stopped is not None and record.status != "invalid":  # the sentence says so
        yield f"the run ended before its plan: {record.stopped}"
    missing = unjudged_runs(outcomes)
    if missing:
        yield f"{_runs(missing)} not judged yet, and in no score: see `runledger bench judge`"


def _left_out(tallies: Sequence[ConditionTally]) -> Iterator[str]:
    late = [f"{one.timed_out} of `{one.condition}`" for one in tallies if one.timed_out]
    if late:
        yield f"runs that timed out count as answers that state nothing: {', '.join(late)}"
    for one in tallies[1:]:
        if _uneven(tallies[0], one) <= SURE:
            yield (
                "attempts that do not count are spread unevenly: "
                f"{_lost(one)} of {one.attempts} of `{one.condition}`, "
                f"{_lost(tallies[0])} of {tallies[0].attempts} of `{tallies[0].condition}`"
            )


def _lost(tally: ConditionTally) -> int:
    return tally.retried + sum(tally.discarded.values())


def _uneven(a: ConditionTally, b: ConditionTally) -> float:
    """Give the chance of losses so uneven, by Fisher's exact test, both sides."""
    if not a.attempts or not b.attempts:
        return 1.0
    one = Stratum(_lost(a), a.attempts, _lost(b), b.attempts)
    other = Stratum(_lost(b), b.attempts, _lost(a), a.attempts)
    return min(1.0, 2 * min(drop_chance(one), drop_chance(other)))


def _few_clusters(effects: Sequence[Effect]) -> Iterator[str]:
    fewest = min((one.clusters for one in effects if one.clusters is not None), default=None)
    if fewest is not None and fewest < FEW_CLUSTERS:
        yield f"{fewest} clusters are few: under {FEW_CLUSTERS} the intervals are unreliable"


def _order(order: Sequence[OrderEffect]) -> Iterator[str]:
    for one in order:
        if one.p is not None and one.p < SURE:
            unit = "points" if one.metric == "score" else "s"
            yield (
                f"order matters to the {NAMES[one.metric]} of `{one.condition}`: its difference "
                f"is {_figure(one.first)} {unit} where it ran first "
                f"and {_figure(one.second)} where second "
                f"(p {one.p:.2g})"
            )


def _many_gates(gates: Sequence[GateFinding], level: float) -> Iterator[str]:
    if len(gates) >= MANY_GATES:
        most = min(1.0, len(gates) * (1 - level) / 2)
        yield (
            f"{len(gates)} gates are judged: without any change one of them fails by chance "
            f"in up to {most:.0%} of experiments"
        )


def _figure(value: float) -> str:
    """Write a difference so that a small one does not look like nothing."""
    return f"{value:.1f}" if not value or abs(value) >= 0.05 else f"{value:.2g}"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _count(number: int) -> str:
    return "counts" if number == 1 else "count"


def _runs(number: int) -> str:
    return "1 run is" if number == 1 else f"{number:,} runs are"
