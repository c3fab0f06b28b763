"""What `capture` and `trials` share: their flags, the asking of an agent, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from .options import GraderChoice, GraderTimeout, MaxTotalCost, OutputDir, OutputFile, Prompts

if TYPE_CHECKING:
    from ..harness.agent_choice import AgentWords
    from ..harness.capture_run import CaptureOptions, CaptureOutcome
    from ..harness.tally import CaptureTally

EXIT_CODES = (
    "Exit codes: 0 every prompt was captured, whatever its grade; 1 an agent crashed or timed out, "
    "or fewer passed than --fail-under; 2 something to fix in the files or flags; "
    "3 the agent could not be started, or a grader failed; 130 or 143 interrupted."
)


class Protocol(StrEnum):
    """How the agent is talked to."""

    acp = "acp"
    headless = "headless"
    stdio = "stdio"


@dataclass(frozen=True, slots=True)
class AskingFlags:
    """An agent, the prompts that it is asked, and where its answers go."""

    prompts: Prompts
    agent: Annotated[
        list[str] | None,
        Argument(metavar="AGENT", help="The agent's command; its own flags after --."),
    ] = None
    output: OutputFile = None
    append: Annotated[
        bool,
        Option(
            "--append", metavar="", help="Go on with -o: what it holds already is not asked again."
        ),
    ] = False
    cwd: Annotated[
        Path | None, Option("--cwd", "-c", metavar="CWD", help="Where the agent works.")
    ] = None
    timeout: Annotated[
        int, Option("--timeout", "-t", min=1, metavar="MS", help="Milliseconds for each prompt.")
    ] = 60_000
    jobs: Annotated[
        int,
        Option("--jobs", "-j", min=1, metavar="N", envvar="RUNLEDGER_JOBS", help="Agents at once."),
    ] = 1
    progress: Annotated[
        bool,
        Option("--progress", metavar="", help="Tell of each prompt as it ends, on standard error."),
    ] = False
    protocol: Annotated[
        Protocol | None,
        Option("--protocol", help="How to talk to it. Default: acp (with --adapter: headless)."),
    ] = None
    adapter: Annotated[
        str | None,
        Option(
            "--adapter",
            metavar="NAME|FILE",
            help="A headless agent: claude, codex, gemini, qwen, opencode, text, or a file.",
        ),
    ] = None
    env: Annotated[
        list[str] | None,
        Option("--env", metavar="NAME[=VALUE]", help="A variable for the agent (repeatable)."),
    ] = None
    mcp_server: Annotated[
        list[str] | None,
        Option("--mcp-server", metavar="JSON", help="{name, command, args, env} (repeatable)."),
    ] = None
    permissions: Annotated[
        str | None,
        Option(
            "--permissions",
            metavar="allow|reject|FILE",
            help="What an ACP agent may do when it asks. Default: allow.",
        ),
    ] = None
    fs: Annotated[
        bool, Option("--fs", metavar="", help="Offer to read and write files for it.")
    ] = False
    terminal: Annotated[
        bool, Option("--terminal", metavar="", help="Offer to run commands for it.")
    ] = False
    workspace_dir: Annotated[
        Path | None,
        Option(
            "--workspace-dir",
            metavar="D",
            help="A workspace for each prompt: made in D if it is new or empty, else a copy of D, "
            "or a worktree of it if it is a git repository.",
        ),
    ] = None
    keep: Annotated[bool, Option("--keep", metavar="", help="Leave the workspaces there.")] = False
    grader: GraderChoice = None
    grader_timeout: GraderTimeout = 60.0
    fail_under: Annotated[
        float | None,
        Option("--fail-under", min=0, max=1, metavar="RATE", help="Exit with 1 below this rate."),
    ] = None
    max_total_cost_usd: MaxTotalCost = None
    output_dir: OutputDir = None


def ask(flags: AskingFlags, trials: int | None) -> int:
    """Ask the agent every prompt, tell how it went, and give the exit code."""
    from ..errors import UsageError
    from ..harness.capture_run import capture_suite
    from ..harness.prompts import Places, suite_of
    from ..process.signals import stoppable
    from ..process.supervisor import Supervisor
    from .exits import say
    from .progress import watcher_for

    if flags.fail_under is not None and flags.grader is None:
        raise UsageError("--fail-under needs a grader: add -g")
    places = Places(flags.cwd, flags.workspace_dir, flags.output)
    suite = suite_of(flags.prompts, _words(flags), places)
    with Supervisor(alone=True) as supervisor, stoppable(supervisor):
        captured = capture_suite(
            suite,
            _options(flags, trials),
            supervisor=supervisor,
            watcher=watcher_for(not flags.progress, judged=flags.grader is not None),
            warn=say,
        )
        signum = supervisor.stop.signum
    _tell(captured, flags, trials)
    return 128 + signum if signum is not None else _code(captured, flags)


def _words(flags: AskingFlags) -> AgentWords:
    from ..harness.agent_choice import AgentWords

    return AgentWords(
        command=tuple(flags.agent or ()),
        protocol=flags.protocol.value if flags.protocol else None,
        adapter=flags.adapter,
        env=tuple(flags.env or ()),
        permissions=flags.permissions,
        fs=flags.fs,
        terminal=flags.terminal,
        servers=tuple(flags.mcp_server or ()),
    )


def _options(flags: AskingFlags, trials: int | None) -> CaptureOptions:
    from ..harness.capture_run import CaptureOptions

    return CaptureOptions(
        trials=trials,
        jobs=flags.jobs,
        timeout_ms=flags.timeout,
        cwd=flags.cwd,
        output=flags.output,
        to_stdout=flags.output is None,
        append=flags.append,
        grader=flags.grader,
        grader_timeout_s=flags.grader_timeout,
        workspace_dir=flags.workspace_dir,
        keep=flags.keep,
        output_dir=flags.output_dir,
        max_cost_usd=flags.max_total_cost_usd,
    )


def _code(captured: CaptureOutcome, flags: AskingFlags) -> int:
    """Choose the exit code: the world's fault first, then the agent's, then the grade."""
    tally, outcome = captured.tally, captured.outcome
    out_of_money = outcome is not None and outcome.out_of_money
    if tally.void or tally.unjudged or out_of_money:
        return 3
    rate = tally.pass_rate()
    too_few = flags.fail_under is not None and (rate is None or rate < flags.fail_under)
    return 1 if tally.errors or too_few else 0


def _tell(captured: CaptureOutcome, flags: AskingFlags, trials: int | None) -> None:
    from .exits import say

    for text in _told(captured, flags, trials):
        say(text)


def _told(captured: CaptureOutcome, flags: AskingFlags, trials: int | None) -> Iterator[str]:
    """Tell what came of it, what fell short, and where the rest is."""
    if captured.skipped:
        yield f"{captured.skipped} were there already"
    yield _counted(captured) if trials is None else _table(captured.tally, trials)
    yield from _short_of(captured.tally, flags)
    if captured.outcome is None:
        yield "nothing was left to do"
        return
    if captured.outcome.out_of_money:
        yield f"stopped: ${flags.max_total_cost_usd} of --max-total-cost-usd are spent"
    yield f"the run is in {captured.outcome.path}"
    if flags.output is not None and captured.outcome.summary.totals.unfinished:
        yield "to go on: the same command with --append"


def _short_of(tally: CaptureTally, flags: AskingFlags) -> Iterator[str]:
    """Tell of errors, of answers that nobody judged, and of a rate that is too low."""
    from ..ledger.printable import one_line

    if tally.last_error:
        yield f"the last error: {one_line(tally.last_error, 500)}"
    if tally.unjudged and flags.output is not None:
        yield f"to judge again: runledger grade {flags.output} -g {flags.grader or 'GRADER'}"
    rate = tally.pass_rate()
    if flags.fail_under is not None and rate is not None and rate < flags.fail_under:
        yield f"{rate:.1%} passed, fewer than the {flags.fail_under:.1%} of --fail-under"


def _table(tally: CaptureTally, trials: int) -> str:
    from ..views.trials import render_trials
    from .show import look_at

    return render_trials(tally.prompts(), trials, look_at(2))


def _counted(captured: CaptureOutcome) -> str:
    tally, outcome = captured.tally, captured.outcome
    left = outcome.summary.totals.unfinished if outcome else 0
    others = {
        f"{tally.errors} with an error of the agent": tally.errors,
        f"{tally.unjudged} not judged, by a grader's fault": tally.unjudged,
        f"{tally.void} could not begin": tally.void,
        f"{left} not finished": left,
        f"{tally.passed} of {tally.graded} passed": tally.graded,
    }
    parts = [part for part, number in others.items() if number]
    return ", ".join([f"{tally.captured} captured", *parts])
