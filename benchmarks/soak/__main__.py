"""Bring every load, then let faults come at random until the time is over; print the figures.

Usage: python -m benchmarks.soak [MINUTES] [SEED] [ROUND], with tests/ on PYTHONPATH (make soak).
It stops at the first thing that does not hold, exits with 1, and keeps the directory. With a ROUND
only that one is played: the same agents meet the same faults, though signals come as they come.
"""

from __future__ import annotations

import secrets
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from .load import loads
from .storm import Told, play

MINUTES = 10.0
BETWEEN_S = 60.0  # from one line about the storm to the next


def main() -> int:
    """Soak for so many minutes."""
    words = [*sys.argv[1:], "", "", ""]
    until = time.monotonic() + 60 * float(words[0] or MINUTES)
    seed, chosen = words[1] or secrets.token_hex(4), words[2]
    print(f"seed {seed}", flush=True)
    place = Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        if chosen:
            print(_round(place, seed, int(chosen)))
        else:
            for line in loads(place):
                print(line, flush=True)
            _storm(place, seed, until)
    except BaseException:
        traceback.print_exc()
        print(f"it did not hold; what is left of it: {place}", flush=True)
        return 1
    shutil.rmtree(place)
    return 0


def _storm(place: Path, seed: str, until: float) -> None:
    """Play rounds until the time is over, and tell now and then how it goes."""
    told: list[Told] = []
    started = tell_at = time.monotonic()
    while time.monotonic() < until or not told:
        told.append(_round(place, seed, len(told)))
        if time.monotonic() >= tell_at:
            tell_at += BETWEEN_S
            print(_so_far(told, time.monotonic() - started), flush=True)
    print(_so_far(told, time.monotonic() - started))


def _round(place: Path, seed: str, number: int) -> Told:
    scene = place / f"round-{number}"
    scene.mkdir()
    try:
        told = play(scene, Random(f"{seed}/{number}"))
    except BaseException as error:
        again = f"make soak SEED={seed} ROUND={number}"
        error.add_note(f"round {number} of seed {seed}; to play it again: {again}")
        raise
    shutil.rmtree(scene)
    return told


def _so_far(told: list[Told], seconds: float) -> str:
    commands = sum(one.commands for one in told)
    return (
        f"storm, {seconds / 60:.1f} min: {len(told)} rounds, "
        f"{sum(one.cases for one in told):,} cases ended once each, {commands} commands, "
        f"{commands - len(told)} of them to go on, peak {max(one.peak_mb for one in told):.0f} MB"
    )


if __name__ == "__main__":
    sys.exit(main())
