"""Student's t distribution on the standard library."""

from __future__ import annotations

import math
from functools import cache

_TINY = 1e-300
_PRECISE = 1e-15
_STEPS = 10_000


def t_tail(t: float, freedom: float) -> float:
    """Give the chance of a value at least as far from 0 as t, on either side."""
    square = t * t
    return _incomplete_beta(
        freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)
    )


@cache
def t_quantile(level: float, freedom: float) -> float:
    """Give the half width, in standard errors, of an interval of this level.

    The tail is convex, so that Newton's steps from 0 come nearer and never go too far.
    """
    found, outside = 0.0, 1 - level
    for _ in range(_STEPS):
        step = (t_tail(found, freedom) - outside) / (2 * _density(found, freedom))
        found += step
        if step <= _PRECISE * found:
            break
    return found


def _density(t: float, freedom: float) -> float:
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    shape = (freedom + 1) / 2 * math.log1p(t * t / freedom)
    return math.exp(scale - shape) / math.sqrt(freedom * math.pi)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Give the regularised incomplete beta function, on the side where its fraction converges.

    `rest` is 1 - x, which cannot be told from an x near 1.
    """
    if x <= 0 or rest <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, rest, x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(scale + a * _log(x, rest) + b * _log(rest, x)) / a * _fraction(a, b, x)


def _log(x: float, rest: float) -> float:
    return math.log(x) if x < 0.5 else math.log1p(-rest)


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    value, inverse, ratio = 1.0, 1.0, math.inf
    for step in range(1, _STEPS):
        factor = _coefficient(step, a, b, x)
        inverse = 1 / _not_zero(1 + factor * inverse)
        ratio = _not_zero(1 + factor / ratio)
        value *= ratio * inverse
        if abs(ratio * inverse - 1) < _PRECISE:
            break
    return value


def _coefficient(step: int, a: float, b: float, x: float) -> float:
    m, odd = divmod(step, 2)
    if odd:
        return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
