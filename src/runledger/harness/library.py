"""What the library offers beside `run_suite`: capture, grade and compare in one call each.

Their names are not those of the rooms, which would hide them once a room is imported.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..ledger.comparison import Comparison
from ..ledger.suite import OUTPUT_DIR, AgentProtocol
from ..ledger.value import Json
from ..process.supervisor import Supervisor
from ..store.results import find_results, read_whole_results
from .agent_choice import AgentWords
from .capture_run import DEFAULTS, CaptureOptions, CaptureOutcome, capture_suite
from .compare_runs import compare_results as compared
from .judging import opened_judge
from .prompts import Places, suite_of
from .regrade import regrade


def capture_prompts(
    prompts: str | Path,
    agent: Sequence[str] = (),
    options: CaptureOptions = DEFAULTS,
    *,
    protocol: AgentProtocol | None = None,
    adapter: str | None = None,
    env: Sequence[str] = (),
) -> CaptureOutcome:
    """Run a file of prompts through an agent; results are in the run's directory, and where the
    options say.
    """
    words = AgentWords(agent, protocol, adapter, env)
    places = Places(options.cwd, options.workspace_dir, options.output)
    suite = suite_of(str(prompts), words, places)
    with Supervisor() as supervisor:
        return capture_suite(suite, options, supervisor=supervisor, warn=_warn)


def grade_results(
    results: str | Path, grader: str, *, jobs: int = 1, timeout_s: float = 60.0
) -> Iterator[Mapping[str, Json]]:
    """Yield the lines of results with new scores; no agent is started."""
    path = find_results(str(results), Path(OUTPUT_DIR))
    with Supervisor() as supervisor, opened_judge(grader, supervisor, timeout_s) as judge:
        for found in regrade(read_whole_results(path, _warn), judge, jobs):
            yield found.line


def compare_results(*results: str | Path) -> tuple[Comparison, ...]:
    """Compare every further set of results with the first."""
    return compared([os.fspath(one) for one in results], Path(OUTPUT_DIR), warn=_warn)


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=3)
