"""The words and figures of an experiment: how its texts name and write things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import floor, prod

from ...ledger.attempt import Cause
from ...ledger.comparison import Interval, Unit
from ...ledger.experiment import Experiment, ExperimentGate, GateMetric
from ...ledger.findings import Effect, EffectTest, GateFinding, GateWord
from ..figures import MINUS, POINTS, chance, figure, times
from ..look import count

UNKNOWN = "-"

METRICS: Mapping[GateMetric, str] = {
    "score": "score",
    "completion": "completion",
    "duration_s": "duration",
    "tool_calls": "tool calls",
    "files_read": "files read",
    "tokens": "tokens",
    "cost_usd": "cost",
}
GATE_WORDS: Mapping[GateWord, str] = {
    "pass": "go",
    "fail": "no-go",
    "inconclusive": "inconclusive",
}
CAUSES: Mapping[Cause, str] = {
    "empty_output": "said nothing",
    "retry_pattern": "matched a retry pattern",
    "crashed": "crashed",
    "not_started": "could not be started",
    "prefix_failed": "prefix command failed",
    "violated": "broke expect or forbid",
    "model_changed": "model or version changed",
}
TESTS: Mapping[EffectTest, str] = {
    "mcnemar": "exact McNemar",
    "sign_flip": "sign flips",
    "paired_t": "paired t",
    "t_on_logs": "t on ratios",
}
_UNITS: Mapping[GateMetric, Unit] = {
    "duration_s": "ms",
    "tool_calls": "calls",
    "files_read": "calls",
    "tokens": "tokens",
    "cost_usd": "usd",
}


def amount(metric: GateMetric, value: float | None) -> str:
    """Write what a metric comes to."""
    if value is None:
        return UNKNOWN
    unit = _UNITS.get(metric)
    if unit is None:
        return percent(value)
    return figure(value * 1000 if unit == "ms" else value, unit)


def percent(value: float | None) -> str:
    """Write a share that is given in percent."""
    return UNKNOWN if value is None else f"{value:.1f}%"


def number(value: float | None) -> str:
    """Write a count, or a mean of counts."""
    return UNKNOWN if value is None else figure(value, "calls")


def money(value: float | None) -> str:
    """Write a cost in few columns."""
    return UNKNOWN if value is None else figure(value, "usd")


def seconds(value: float | None) -> str:
    """Write a duration."""
    return UNKNOWN if value is None else figure(value * 1000, "ms")


def rounded(score: float | None, experiment: Experiment) -> str:
    """Write a score as far as its author wants to see it; nothing is decided by this figure."""
    if score is None:
        return UNKNOWN
    step = experiment.scoring.round_to
    return f"{floor(score / step + 0.5) * step:g}%"


def difference(metric: GateMetric, value: float | None) -> str:
    """Write a difference, with its sign."""
    if value is None:
        return UNKNOWN
    sign = "+" if value > 0 else MINUS if value < 0 else ""
    size = abs(value)
    return sign + (amount(metric, size) if metric in _UNITS else f"{size:.1f}{POINTS}")


def interval(metric: GateMetric, ci: Interval | None) -> str:
    """Write the interval of a difference."""
    if ci is None:
        return UNKNOWN
    low, high = (difference(metric, bound) for bound in ci)
    return f"{low.removesuffix(POINTS)} to {high}"


def ratio(effect: Effect) -> str:
    """Write a ratio with its interval, where there is one."""
    if effect.ratio is None:
        return UNKNOWN
    if effect.ratio_ci is None:
        return times(effect.ratio)
    low, high = effect.ratio_ci
    return f"{times(effect.ratio)} ({times(low)} to {times(high)})"


def p_value(p: float | None) -> str:
    """Write the chance of such a difference where there is none."""
    return UNKNOWN if p is None else chance(p)


def detectable(effect: Effect) -> str:
    """Write the smallest difference that so many tasks are likely to show."""
    return difference(effect.metric, effect.detectable).removeprefix("+")


def gate_rule(gate: ExperimentGate) -> str:
    """Write what a gate asks for."""
    least = gate.min_difference is not None
    limit = gate.min_difference if gate.min_difference is not None else gate.max_difference
    shown = difference(gate.metric, limit).replace(f".0{POINTS}", POINTS)
    return f"{METRICS[gate.metric]}: at {'least' if least else 'most'} {shown}"


def further(found: GateFinding) -> str | None:
    """Write what a gate lacks: clusters where tasks come in them; None if no number would do."""
    if found.further_clusters is not None:
        return count(found.further_clusters, "further cluster")
    return None if found.further_tasks is None else count(found.further_tasks, "further task")


def level(experiment: Experiment) -> str:
    """Name the interval by its level."""
    return f"{experiment.level * 100:g}% interval"


def size(asked: Experiment) -> str:
    """Tell of how many runs an experiment consists."""
    factors = {"task": len(asked.tasks), "condition": len(asked.conditions), "trial": asked.trials}
    product = " × ".join(count(number, noun) for noun, number in factors.items())
    return f"{product} = {count(prod(factors.values()), 'run')}"


def causes(discarded: Mapping[Cause, int]) -> str:
    """Tell why runs were discarded, the most frequent cause first."""
    ranked = sorted(discarded.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{CAUSES[cause]} {times_over(times)}" for cause, times in ranked if times)


def times_over(number: int) -> str:
    """Say how often."""
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number:,} times")


def several(names: Iterable[str]) -> str:
    """Write names one after the other, each once, in the order of the alphabet."""
    return ", ".join(sorted(set(names))) or UNKNOWN
