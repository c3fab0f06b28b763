"""The output of a program that is put before a prompt: captured once for each task."""

from __future__ import annotations

import os
import sys

from ..errors import PrefixFailed, SpawnFailed
from ..ledger.cut import ending
from ..ledger.experiment import Prefix
from ..ledger.prompts import prompts_of, wrapped
from ..ledger.suite import fill_in
from ..ledger.task import Task
from ..process.program import Finished, run_program
from ..process.supervisor import Launch, Supervisor

MOST_BYTES = 8 * 1024 * 1024
MOST_WORD_BYTES = 128 * 1024  # which is what one word of a command line can hold
STDERR_CHARS = 500


class Prefixes:
    """The prefixes of an experiment: captured once for a task, and anew for each further round."""

    def __init__(self, directory: str, supervisor: Supervisor) -> None:
        self._directory = directory
        self._supervisor = supervisor
        self._known: dict[str, dict[tuple[tuple[str, ...], int], str]] = {}  # by task

    def before(self, task: Task, prefix: Prefix | None, round: int) -> str:
        """Give the text before a task's prompt, in its tag; raise PrefixFailed if there is none."""
        if prefix is None:
            return ""
        known = self._known.setdefault(task.id, {})
        asked = prefix.command, round
        if asked not in known:
            known[asked] = capture_prefix(task, prefix, self._directory, self._supervisor)
        return wrapped(prefix.tag, known[asked])

    def forget(self, task_id: str) -> None:
        """Let go of what was captured for a task, once its runs are done."""
        self._known.pop(task_id, None)


def capture_prefix(task: Task, prefix: Prefix, directory: str, supervisor: Supervisor) -> str:
    """Run the program for a task and give what it printed, or raise PrefixFailed."""
    prompt = "\n\n".join(prompts_of(task.input))
    places = {"python": sys.executable, "suite": directory, "prompt": prompt}
    argv = fill_in(prefix.command, **places)
    if "\0" in prompt or any(
        len(word.encode("utf-8", "replace")) > MOST_WORD_BYTES for word in argv
    ):
        raise _failed(prefix, "the prompt is too long, or holds a NUL, for a command line")
    try:
        launch = Launch(argv, directory, dict(os.environ))
        done = run_program(supervisor, launch, b"", prefix.timeout_s, MOST_BYTES)
    except SpawnFailed as error:
        raise _failed(prefix, str(error)) from error
    problem = _problem(done, prefix)
    if problem is not None:
        raise _failed(prefix, problem)
    return done.stdout.decode("utf-8", "replace").strip("\n")


def _problem(done: Finished, prefix: Prefix) -> str | None:
    said = ending(done.stderr.strip(), STDERR_CHARS)
    told = f" (stderr: {said})" if said else ""
    if done.timed_out:
        return f"it did not finish within {prefix.timeout_s:g} s{told}"
    if done.too_large:
        return f"it printed more than {MOST_BYTES // 2**20} MiB"
    if done.signal or done.code:
        how = f"was ended by {done.signal}" if done.signal else f"exited with status {done.code}"
        return f"it {how}{told}"
    return None if done.stdout.strip() else f"it printed nothing{told}"


def _failed(prefix: Prefix, why: str) -> PrefixFailed:
    return PrefixFailed(f"the prefix command {prefix.command[0]} failed: {why}")
