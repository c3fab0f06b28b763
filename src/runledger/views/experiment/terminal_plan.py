"""What a terminal shows before an experiment runs: its plan, and what the agent would be given."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from ...ledger.estimate import DryCondition, Estimate
from ...ledger.findings import BenchRecord
from ...ledger.printable import inert, one_line, printable
from ..look import Look, names, paint, set_text
from .grid import short
from .words import money, seconds, size, times_over

MARGIN = "  "
NAMED = 100
NAME_COLUMNS = 40
PROMPT = "{prompt}"


def plan_lines(record: BenchRecord, estimate: Estimate, look: Look) -> Iterator[str]:
    """Yield the lines on a plan."""
    asked = record.experiment
    yield paint(short(asked.name, look.width), "strong", look)
    told = [size(asked), _order(record), _smallest(estimate), _time(estimate), _cost(estimate)]
    yield from set_text(MARGIN, told, look)


def _order(record: BenchRecord) -> str:
    """Tell how often each condition is the first of its block."""
    firsts = {one.name: 0 for one in record.experiment.conditions}
    for run in record.plan:
        if run.place == 1:
            firsts[run.slot.condition] += 1
    told = (f"{short(name, NAME_COLUMNS)} {times_over(often)}" for name, often in firsts.items())
    return f"order: drawn with seed {record.seed}; runs first: {', '.join(told)}"


def _smallest(estimate: Estimate) -> str:
    """Tell the smallest effect that is likely to be seen."""
    if estimate.smallest_sd is None:
        return "smallest effect: none can be shown, since that takes two tasks at least"
    spread = f"{estimate.smallest_sd:.2f} standard deviations of the tasks' differences"
    told = f"smallest effect shown in four of five such experiments: {spread}"
    if estimate.smallest_points is None:
        return told
    run = one_line(estimate.spread_from or "an earlier run")
    return f"{told}; {estimate.smallest_points:.1f} points of score if they spread as in {run}"


def _time(estimate: Estimate) -> str:
    most = f"at most {seconds(estimate.most_seconds)}, if each run takes as long as it may"
    if estimate.seconds is None:
        return f"time: {most}"
    return f"time: about {seconds(estimate.seconds)}{_as_in(estimate)}; {most}"


def _cost(estimate: Estimate) -> str:
    if estimate.cost_usd is None:
        return "cost: not known, since no earlier run tells it"
    return f"cost: about {money(estimate.cost_usd)}{_as_in(estimate)}"


def _as_in(estimate: Estimate) -> str:
    return f", as in {one_line(estimate.from_run)}" if estimate.from_run else ""


def dry_lines(shown: DryCondition, look: Look) -> Iterator[str]:
    """Yield the lines on how a condition would be asked."""
    yield paint(one_line(shown.name), "strong", look)
    if shown.note:
        yield from set_text(MARGIN, [f"note: {shown.note}"], look)
    yield from _verbatim(MARGIN, f"command: {_command(shown)}")
    yield from _verbatim(MARGIN, f"directory: {shown.directory}")
    yield from set_text(MARGIN, [f"environment: {names(shown.env_names, NAMED) or 'none'}"], look)
    yield f"{MARGIN}prompt:"
    yield from _verbatim(MARGIN * 2, shown.prompt)


def _command(shown: DryCondition) -> str:
    """Quote a command's words; the prompt stands below, and is not said twice."""
    return " ".join(
        PROMPT if shown.prompt and word == shown.prompt else shlex.quote(word)
        for word in shown.command
    )


def _verbatim(margin: str, text: str) -> Iterator[str]:
    """Set a text line for line: broken ones, copied, would be something else."""
    yield from (inert(margin + line).rstrip() for line in printable(text).split("\n"))
