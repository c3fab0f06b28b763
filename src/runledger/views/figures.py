"""How the figures of a comparison are written: each in its unit, in a few columns."""

from __future__ import annotations

from collections.abc import Mapping

from ..ledger.comparison import Metric, MetricId, Test, Unit, Verdict
from .look import count, duration, money

HEAD = ("", "A", "B", "change", "95% interval", "verdict")
LEFT_HANDED = frozenset({0, 5})
MINUS = "\u2212"
POINTS = " pts"
HOUR = 3_600_000  # ms
HOURS_FROM = 100 * HOUR // 60
MOST_TIMES = 1000  # a ratio beyond it, or below its inverse, is no knowledge

NAMES: Mapping[MetricId, str] = {
    "pass_rate": "pass rate",
    "score": "score",
    "duration_ms": "duration",
    "tokens_in": "tokens in",
    "tokens_out": "tokens out",
    "cost_usd": "cost",
    "tool_calls": "tool calls",
    "tool_errors": "tool errors",
}
_VERDICTS: Mapping[Verdict, str] = {
    "better_a": "better A",
    "better_b": "better B",
    "no_difference_shown": "no difference shown",
    "tie": "tie",
    "no_verdict": "no verdict",
}
_TESTS: Mapping[Test, str] = {
    "mcnemar": "exact McNemar test",
    "sign_flip": "sign flips",
    "paired_t": "paired t test",
    "t_on_logs": "t test on ratios",
    "mann_whitney": "Mann-Whitney test",
}


def figure(value: float, unit: Unit) -> str:
    """Write what one side comes to."""
    match unit:
        case "share":
            return f"{value:.1%}"
        case "score":
            return f"{value:.3f}"
        case "ms":
            return duration(round(value)) if value < HOURS_FROM else f"{value / HOUR:.1f} h"
        case "usd":
            return _dollars(value)
        case "tokens" | "calls":
            return _number(value)


def change(metric: Metric) -> str:
    """Write the change from A to B."""
    if metric.difference is None:
        return times(metric.ratio or 1.0)
    return _signed(metric.difference, metric.unit)


def interval(metric: Metric) -> str:
    """Write the interval of the change."""
    if metric.ci is None:
        return "-"
    low, high = metric.ci
    if metric.difference is None:
        return f"{times(low)} to {times(high)}"
    first = _signed(low, metric.unit).removesuffix(POINTS)
    return f"{first} to {_signed(high, metric.unit)}"


def verdict(metric: Metric) -> str:
    """Write the verdict in words."""
    return _VERDICTS[metric.verdict]


def how_sure(metric: Metric) -> str:
    """Tell what a verdict rests on: the test, its chance, and what it could have shown."""
    parts = [f"{_TESTS[metric.test]}, {count(metric.n, 'task')}: p {chance(metric.p)}"]
    if metric.p_adjusted is not None and metric.verdict != "tie":
        parts[0] += f" (adjusted {chance(metric.p_adjusted)})"
    if metric.detectable is not None:
        parts.append(f"smallest detectable change {_detectable(metric)}")
    return "; ".join([*parts, *filter(None, [metric.note])])


def _detectable(metric: Metric) -> str:
    shown = metric.detectable or 0.0
    if metric.difference is None:
        return times(shown)
    return _signed(shown, metric.unit).removeprefix("+")


def chance(p: float) -> str:
    """Write a p value."""
    return "<0.0001" if p < 0.0001 else f"{p:.2g}"


def times(ratio: float) -> str:
    """Write a ratio."""
    if not 1 / MOST_TIMES <= ratio <= MOST_TIMES:
        return f"×>{MOST_TIMES:,}" if ratio > 1 else f"×<{1 / MOST_TIMES:g}"
    return f"×{ratio:.3g}" if ratio >= 1000 else f"×{ratio:.{2 if ratio < 100 else 0}f}"


def _signed(value: float, unit: Unit) -> str:
    """Write a difference; points are hundredths of a rate."""
    size = abs(value)
    shown = f"{size * 100:.1f}{POINTS}" if unit == "share" else figure(size, unit)
    sign = "+" if value > 0 else MINUS if value < 0 else ""
    return sign + shown


def _dollars(usd: float) -> str:
    """Write a cost in few columns, so that neither a small nor a large one looks like nothing."""
    if not usd:
        return "$0"
    if usd >= 1000:
        return f"${_number(usd)}"
    return money(usd) if usd >= 0.0001 else f"${usd:.0e}"


def _number(value: float) -> str:
    if value >= 99_950:
        return f"{value / 1000:,.0f}k" if value < 999_500 else f"{value / 1e6:.3g}M"
    if value >= 100 or value == round(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"
