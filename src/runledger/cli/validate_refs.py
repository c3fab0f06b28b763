"""runledger validate-refs: try a grader on the answers that are known to be good."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from ..errors import UsageError
from .app import CAPTURE, app
from .options import GraderName, GraderTimeout, Jobs, OutputFile, Prompts

if TYPE_CHECKING:
    from ..harness.references import Validated
    from ..ledger.task import Task
    from ..store.sink import Sink

NAMED = 20
EXIT_CODES = "Exit codes: 0 all pass, 1 a reference fails, 2 something to fix, 3 grader errors."


@app.command("validate-refs", rich_help_panel=CAPTURE, epilog=EXIT_CODES)
def validate_refs(
    prompts: Prompts,
    grader: GraderName,
    output: OutputFile = None,
    jobs: Jobs = None,
    grader_timeout: GraderTimeout = 60.0,
) -> None:
    """Judge the reference of every prompt: a grader that fails one is not to be trusted."""
    from pathlib import Path

    from ..harness.judging import opened_judge
    from ..harness.references import validate_references
    from ..store.sink import open_sink
    from ..suite.load import load_prompts
    from .judging import supervised
    from .run import cores

    tasks = _with_reference(load_prompts(prompts))
    with supervised() as work, opened_judge(grader, work.supervisor, grader_timeout) as judge:
        sink = open_sink(output, never=Path(prompts))
        try:
            work.code = _written(validate_references(tasks, judge, jobs or cores()), sink)
        finally:
            sink.close()
    raise typer.Exit(work.code)


def _with_reference(tasks: Sequence[Task]) -> list[Task]:
    """Choose the prompts that have a reference, and name the others."""
    from .exits import say

    without = [task.id for task in tasks if task.reference is None]
    if len(without) == len(tasks):
        raise UsageError('no prompt has a reference; add "reference": a good answer, to some')
    if without:
        more = f", … ({len(without)} in all)" if len(without) > NAMED else ""
        say(f"without a reference: {', '.join(without[:NAMED])}{more}")
    return [task for task in tasks if task.reference is not None]


def _written(validated: Iterable[Validated], sink: Sink) -> int:
    """Write the lines as they come, name the references that fail, and choose the exit code."""
    from ..ledger.grade import is_fault
    from ..ledger.printable import one_line
    from .exits import say, worst

    codes = [0]
    passed = 0
    for one in validated:
        sink.append(one.line)
        passed += one.grade.passed
        codes.append(3 if is_fault(one.grade) else int(not one.grade.passed))
        for failure in one.grade.failures:
            verdict = "grader error" if codes[-1] == 3 else "fails"
            say(f"{one_line(one.id)}: {verdict}: {one_line(failure.message, 300)}")
    say(f"references passed {passed}, failed {codes.count(1)}, grader errors {codes.count(3)}")
    return worst(codes)
