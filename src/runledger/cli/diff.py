"""runledger diff: compare a run with a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import GATE, app
from .options import BaselineFile, DiffFormat, FailOnInconclusive, OutputDir, RunOption

EXIT_CODES = "Exit codes: as the gate's, 0 no regression, 1 worse than the baseline, 3 not valid."


@app.command(rich_help_panel=GATE, epilog=EXIT_CODES)
def diff(
    baseline: BaselineFile,
    run: RunOption,
    format: Annotated[
        DiffFormat, typer.Option("--format", help="How to show it.")
    ] = DiffFormat.text,
    output_dir: OutputDir = None,
    fail_on_inconclusive: FailOnInconclusive = False,
) -> None:
    """Compare a run with a baseline, by the thresholds that the run was made with."""
    from ..harness.baselines import compare_with_baseline
    from ..ledger.suite import OUTPUT_DIR
    from ..store.rundir import find_run
    from .exits import gate_code, put
    from .show import comparison_shown

    path = find_run(run, output_dir or Path(OUTPUT_DIR))
    compared = compare_with_baseline(path, baseline)
    put(comparison_shown(compared, format))
    raise typer.Exit(gate_code(compared.summary, fail_on_inconclusive))
