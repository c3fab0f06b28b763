"""How large a figure may be, wherever it comes from: what is written down can be read again."""

from __future__ import annotations

from typing import TypeVar

LARGEST = 10**15  # more is a slip of the hand, and floats would lose it

Number = TypeVar("Number", int, float)


def clamped(figure: Number) -> Number:
    """Keep a figure, or a sum of such, within what may be written."""
    return min(max(figure, -LARGEST), LARGEST)
