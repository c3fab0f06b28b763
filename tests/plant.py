"""Faults planted in the runner before it starts: steps on the disk that fail, limits, a clock."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Every key of a plan may be left out:
#   at        the number of the step that is struck, from 1 on
#   steps     the kinds of step that are counted (all of them)
#   below     a part of the path that counted steps have
#   error     the name of the error that the step fails with, such as ENOSPC
#   for_good  whether every later step fails as well, as on a disk that stays full
#   kill      whether the runner is killed in place of the step
#   limits    the process's limits by name, such as {"FSIZE": 1000}
#   jump_s    by how much the clock jumps after it was asked `jump_after` times
#   report    a file that is told how many steps were counted, how much memory was used at most,
#             and how many files were left open
#   weigh     after how many results the memory is noted in the report, again and again
Plan = Mapping[str, Any]

LAST_WORDS = Path("standard error")  # of the guard, which has the plan too and is not to meet it


def plant(plan: Plan) -> None:
    """Make ready what is to go wrong in this process."""
    if "jump_s" in plan:  # before anybody keeps the function
        time.time = _Jumping(plan["jump_s"], plan["jump_after"])
    for name, most in plan.get("limits", {}).items():
        kind = getattr(resource, f"RLIMIT_{name}")
        resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
    from runledger.store import disk

    watch = _Striking(plan)
    disk.watch = watch
    if "report" in plan:
        _report_to(Path(plan["report"]), watch)


class _Striking:
    """Count the steps, and strike one of them."""

    def __init__(self, plan: Plan) -> None:
        self.count = 0
        self.scale = _Scale(plan.get("weigh", 0))
        self._plan = plan
        self._lock = threading.Lock()

    def __call__(self, step: str, path: Path) -> None:
        plan = self._plan
        if path == LAST_WORDS:
            return
        self.scale.see(step, path)
        if step not in plan.get("steps", (step,)) or plan.get("below", "") not in str(path):
            return
        with self._lock:
            self.count += 1
            number = self.count
        at = plan.get("at", 0)
        if at and (number == at or (number > at and plan.get("for_good"))):
            if plan.get("kill"):
                os.kill(os.getpid(), signal.SIGKILL)
            code = getattr(errno, plan["error"])
            raise OSError(code, os.strerror(code), str(path))


class _Scale:
    """Weigh the process after every so many results."""

    def __init__(self, every: int) -> None:
        self.weights_mb: list[float] = []
        self._every = every
        self._results = 0

    def see(self, step: str, path: Path) -> None:
        if not self._every or step != "write" or path.name != "results.jsonl":
            return
        self._results += 1  # under the lock of the file
        if self._results % self._every == 0:
            self.weights_mb.append(_memory_mb("VmRSS"))


class _Jumping:
    """A clock that jumps once."""

    def __init__(self, jump_s: float, after: int) -> None:
        self._real = time.time
        self._jump_s = jump_s
        self._left = after

    def __call__(self) -> float:
        self._left -= 1
        return self._real() + (self._jump_s if self._left < 0 else 0)


def _report_to(file: Path, watch: _Striking) -> None:
    from runledger import cli

    work = cli._command

    def measured() -> int:
        before = _open_files()
        try:
            return work()
        finally:
            found = {
                "steps": watch.count,
                "peak_mb": _memory_mb("VmHWM"),
                "left_open": _open_files() - before,
                "weights_mb": watch.scale.weights_mb,
            }
            file.write_text(json.dumps(found))

    cli._command = measured


def _memory_mb(kind: str) -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{kind}:")[2].split()[0]) / 1024


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


if __name__ == "__main__":  # PLAN WORDS...: the command, in a process of its own
    plant(json.loads(sys.argv[1]))
    sys.argv = ["runledger", *sys.argv[2:]]
    from runledger.cli import main

    sys.exit(main())
