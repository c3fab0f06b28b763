"""What an agent used, what it may use, and the one comparison of the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose

from .figure import Number, clamped


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost; None means that nobody reported it, which is not 0."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What a trial may use; None means no limit."""

    max_wall_ms: int | None = None
    max_tool_calls: int | None = None
    max_tool_errors: int | None = None
    max_tokens_out: int | None = None
    max_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """What a trial has used so far."""

    wall_ms: int = 0
    tool_calls: int = 0
    tool_errors: int = 0
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Breach:
    """A limit that was passed."""

    limit: str
    allowed: float
    used: float


def add_usage(left: Usage, right: Usage) -> Usage:
    """Add two reports; a side that does not know a figure leaves the other's as it is."""
    return Usage(
        tokens_in=_add(left.tokens_in, right.tokens_in),
        tokens_out=_add(left.tokens_out, right.tokens_out),
        cost_usd=_add(left.cost_usd, right.cost_usd),
        model=right.model or left.model,
    )


def breaches(limits: Limits, tally: Tally) -> Iterator[Breach]:
    """Yield every limit that the tally passes; unknown usage passes none."""
    pairs: tuple[tuple[str, float | None, float | None], ...] = (
        ("max_wall_ms", limits.max_wall_ms, tally.wall_ms),
        ("max_tool_calls", limits.max_tool_calls, tally.tool_calls),
        ("max_tool_errors", limits.max_tool_errors, tally.tool_errors),
        ("max_tokens_out", limits.max_tokens_out, tally.usage.tokens_out),
        ("max_cost_usd", limits.max_cost_usd, tally.usage.cost_usd),
    )
    for name, allowed, used in pairs:
        if allowed is not None and used is not None and _over(used, allowed):
            yield Breach(name, allowed, used)


def _over(used: float, allowed: float) -> bool:
    return used > allowed and not isclose(used, allowed, rel_tol=1e-9)  # 0.1 + 0.2 is not over 0.3


def unjudged(limits: Limits, usage: Usage) -> tuple[str, ...]:
    """Name the limits that could not be judged, because the agent reported no figure."""
    pairs = (
        ("max_tokens_out", limits.max_tokens_out, usage.tokens_out),
        ("max_cost_usd", limits.max_cost_usd, usage.cost_usd),
    )
    return tuple(name for name, allowed, used in pairs if allowed is not None and used is None)


def _add(left: Number | None, right: Number | None) -> Number | None:
    if left is None:
        return right
    return left if right is None else clamped(left + right)
