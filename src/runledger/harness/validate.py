"""Make every check that can be made before an agent starts, and tell all findings at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import CassetteError, Finding, SuiteError
from ..ledger.suite import Suite
from ..store.cassette import load_cassette
from ..suite.load import load_suite
from ..suite.tree import label_of


def validate_suites(paths: Sequence[Path]) -> list[Suite]:
    """Load and check every suite, cassettes included; raise what is to be fixed in any of them."""
    suites: list[Suite] = []
    findings: list[Finding] = []
    for path in paths:
        try:
            suite = load_suite(path)
        except SuiteError as error:
            findings += error.findings
            continue
        suites.append(suite)
        findings += check_cassettes(suite)
    if findings:
        raise SuiteError(findings)
    return suites


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
