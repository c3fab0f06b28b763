"""Run prompts through an agent: once each (capture) or several times (trials), and go on later."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..capture.trial import Limit
from ..capture.workspace import Workspaces
from ..errors import UsageError
from ..ledger.assertion import Custom
from ..ledger.captured import captured_from
from ..ledger.clock import Clock
from ..ledger.fingerprint import fingerprint
from ..ledger.suite import OUTPUT_DIR, Suite
from ..ledger.task import Task
from ..ledger.value import Json
from ..process.supervisor import Supervisor
from ..store.results import Warn, read_result_lines
from ..store.resume import Progress, finished_lines, newest_unfinished, progress_of
from ..store.sink import open_sink
from ..suite.load import SUITE_FILE, load_prompts, load_suite
from .agent_choice import (
    AgentWords,
    agent_from,
    found_from_here,
    refuse_unfit,
    require_program,
)
from .conduct import SYSTEM_CLOCK, Order, RunOutcome, conduct, planned_by
from .furnish import cleaner_for, toolbox_for
from .streams import ResultLines, TrialLines
from .tally import CaptureTally
from .watch import UNWATCHED, Watcher, Watchers
from .workspaces import workspaces_for

LIMIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How prompts are asked, and where their results go."""

    trials: int | None = None  # None: once, and a line for each; else a line for each prompt
    jobs: int = 1
    timeout_ms: int = LIMIT_MS
    cwd: Path | None = None
    output: Path | None = None  # None: standard output
    append: bool = False
    grader: str | None = None
    grader_timeout_s: float = 60.0
    workspace_dir: Path | None = None
    keep: bool = False
    output_dir: Path | None = None
    max_cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What a capture came to: the run, if there was anything left to do, and all results so far."""

    outcome: RunOutcome | None
    tally: CaptureTally
    skipped: int = 0


DEFAULTS = CaptureOptions()


def suite_of(prompts: str, words: AgentWords, cwd: Path | None = None) -> Suite:
    """Make a suite of prompts and an agent; a suite that is named stays what it is."""
    if _is_suite(Path(prompts)):
        suite = load_suite(Path(prompts))
        return suite if not words.command else replace(suite, agent=agent_from(words))
    agent = agent_from(words)
    directory = str((cwd or Path()).resolve())
    if not Path(directory).is_dir():
        raise UsageError(f"there is no directory {cwd}")
    name = "stdin" if prompts == "-" else re.sub(r"[^A-Za-z0-9._-]", "-", Path(prompts).stem)
    asked = None if agent.protocol == "stdio" else agent.protocol  # which takes texts, too
    tasks = load_prompts(prompts, asked)
    return Suite(name[:100], directory, agent, tasks, mode="live", output_dir=OUTPUT_DIR)


def capture_suite(
    suite: Suite,
    options: CaptureOptions = DEFAULTS,
    *,
    supervisor: Supervisor,
    watcher: Watcher = UNWATCHED,
    warn: Warn = lambda text: None,
    clock: Clock = SYSTEM_CLOCK,
) -> Captured:
    """Ask an agent every prompt, and write each result as soon as it is there."""
    suite = _settled(suite, options, supervisor)
    tally = CaptureTally()
    left = _left(suite, options, tally, warn)
    skipped = len(suite.tasks) - len(left)
    if not left:
        return Captured(None, tally, skipped)
    with ExitStack() as stack:
        order = _order(suite, left, options)
        place = _workspaces(suite, options, supervisor)
        order = replace(
            order, workspaces=stack.enter_context(place), toolbox=toolbox_for(suite, supervisor)
        )
        sink = stack.enter_context(closing(open_sink(options.output, append=options.append)))
        lines = ResultLines(sink) if options.trials is None else TrialLines(sink, options.trials)
        lines.carry_over(_carried(order, tally))
        watchers = Watchers(lines, tally, watcher)
        outcome = conduct(order, supervisor, watcher=watchers, clock=clock)
    return Captured(outcome, tally, skipped)


def _settled(suite: Suite, options: CaptureOptions, supervisor: Supervisor) -> Suite:
    """Settle how the agent is started and by whom it is judged, or say what cannot work."""
    if options.append and options.output is None:
        raise UsageError("--append goes on with a file: name it with -o")
    refuse_unfit(suite)
    suite = _graded_by(options.grader, suite, supervisor)
    elsewhere = options.workspace_dir or Path(suite.directory)
    agent = found_from_here(suite.agent, str(elsewhere))
    require_program(agent, suite.directory)
    return replace(suite, agent=agent)


def _left(
    suite: Suite, options: CaptureOptions, tally: CaptureTally, warn: Warn
) -> tuple[Task, ...]:
    """List the tasks whose results are not in the output yet."""
    done = frozenset(_finished(options, tally, warn)) if options.append else frozenset()
    clean = cleaner_for(suite)
    return tuple(task for task in suite.tasks if _mark(task.id, clean(task.input)) not in done)


def _order(suite: Suite, left: tuple[Task, ...], options: CaptureOptions) -> Order:
    order = Order(
        suite=suite,
        tasks=left,
        output_dir=options.output_dir or Path(suite.output_dir),
        trials=options.trials or 1,
        repeated=options.trials is not None,
        jobs=options.jobs,
        limit=Limit(options.timeout_ms, "-t"),
        grader_timeout_s=options.grader_timeout_s,
        max_cost_usd=options.max_cost_usd,
    )
    return replace(order, resumed=_broken_off(order)) if options.append else order


def _workspaces(
    suite: Suite, options: CaptureOptions, supervisor: Supervisor
) -> AbstractContextManager[Workspaces]:
    return workspaces_for(
        Path(suite.directory),
        options.workspace_dir,
        supervisor,
        keep=options.keep,
        given_cwd=options.cwd is not None,
    )


def _is_suite(path: Path) -> bool:
    return path.name == SUITE_FILE or (path / SUITE_FILE).is_file()


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


def _broken_off(order: Order) -> Progress | None:
    """Find the run that was broken off while it did what this order asks for."""
    parent = order.output_dir / order.suite.name
    found = newest_unfinished(parent, planned_by(order, ""))
    return None if found is None else progress_of(found)


def _carried(order: Order, tally: CaptureTally) -> Iterator[Mapping[str, Any]]:
    """Yield the results that the run has already, of prompts that are not in the output yet."""
    if order.resumed is None:
        return
    wanted = {task.id for task in order.tasks}
    for line in finished_lines(order.resumed):
        if line["id"] in wanted and (line["id"], line["trial"]) in order.resumed.finished:
            tally.count(captured_from(line))
            yield line
