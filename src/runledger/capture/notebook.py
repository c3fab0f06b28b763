"""What happens in a trial is written down at once, on disk and in memory, and added up."""

from __future__ import annotations

from collections.abc import Callable

from ..ledger.clock import Clock
from ..ledger.event import Event, Failed, FinalOutput, Happening, ToolCall, ToolResult, UsageReport
from ..ledger.grade import Failure, bounded, budget_failure
from ..ledger.task import Trial
from ..ledger.trajectory import Exit, Trajectory
from ..ledger.usage import Breach, Tally, Usage, add_usage, breaches


class Notebook:
    """The events of one trial as they happen, and what it has used so far."""

    def __init__(
        self, trial: Trial, note: Callable[[Trial, Happening], None], clock: Clock
    ) -> None:
        self.trial = trial
        self.failed = False
        self._note = note
        self._clock = clock
        self._started_ms = int(clock.unix() * 1000)
        self._start = clock.monotonic()
        self._answered_ms: int | None = None
        self._events: list[Event] = []
        self._calls = self._errors = 0
        self._usage = Usage()

    def note(self, what: Happening) -> None:
        """Write down what happened."""
        ms = self.elapsed_ms()
        self._note(self.trial, what)
        self._events.append(Event(ms, what))
        match what:
            case ToolCall():
                self._calls += 1
            case ToolResult(ok=False):
                self._errors += 1
            case UsageReport(usage):
                self._usage = add_usage(self._usage, usage)
            case FinalOutput() if self._answered_ms is None:
                self._answered_ms = ms

    def fail(self, failure: Failure) -> None:
        """Write down a failure."""
        self.failed = True
        self.note(Failed(bounded(failure)))

    def fail_budget(self, breach: Breach) -> None:
        """Write down that a limit was passed."""
        self.fail(budget_failure(breach))

    def over_limits(self) -> bool:
        """Write down every limit that is passed by now; say whether there is one."""
        tally = Tally(0, self._calls, self._errors, self._usage)  # the deadline watches the clock
        found = list(breaches(self.trial.task.limits, tally))
        for breach in found:
            self.fail_budget(breach)
        return bool(found)

    def elapsed_ms(self) -> int:
        """Count the milliseconds since the trial began."""
        return int((self._clock.monotonic() - self._start) * 1000)

    def trajectory(self, exit: Exit) -> Trajectory:
        """Close the book."""
        wall_ms = self._answered_ms if self._answered_ms is not None else self.elapsed_ms()
        return Trajectory(self.trial, self._started_ms, wall_ms, tuple(self._events), exit)
