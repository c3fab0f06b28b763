"""What is measured on both sides of the tasks, and what their differences show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar, get_args

from ..ledger.comparison import Figures, Interval, Metric, MetricId, Test, Unit
from .mcnemar import Fourfold, mcnemar, newcombe
from .paired import FAR, detectable, mean_of, sign_flip, t_chance, t_interval
from .pairing import Pair, durations
from .ranks import hodges_lehmann, hodges_lehmann_interval, mann_whitney
from .rates import quantile

Number = TypeVar("Number", float, Fraction)

FEWEST_TASKS = 6  # with fewer, tosses of a coin all fall one way in more than 5 % of cases
FEWEST_TRIALS = 6  # on each side of a single task
MOST_FLIPPED = 1_000  # tasks; beyond, the grid is too coarse and Student's test as good
TOO_FEW_TASKS = f"fewer than {FEWEST_TASKS} tasks differ: this test can show no difference"
TOO_FEW_TRIALS = f"one task: a verdict takes {FEWEST_TRIALS} trials on each side"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure of a trial whose means are compared."""

    id: MetricId
    unit: Unit
    value: Callable[[Figures], float | None]
    bound: float = math.inf  # what a difference cannot exceed


QUANTITIES = (
    Quantity("pass_rate", "share", lambda one: one.passed, bound=1.0),
    Quantity("score", "score", lambda one: one.score, bound=1.0),
    Quantity("tokens_in", "tokens", lambda one: one.tokens_in if one.answered else None),
    Quantity("tokens_out", "tokens", lambda one: one.tokens_out if one.answered else None),
    Quantity("cost_usd", "usd", lambda one: one.cost_usd if one.answered else None),
    Quantity("tool_calls", "calls", lambda one: one.tool_calls if one.answered else None),
    Quantity("tool_errors", "calls", lambda one: one.tool_errors if one.answered else None),
)
ORDER: tuple[MetricId, ...] = get_args(MetricId)
MORE_IS_BETTER: frozenset[MetricId] = frozenset({"pass_rate", "score"})


def measure(pairs: Sequence[Pair]) -> tuple[Metric, ...]:
    """Measure everything that is known on both sides; verdicts are drawn later, over all tests."""
    found = [*(_mean_change(one, pairs) for one in QUANTITIES), _duration(pairs)]
    known = {metric.id: metric for metric in found if metric is not None}
    return tuple(known[id] for id in ORDER if id in known)


def differences_of(id: MetricId, pairs: Iterable[Pair]) -> list[float]:
    """List by how much the mean of a quantity differs, for each task that has it on both sides."""
    quantity = next(one for one in QUANTITIES if one.id == id)
    both = _known_on_both(pairs, lambda trials: _values(quantity, trials))
    return [float(_mean(b) - _mean(a)) for a, b in both]


def _mean_change(quantity: Quantity, pairs: Iterable[Pair]) -> Metric | None:
    """Compare the means of a quantity, trials averaged within a task."""
    both = _known_on_both(pairs, lambda trials: _values(quantity, trials))
    if not both:
        return None
    if quantity.id == "pass_rate" and all(len(a) == len(b) == 1 for a, b in both):
        return _single_passes([(bool(a[0]), bool(b[0])) for a, b in both])
    return _change_of_means(quantity, [_mean(a) for a, _ in both], [_mean(b) for _, b in both])


def _change_of_means(quantity: Quantity, a: Sequence[Fraction], b: Sequence[Fraction]) -> Metric:
    exact = [after - before for before, after in zip(a, b, strict=True)]
    differences = [float(one) for one in exact]
    differing = sum(map(bool, exact))
    p, test = _chance(exact)
    return Metric(
        id=quantity.id,
        unit=quantity.unit,
        a=float(_mean(a)),
        b=float(_mean(b)),
        difference=float(_mean(exact)),
        ratio=None,
        ci=_cut(_spread(differences), quantity.bound),
        p=p,
        test=test,
        n=len(exact),
        detectable=detectable(differences),
        verdict="no_difference_shown" if differing else "tie",
        note=_doubt(differing),
    )


