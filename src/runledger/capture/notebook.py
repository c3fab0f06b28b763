"""What happens in a trial is written down at once, on disk and in memory, and added up."""

from __future__ import annotations

from collections.abc import Callable

from ..ledger.clock import Clock
from ..ledger.event import (
    Event,
    Failed,
    FinalOutput,
    Happening,
    Raw,
    TaskStart,
    ToolCall,
    ToolResult,
    UsageReport,
    event_at,
)
from ..ledger.grade import Failure, bounded, budget_failure
from ..ledger.task import Trial
from ..ledger.trajectory import Exit, Metered, Trajectory, is_error
from ..ledger.usage import Breach, Tally, breaches


class Notebook:
    """The events of one trial as they happen, and what it has used so far."""

    def __init__(
        self, trial: Trial, note: Callable[[Trial, Happening], None], clock: Clock
    ) -> None:
        self.trial = trial
        self.failed = False
        self._note = note
        self._clock = clock
        self._begin()
        self._answered_ms: int | None = None
        self._given_up_ms: int | None = None
        self._events: list[Event] = []
        self._calls: set[str] = set()
        self._errors: set[str] = set()
        self._metered = Metered()

    def _begin(self) -> None:
        """Count the time from now on: the task is sent once the agent is ready for it."""
        self._started_ms = int(self._clock.unix() * 1000)
        self._start = self._clock.monotonic()

    def note(self, what: Happening) -> None:
        """Write down what happened."""
        self._note(self.trial, what)
        if isinstance(what, Raw):
            return
        if isinstance(what, TaskStart):
            self._begin()
        ms = self.elapsed_ms()
        self._events.append(event_at(ms, what))
        match what:
            case ToolCall(call_id=call_id):
                self._calls.add(call_id)
            case ToolResult(call_id=call_id):
                (self._errors.add if is_error(what) else self._errors.discard)(call_id)
            case UsageReport():
                self._metered = self._metered.with_report(what)
            case FinalOutput() if self._answered_ms is None:
                self._answered_ms = ms

    def fail(self, failure: Failure) -> None:
        """Write down a failure; where it is that time is up, what follows takes none of it."""
        self.failed = True
        if failure.type == "timeout" and self._given_up_ms is None:
            self._given_up_ms = self.elapsed_ms()
        self.note(Failed(bounded(failure)))

    def fail_budget(self, breach: Breach) -> None:
        """Write down that a limit was passed."""
        self.fail(budget_failure(breach))

    def over_limits(self) -> bool:
        """Write down every limit that is passed by now; say whether there is one."""
        # The deadline watches the clock.
        tally = Tally(0, len(self._calls), len(self._errors), self._metered.usage)
        found = list(breaches(self.trial.task.limits, tally))
        for breach in found:
            self.fail_budget(breach)
        return bool(found)

    def elapsed_ms(self) -> int:
        """Count the milliseconds since the task was sent, or since the trial began."""
        return int((self._clock.monotonic() - self._start) * 1000)

    def trajectory(self, exit: Exit) -> Trajectory:
        """Close the book."""
        moments = (self._answered_ms, self._given_up_ms)
        ended = next((ms for ms in moments if ms is not None), None)
        wall_ms = self.elapsed_ms() if ended is None else ended
        return Trajectory(self.trial, self._started_ms, wall_ms, tuple(self._events), exit)
