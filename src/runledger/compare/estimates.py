"""How likely an agent passes once, and every time, in k trials: pass@k and pass^k."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..ledger.value import Json
from .paired import t_interval
from .rates import wilson

Interval = tuple[float, float]


class OverTasks(NamedTuple):
    """What k trials come to over several tasks, each task weighing the same."""

    pass_at_k: float
    pass_at_k_ci: Interval | None
    pass_exp_k: float
    pass_exp_k_ci: Interval | None


def pass_at_k(n: int, passed: int, k: int) -> float:
    """Estimate without bias the chance that one of k trials passes, from n of which some did."""
    return float(_at_least_one(n, passed, k))


def pass_exp_k(n: int, passed: int, k: int) -> float:
    """Estimate without bias the chance that all of k trials pass, from n of which some did."""
    return float(_every_one(n, passed, k))


def seed_fields(n: int, passed: int, k: int | None = None) -> dict[str, Json]:
    """Give the published fields of a task, by their plain formula; none where nothing was graded.

    `n` trials were graded, `k` were asked for: as many, unless told otherwise.
    """
    if not n:
        return {}
    rate, times = passed / n, n if k is None else k
    return {"passRate": rate, "passAtK": _once(rate, times), "passExpK": rate**times}


def estimates_of(n: int, passed: int) -> list[dict[str, Json]]:
    """Estimate pass@k and pass^k of a task with an interval each, for every k up to n."""
    return [_estimate(n, passed, k) for k in range(1, n + 1)]


def over_tasks(counts: Sequence[tuple[int, int]], k: int) -> OverTasks:
    """Average the estimates of tasks, each given by its graded and its passed trials.

    Of one task there is no interval: nothing is known of how tasks differ.
    """
    if not counts:
        raise ValueError("there is no estimate over no tasks")
    at_k, exp_k = (
        [estimate(n, passed, k) for n, passed in counts] for estimate in (_at_least_one, _every_one)
    )
    return OverTasks(_mean(at_k), _spread(at_k), _mean(exp_k), _spread(exp_k))


def _at_least_one(n: int, passed: int, k: int) -> Fraction:
    return 1 - _every_one(n, n - passed, k)


def _every_one(n: int, passed: int, k: int) -> Fraction:
    """Give the chance that k trials, drawn from n without putting back, are all among some."""
    if not 1 <= k <= n:
        raise ValueError(f"{k} trials cannot be drawn from {n}")
    if not 0 <= passed <= n:
        raise ValueError(f"{passed} of {n} trials cannot have passed")
    return Fraction(math.comb(passed, k), math.comb(n, k))


def _estimate(n: int, passed: int, k: int) -> dict[str, Json]:
    at_k, exp_k = pass_at_k(n, passed, k), pass_exp_k(n, passed, k)
    rates = wilson(passed, n)
    return {
        "k": k,
        "passAtK": at_k,
        "passExpK": exp_k,
        "ci": _carried(rates, lambda rate: _once(rate, k), at_k),
        "ciExpK": _carried(rates, lambda rate: rate**k, exp_k),
    }


def _carried(rates: Interval, chance: Callable[[float], float], point: float) -> list[Json]:
    """Carry an interval of the rate over to a chance that grows with it, around its estimate.

    Drawn without putting back, k of n may surely pass where the formula still leaves a doubt.
    """
    low, high = map(chance, rates)
    return [max(0.0, min(low, point)), min(1.0, max(high, point))]


def _once(rate: float, k: int) -> float:
    return 1 - (1 - rate) ** k


def _mean(estimates: Sequence[Fraction]) -> float:
    return float(sum(estimates) / len(estimates))


def _spread(estimates: Sequence[Fraction]) -> Interval | None:
    interval = t_interval([float(one) for one in estimates])
    return interval and (max(interval[0], 0.0), min(interval[1], 1.0))
