"""Guess which known name a user meant."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Give "; did you mean …?" for the nearest known name, or nothing when none is near."""
    from difflib import get_close_matches  # only a user's mistake pays for it

    names = list(known)
    lower = {known_name.lower(): known_name for known_name in names}
    near = get_close_matches(str(name).lower(), lower, n=1)
    return f"; did you mean {lower[near[0]]}?" if near else ""
