"""Whether B is worse than A: pass, fail, or inconclusive where chance may explain it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..ledger.comparison import Metric, MetricId
from ..ledger.regression import Verdict
from .clusters import centre_of, fewest
from .further import further_units
from .metrics import FEWEST_TASKS, differences_of
from .pairing import Pair

SURE = 0.05
UNGRADED = "nothing was graded on both sides: whether B is worse cannot be told"
_LOWER: Mapping[MetricId, str] = {"pass_rate": "passes less often", "score": "scores lower"}
_NO_LOWER: Mapping[MetricId, str] = {
    "pass_rate": "passes no less often",
    "score": "scores no lower",
}


class Judged(NamedTuple):
    """The verdict on B beside A, and why."""

    verdict: Verdict
    reason: str


def judge(metrics: Sequence[Metric], pairs: Sequence[Pair], tests: int) -> Judged:
    """Judge B by its pass rate, or else by its score; `tests` were made and adjusted together.

    A failure needs a drop beyond chance, by the adjusted test and by the interval. A drop that may
    be chance is inconclusive, and so are so few tasks that no drop could be shown.
    """
    known = {metric.id: metric for metric in metrics}
    found = known.get("pass_rate") or known.get("score")
    if found is None:
        return Judged("inconclusive", UNGRADED)
    if (found.difference or 0.0) < 0:
        return _fallen(found, pairs, tests)
    reason = f"B {_NO_LOWER[found.id]} than A, over {_tasks(found, pairs)}"
    if found.n < FEWEST_TASKS:
        would = _further(FEWEST_TASKS - found.n)
        return Judged("inconclusive", f"{reason}: too few to show a drop; {would} would decide")
    return Judged("pass", reason + _lower_score(known))


def _fallen(found: Metric, pairs: Sequence[Pair], tests: int) -> Judged:
    told = f"B {_LOWER[found.id]} than A"
    p = 1.0 if found.p_adjusted is None else found.p_adjusted
    if p <= SURE and found.ci is not None and found.ci[1] < 0:
        over = f"adjusted p {_chance(p)}, over {_tasks(found, pairs)}"
        return Judged("fail", f"{told}, beyond chance: {over}")
    return Judged(
        "inconclusive", f"{told}, but this may be chance; {_decisive(found, pairs, tests)}"
    )


def _decisive(found: Metric, pairs: Sequence[Pair], tests: int) -> str:
    """Say how many tasks would decide, though all tests share the allowance for chance."""
    changes, level = differences_of(found.id, pairs), 1 - SURE / max(1, tests)
    further = further_units(centre_of(changes, range(len(changes))), 0.0, level)
    if further.number is None:
        return further.note or ""
    # An exact test is never sure of fewer differing tasks than this, however clear their mean.
    enough = math.ceil(fewest(level) * len(changes) / sum(map(bool, changes)))
    number = max(further.number, enough - len(changes))
    return f"about {_further(number)} like these would decide"


def _lower_score(known: Mapping[MetricId, Metric]) -> str:
    score = known.get("score")
    lower = score is not None and score.verdict == "better_a"
    return "; yet it scores lower, beyond chance" if lower else ""


def _tasks(found: Metric, pairs: Sequence[Pair]) -> str:
    if found.n < len(pairs):
        return f"{found.n:,} of {len(pairs):,} tasks"
    return "1 task" if found.n == 1 else f"{found.n:,} tasks"


def _further(number: int) -> str:
    return "1 further task" if number == 1 else f"{number:,} further tasks"


def _chance(p: float) -> str:
    return "below 0.0001" if p < 0.0001 else f"{p:.2g}"
