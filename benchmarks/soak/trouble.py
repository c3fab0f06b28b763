"""What happens to the runner itself in a round of the storm."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import plant
from kit import survivors
from scene import After, Scene

ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS")
MOST_STEPS = 400  # about what a round of a dozen cases takes on the disk
LATEST_S = 4.0
GONE_S = 15.0
BEAT_S = 0.01
CODES = {  # a command that has ended all its work dies of a signal as any other program
    signal.SIGINT: frozenset({130, -signal.SIGINT}),
    signal.SIGTERM: frozenset({143, -signal.SIGTERM}),
    signal.SIGHUP: frozenset({143, -signal.SIGHUP}),
    signal.SIGKILL: frozenset({137, -signal.SIGKILL}),
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is planted in the runner, or which signals it gets, when, and who gets them."""

    name: str
    plan: plant.Plan = field(default_factory=dict)
    signals: tuple[signal.Signals, ...] = ()
    after_s: float = 0.0
    whom: str = "guard"
    codes: frozenset[int] = frozenset()  # that the command may give beside the right one
    litters: bool = False  # whether nobody could clear up after it

    def meet(self, scene: Scene, *words: str) -> After:
        """Let the command run into it."""
        if not self.signals:
            return scene.command(*words, plan=self.plan)
        process = scene.start(*words)
        while process.poll() is None and not _runners(process):
            _wait(process, BEAT_S)
        _wait(process, self.after_s)
        for one in self.signals:
            _send(process, self.whom, one)
        return scene.ended(process)


NONE = Trouble("nothing")


def drawn(random: Random) -> Trouble:
    """Draw what happens; often it is nothing."""
    return random.choice((_nothing, _fault, _fault, _kill, _signal, _signal, _clock, _few_files))(
        random
    )


def _nothing(random: Random) -> Trouble:
    return NONE


def _fault(random: Random) -> Trouble:
    """Let a step on the disk fail, or all from that one on."""
    at, error, for_good = _step(random), random.choice(ERRORS), random.random() < 0.5
    plan = {"at": at, "error": error, "for_good": for_good}
    name = f"{error} at step {at}{' and ever after' if for_good else ''}"
    return Trouble(name, plan, codes=frozenset({3}), litters=True)


def _kill(random: Random) -> Trouble:
    """Kill the runner in place of a step on the disk."""
    at = _step(random)
    plan = {"at": at, "kill": True}
    return Trouble(f"killed at step {at}", plan, codes=frozenset({137}), litters=True)


def _signal(random: Random) -> Trouble:
    """Send signals, at a moment that comes as it comes.

    The guard and the runner are not killed both: nobody would be left to end the agents.
    """
    one = random.choice(tuple(CODES))
    deadly = one == signal.SIGKILL
    times = 1 if deadly else random.choice((1, 1, 2))
    whom = random.choice(("guard", "runner") if deadly else ("guard", "runner", "group"))
    after_s = random.uniform(0, LATEST_S)
    name = f"{times} {one.name} to the {whom} after {after_s:.2f} s"
    return Trouble(name, {}, (one,) * times, after_s, whom, CODES[one], deadly or times > 1)


def _clock(random: Random) -> Trouble:
    """Let the clock jump back."""
    after = random.randrange(1, 100)
    return Trouble(f"the clock jumps at {after}", {"jump_s": -3600, "jump_after": after})


def _few_files(random: Random) -> Trouble:
    """Let the runner have few files open at once."""
    most = random.choice((24, 40, 64))
    return Trouble(f"{most} files", {"limits": {"NOFILE": most}}, codes=frozenset({3}))


def _step(random: Random) -> int:
    return int(MOST_STEPS ** random.random())  # as many early ones as late ones


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _send(process: subprocess.Popen[bytes], whom: str, one: signal.Signals) -> None:
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if whom == "group":
            os.killpg(process.pid, one)
        else:
            found = _runners(process) if whom == "runner" else [process.pid]
            for pid in found[:1]:
                os.kill(pid, one)


def _runners(guard: subprocess.Popen[bytes]) -> list[int]:
    """List the children of a guard, of which the runner is the first."""
    try:
        text = Path(f"/proc/{guard.pid}/task/{guard.pid}/children").read_text()
    except OSError:
        return []
    return [int(pid) for pid in text.split()]


def left_over(scene: Scene) -> list[int]:
    """Wait for the runner and its agents to be gone: without its guard the runner ends alone."""
    until = time.monotonic() + GONE_S
    while (left := list(survivors(scene.secret))) and time.monotonic() < until:
        for pid in left:
            _await_death(pid, until - time.monotonic())
    return left


def _await_death(pid: int, within_s: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        fd = os.pidfd_open(pid)
        try:
            select.select([fd], [], [], max(0.0, within_s))
        finally:
            os.close(fd)
