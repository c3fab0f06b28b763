"""Whether an attempt of an experiment counts, before anybody asks how good it is."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.attempt import COUNTS, Cause, Standing
from ..ledger.cut import beginning
from ..ledger.event import Message, Thought, ToolCall
from ..ledger.experiment import Condition, Retries
from ..ledger.fingerprint import canonical_bytes, canonical_dumps, preview
from ..ledger.grade import Failure
from ..ledger.result import error_text
from ..ledger.trajectory import Trajectory, failures_in, output_in
from ..ledger.value import Absent, Json
from .validity_files import files_matching as files_matching
from .validity_marks import Seen as Seen
from .validity_marks import violations

NOT_STARTED = frozenset({"spawn_failed", "internal_error"})
OUT_OF_MEANS = frozenset({"timeout", "budget_exceeded"})
"""How we stop an agent that goes on for too long: what it did so far is its answer."""

HARMLESS = OUT_OF_MEANS | {"agent_exited_early", "assertion_failed", "grader_error"}
"""Failures that leave an answer as it is: it was given before, or they are only about its worth."""

SHOWN = 500  # characters of an error


def standing_of(
    trajectory: Trajectory, condition: Condition, retries: Retries, seen: Seen, tries: int
) -> Standing:
    """Decide about one attempt; `tries` counts the attempts of its round so far, with this one."""
    failures = failures_in(trajectory.events)
    for failure in failures:
        if failure.type in NOT_STARTED:
            return Standing("discarded", "not_started", _cut(error_text(failure)))
    if pattern := _matching(trajectory, retries):
        return _again("retry_pattern", f"{preview(pattern)} is in what it said", retries, tries)
    hurried = any(failure.type in OUT_OF_MEANS for failure in failures)
    if not hurried and (fault := _fault(trajectory, failures, retries, tries)):
        return fault
    found = list(violations(trajectory.events, condition, seen, hurried=hurried))
    return Standing("discarded", "violated", "; ".join(found)) if found else COUNTS


def _fault(
    trajectory: Trajectory, failures: tuple[Failure, ...], retries: Retries, tries: int
) -> Standing | None:
    """Say why there is no answer to judge, or None when there is one."""
    output = output_in(trajectory.events)
    if isinstance(output, Absent) and _worked(trajectory):
        return Standing("discarded", "crashed", f"it died in its work: {_last_error(trajectory)}")
    size = 0 if isinstance(output, Absent) else _size(output)
    if size < retries.min_bytes or isinstance(output, Absent):
        wanted = f"of {size} bytes" if size else "empty"
        message = f"the output is {wanted}; last error: {_last_error(trajectory)}"
        return _again("empty_output", message, retries, tries)
    broken = [failure for failure in failures if failure.type not in HARMLESS]
    if broken:
        return Standing("discarded", "crashed", f"after its answer: {_cut(broken[0].message)}")
    return None


def _again(cause: Cause, message: str, retries: Retries, tries: int) -> Standing:
    """Let an attempt be repeated, as long as there are attempts left."""
    if tries < retries.max_attempts:
        return Standing("retried", cause, message)
    return Standing("discarded", cause, f"{message} (attempt {tries} of {retries.max_attempts})")


def _matching(trajectory: Trajectory, retries: Retries) -> str | None:
    """Find the pattern that something the agent said matches."""
    if not retries.patterns:
        return None
    from ..ledger.pattern import found_in  # lazily: re2 is a library of its own

    said = list(_said(trajectory))
    return next(
        (one for one in retries.patterns if any(found_in(one, text) for text in said)), None
    )


def _said(trajectory: Trajectory) -> Iterator[str]:
    output = output_in(trajectory.events)
    if isinstance(output, Absent):
        happened = (event.what for event in trajectory.events)
        yield from (what.content for what in happened if isinstance(what, Message))
    else:
        yield output if isinstance(output, str) else canonical_dumps(output)
    for failure in failures_in(trajectory.events):
        yield failure.message
        stderr = failure.details.get("stderr")
        if isinstance(stderr, str):
            yield stderr
    yield trajectory.exit.stderr


def _worked(trajectory: Trajectory) -> bool:
    return any(isinstance(event.what, (ToolCall, Message, Thought)) for event in trajectory.events)


def _size(output: Json) -> int:
    """Count the bytes of an output; the white space around a text says nothing."""
    if output is None:
        return 0
    if isinstance(output, str):
        return len(output.strip().encode("utf-8", "surrogatepass"))
    return len(canonical_bytes(output))


def _last_error(trajectory: Trajectory) -> str:
    failures, exit = failures_in(trajectory.events), trajectory.exit
    if failures:
        return _cut(error_text(failures[-1]))
    if stderr := exit.stderr.strip():
        return _cut(stderr.splitlines()[-1])
    if exit.signal is not None:
        return f"the agent was ended by {exit.signal}"
    return f"the agent exited with status {exit.code}" if exit.code else "none was told"


def _cut(text: str) -> str:
    return beginning(text, SHOWN)