def _single_passes(passes: Sequence[tuple[bool, bool]]) -> Metric:
    """Compare pass rates of one trial each."""
    n = len(passes)
    table = Fourfold(
        both=passes.count((True, True)),
        only_a=passes.count((True, False)),
        only_b=passes.count((False, True)),
        neither=passes.count((False, False)),
    )
    discordant = table.only_a + table.only_b
    return Metric(
        id="pass_rate",
        unit="share",
        a=(table.both + table.only_a) / n,
        b=(table.both + table.only_b) / n,
        difference=(table.only_b - table.only_a) / n,
        ratio=None,
        ci=newcombe(table),
        p=mcnemar(table.only_a, table.only_b),
        test="mcnemar",
        n=n,
        detectable=_detectable_share(passes),
        verdict="no_difference_shown" if discordant else "tie",
        note=_doubt(discordant),
    )


def _doubt(differing: int) -> str | None:
    return TOO_FEW_TASKS if 0 < differing < FEWEST_TASKS else None


def _detectable_share(passes: Sequence[tuple[bool, bool]]) -> float | None:
    """Give the change of the rate that shows: as many tasks as the test needs at the least."""
    if len(passes) < FEWEST_TASKS:
        return None
    usual = detectable([float(b) - float(a) for a, b in passes]) or 0.0
    return min(1.0, max(usual, FEWEST_TASKS / len(passes)))


def _duration(pairs: Iterable[Pair]) -> Metric | None:
    """Compare how long the tasks took: of one task its trials, of several their medians."""
    both = _known_on_both(pairs, durations)
    if not both:
        return None
    return _one_task(*both[0]) if len(both) == 1 else _ratios_of_medians(both)


def _ratios_of_medians(both: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Metric:
    logs_a, logs_b = ([math.log(quantile(pair[side], 0.5)) for pair in both] for side in (0, 1))
    changes = [b - a for a, b in zip(logs_a, logs_b, strict=True)]
    shown = detectable(changes)
    return Metric(
        id="duration_ms",
        unit="ms",
        a=math.exp(mean_of(logs_a)),
        b=math.exp(mean_of(logs_b)),
        difference=None,
        ratio=_power(mean_of(changes)),
        ci=_powers(_spread(changes)),
        p=t_chance(changes),
        test="t_on_logs",
        n=len(both),
        detectable=None if shown is None else _power(shown),
        verdict="no_difference_shown" if any(changes) else "tie",
    )


def _one_task(a: Sequence[float], b: Sequence[float]) -> Metric:
    tie, few = sorted(a) == sorted(b), min(len(a), len(b)) < FEWEST_TRIALS
    return Metric(
        id="duration_ms",
        unit="ms",
        a=quantile(a, 0.5),
        b=quantile(b, 0.5),
        difference=None,
        ratio=hodges_lehmann(a, b),
        ci=hodges_lehmann_interval(a, b),
        p=mann_whitney(a, b),
        test="mann_whitney",
        n=1,
        detectable=None,
        verdict="tie" if tie else "no_verdict" if few else "no_difference_shown",
        note=TOO_FEW_TRIALS if few else None,
    )


def _known_on_both(
    pairs: Iterable[Pair], values: Callable[[Sequence[Figures]], Sequence[Number]]
) -> Sequence[tuple[Sequence[Number], Sequence[Number]]]:
    """List the values of each task that has some on both sides."""
    sides = ((values(pair.a), values(pair.b)) for pair in pairs)
    return [(a, b) for a, b in sides if a and b]


def _values(quantity: Quantity, trials: Iterable[Figures]) -> Sequence[Fraction]:
    found = (quantity.value(one) for one in trials)
    return [_exact(value) for value in found if value is not None]


def _exact(value: float) -> Fraction:
    """Take a number as it is written, so that 0.1 is a tenth."""
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def _mean(values: Sequence[Fraction]) -> Fraction:
    return values[0] if len(values) == 1 else sum(values, Fraction(0)) / len(values)


def _chance(differences: Sequence[Fraction]) -> tuple[float, Test]:
    if sum(map(bool, differences)) > MOST_FLIPPED:
        return t_chance([float(one) for one in differences]), "paired_t"
    return sign_flip(differences), "sign_flip"


def _spread(changes: Sequence[float]) -> Interval | None:
    """Give the interval of a mean change; changes that are all alike do not tell how sure it is."""
    return t_interval(changes) if detectable(changes) is not None else None


def _cut(interval: Interval | None, bound: float) -> Interval | None:
    return interval and (max(interval[0], -bound), min(interval[1], bound))


def _power(log: float) -> float:
    return math.exp(max(-FAR, min(FAR, log)))


def _powers(logs: Interval | None) -> Interval | None:
    return logs and (_power(logs[0]), _power(logs[1]))
