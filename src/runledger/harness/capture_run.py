"""Run prompts through an agent: once each (capture) or several times (trials), and go on later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..capture.trial import Limit
from ..errors import UsageError
from ..ledger.assertion import Custom
from ..ledger.captured import captured_from
from ..ledger.clock import Clock
from ..ledger.fingerprint import fingerprint
from ..ledger.suite import Suite
from ..ledger.task import Task
from ..ledger.value import Json
from ..process.supervisor import Supervisor
from ..store.results import Warn, read_result_lines
from ..store.resume import Progress, finished_lines, newest_unfinished
from ..store.sink import Nowhere, Sink, is_appendable, open_sink
from .agent_choice import refuse_unfit, require_program
from .conduct import SYSTEM_CLOCK, Order, RunOutcome, conduct, planned_by
from .furnish import cleaner_for, toolbox_for
from .streams import ResultLines, TrialLines
from .tally import CaptureTally
from .watch import UNWATCHED, Watcher, Watchers
from .workspaces import Wanted, workspaces_for

LIMIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How prompts are asked, and where their results go."""

    trials: int | None = None  # None: once, and a line for each; else a line for each prompt
    jobs: int = 1
    timeout_ms: int = LIMIT_MS
    cwd: Path | None = None
    output: Path | None = None
    to_stdout: bool = False  # where no output is named; else lines are in the run's directory only
    append: bool = False
    grader: str | None = None
    grader_timeout_s: float = 60.0
    workspace_dir: Path | None = None
    keep: bool = False
    output_dir: Path | None = None
    max_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class CaptureOutcome:
    """What a capture came to: the run, if there was anything left to do, and all results so far."""

    outcome: RunOutcome | None
    tally: CaptureTally
    skipped: int = 0


DEFAULTS = CaptureOptions()


def capture_suite(
    suite: Suite,
    options: CaptureOptions = DEFAULTS,
    *,
    supervisor: Supervisor,
    watcher: Watcher = UNWATCHED,
    warn: Warn = lambda text: None,
    clock: Clock = SYSTEM_CLOCK,
) -> CaptureOutcome:
    """Ask an agent every prompt, and write each result as soon as it is there."""
    suite = _settled(suite, options, supervisor)
    tally = CaptureTally()
    left = _left(suite, options, tally, warn)
    skipped = len(suite.tasks) - len(left)
    if not left:
        return CaptureOutcome(None, tally, skipped)
    with ExitStack() as stack:
        order = _order(suite, left, options, warn)
        place = workspaces_for(_wanted(suite, options), supervisor, warn)
        order = replace(
            order,
            spent_usd=tally.cost_usd,
            workspaces=stack.enter_context(place),
            toolbox=toolbox_for(suite, supervisor),
        )
        sink = stack.enter_context(closing(_sink(options)))
        carried = _carried(order, tally)
        lines: Watcher = ResultLines(sink, carried)
        if options.trials is not None:
            lines = TrialLines(sink, options.trials, carried)
        watchers = Watchers(lines, tally, watcher)
        outcome = conduct(order, supervisor, watcher=watchers, clock=clock)
    return CaptureOutcome(outcome, tally, skipped)


def _settled(suite: Suite, options: CaptureOptions, supervisor: Supervisor) -> Suite:
    """Settle how the agent is started and by whom it is judged, or say what cannot work."""
    if options.append and options.output is None:
        raise UsageError("--append goes on with a file: name it with -o")
    if options.append and options.output is not None and not is_appendable(options.output):
        raise UsageError(f"--append goes on with a file, and {options.output} is none")
    refuse_unfit(suite)
    suite = _graded_by(options.grader, suite, supervisor)
    require_program(suite.agent, suite.directory)
    return suite


def _left(
    suite: Suite, options: CaptureOptions, tally: CaptureTally, warn: Warn
) -> tuple[Task, ...]:
    """List the tasks whose results are not in the output yet."""
    done = frozenset(_finished(options, tally, warn)) if options.append else frozenset()
    clean = cleaner_for(suite)
    return tuple(task for task in suite.tasks if _mark(task.id, clean(task.input)) not in done)


def _order(suite: Suite, left: tuple[Task, ...], options: CaptureOptions, warn: Warn) -> Order:
    order = Order(
        suite=suite,
        tasks=left,
        output_dir=options.output_dir or Path(suite.output_dir),
        trials=options.trials or 1,
        repeated=options.trials is not None,
        jobs=options.jobs,
        limit=Limit(options.timeout_ms, "the default" if options.timeout_ms == LIMIT_MS else "-t"),
        grader_timeout_s=options.grader_timeout_s,
        max_cost_usd=options.max_cost_usd,
    )
    return replace(order, resumed=_broken_off(order, warn)) if options.append else order


def _sink(options: CaptureOptions) -> Sink:
    if options.output is None and not options.to_stdout:
        return Nowhere()
    return open_sink(options.output, append=options.append)


def _wanted(suite: Suite, options: CaptureOptions) -> Wanted:
    given = options.cwd is not None
    return Wanted(Path(suite.directory), given, options.workspace_dir, options.keep)


def _graded_by(grader: str | None, suite: Suite, supervisor: Supervisor) -> Suite:
    """Have every answer judged by one more grader, which must be there."""
    if grader is None:
        return suite
    from ..graders import Place  # without a grader nobody pays for it
    from ..graders.choice import check_grader_choice

    check_grader_choice(grader, Place(suite.directory, supervisor))
    judged = (replace(task, assertions=(*task.assertions, Custom(grader))) for task in suite.tasks)
    return replace(suite, tasks=tuple(judged))


def _finished(options: CaptureOptions, tally: CaptureTally, warn: Warn) -> Iterator[str]:
    """Yield the marks of the prompts whose lines are there, and count how they went."""
    if options.output is None or not options.output.exists():
        return
    for number, line in read_result_lines(options.output, warn):
        if ("trials" in line) != (options.trials is not None):
            kind = "trials" if "trials" in line else "a capture"
            told = f"{options.output}:{number}: this is a line of {kind}; choose another -o"
            raise UsageError(told)
        if options.trials is not None and line.get("k") != options.trials:
            raise UsageError(
                f"{options.output}:{number}: this prompt had {line.get('k')} trials, "
                f"not {options.trials}; choose the same -k, or another -o"
            )
        try:
            found = list(captured_from(line))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UsageError(f"{options.output}:{number}: this is no line of results") from None
        tally.count(found)
        yield _mark(str(line["id"]), line["input"])


def _mark(id: str, input: Json) -> str:
    """Give what tells a prompt from another: its id and what it asks."""
    return fingerprint([id, input])


def _broken_off(order: Order, warn: Warn) -> Progress | None:
    """Find the run that was broken off while it did what this order asks for."""
    parent = order.output_dir / order.suite.name
    return newest_unfinished(parent, planned_by(order, ""), warn)


def _carried(order: Order, tally: CaptureTally) -> Iterator[Mapping[str, Any]]:
    """Yield the results that the run has already, of prompts that are not in the output yet."""
    if order.resumed is None:
        return
    wanted = {task.id for task in order.tasks}
    for line in finished_lines(order.resumed):
        if line["id"] in wanted:
            tally.count(captured_from(line))
            yield line
