"""Make every check that can be made before an agent starts, and tell all findings at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import CassetteError, Finding, SuiteError, UsageError
from ..ledger.suite import Mode, Suite
from ..process.supervisor import Supervisor
from ..store.baseline import read_baseline, refuse_foreign
from ..store.cassette.load import load_cassette
from ..suite.load import load_suite
from ..suite.tree import label_of
from .furnish import toolbox_for


def load_suites(paths: Sequence[Path], mode: Mode | None = None) -> list[Suite]:
    """Load and check every suite; raise what is to be fixed in any of them."""
    suites, findings = _load(paths, mode)
    if findings:
        raise SuiteError(findings)
    return suites


def validate_suites(paths: Sequence[Path]) -> list[Suite]:
    """Load and check every suite with all that it reads; raise what is to be fixed."""
    suites, findings = _load(paths, None)
    for suite in suites:
        findings += check_cassettes(suite)
        findings += _check_baseline(suite)
    if any(suite.mode != "replay" for suite in suites):
        with Supervisor() as supervisor:
            findings += [found for suite in suites for found in _check_tools(suite, supervisor)]
    if findings:
        raise SuiteError(findings)
    return suites


def _check_baseline(suite: Suite) -> Iterator[Finding]:
    if suite.baseline_path is None:
        return
    file = Path(suite.directory, suite.baseline_path)
    try:
        if file.exists():  # one that is not there yet is only a warning when it is missed
            refuse_foreign(read_baseline(file), suite.name, file)
    except UsageError as error:
        yield Finding(label_of(file), str(error), field="baseline_path")


def _check_tools(suite: Suite, supervisor: Supervisor) -> Iterator[Finding]:
    """Start the tools that this suite's mode asks, as a run would before its first case."""
    try:
        toolbox_for(suite, supervisor)
    except UsageError as error:
        yield Finding(label_of(Path(suite.directory)), str(error))


def _load(paths: Sequence[Path], mode: Mode | None) -> tuple[list[Suite], list[Finding]]:
    suites: list[Suite] = []
    findings: list[Finding] = []
    for path in paths:
        try:
            suites.append(load_suite(path, mode))
        except SuiteError as error:
            findings += error.findings
    return suites, findings


def check_cassettes(suite: Suite) -> Iterator[Finding]:
    """Read every cassette that is there; a suite that needs one it lacks was refused before."""
    for shown in sorted({task.cassette for task in suite.tasks if task.cassette}):
        file = Path(suite.directory, shown)
        if not file.exists():
            continue
        try:
            load_cassette(file, label_of(file))
        except CassetteError as error:
            yield Finding(error.path, error.reason, error.line)
