"""Run a suite: what was prepared for it becomes an order, and is conducted."""

from __future__ import annotations

from pathlib import Path

from ..ledger.clock import Clock
from ..ledger.suite import Suite
from ..process.supervisor import Supervisor
from .conduct import SYSTEM_CLOCK, Order, RunOutcome, conduct
from .prepare import Prepared, RunOptions, prepare
from .watch import UNWATCHED, Watcher
from .workspaces import workspaces_of

DEFAULTS = RunOptions()


def run_suite(
    suite: Suite,
    options: RunOptions = DEFAULTS,
    *,
    watcher: Watcher = UNWATCHED,
    clock: Clock = SYSTEM_CLOCK,
) -> RunOutcome:
    """Run the chosen cases of a suite and give the run's directory and summary."""
    with Supervisor() as supervisor:
        (prepared,) = prepare([suite], options, supervisor)
        return run_prepared(prepared, options, supervisor, watcher=watcher, clock=clock)


def run_prepared(
    prepared: Prepared,
    options: RunOptions,
    supervisor: Supervisor,
    *,
    watcher: Watcher = UNWATCHED,
    clock: Clock = SYSTEM_CLOCK,
) -> RunOutcome:
    """Run what was prepared and give the run's directory and summary."""
    with workspaces_of(prepared.suite, supervisor.stop) as workspaces:
        order = Order(
            suite=prepared.suite,
            tasks=prepared.tasks,
            output_dir=Path(options.output_dir or prepared.suite.output_dir),
            trials=options.trials,
            jobs=options.jobs,
            fail_fast=options.fail_fast,
            grader_timeout_s=options.grader_timeout_s,
            max_cost_usd=options.max_cost_usd,
            workspaces=workspaces,
            toolbox=prepared.toolbox,
            sandbox=prepared.sandbox,
            baseline=prepared.baseline,
            baseline_file=prepared.baseline_file,
            resumed=options.resumed,
            spent_usd=0.0 if options.resumed is None else options.resumed.spent_usd,
        )
        return conduct(order, supervisor, watcher=watcher, clock=clock)
