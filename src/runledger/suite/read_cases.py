"""Read the cases of a suite, from a directory of YAML files or from one file of JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..errors import Finding, SuiteError
from .case_files import find_case_files
from .document import CaseConfig
from .draft import Draft, draft_case
from .json_source import read_json_lines
from .source import Source
from .tree import SuiteTree
from .yaml_source import read_yaml

LINES = ".jsonl"


def cases_problem(cases_path: str, tree: SuiteTree) -> str | None:
    """Say why there can be no cases at a path."""
    spot = tree.look(cases_path)
    if spot.refused is not None or spot.is_directory:
        return spot.refused
    if spot.mode is None:
        return f"there is no {tree.label_of(cases_path)}"
    if spot.is_file and cases_path.endswith(LINES):
        return None
    return f"must be a directory or a {LINES} file; found {cases_path}"


def read_cases(
    cases_path: str, tree: SuiteTree, suite_file: str, findings: list[Finding]
) -> list[Draft[CaseConfig]]:
    """Read the cases in order; what cannot be read or understood is added to the findings."""
    if tree.look(cases_path).is_directory:
        files = find_case_files(tree, cases_path, suite_file, findings)
        sources = _read_files(files, tree, findings)
    else:
        sources = _read_lines(cases_path, tree, findings)
    drafts = (draft_case(source, findings) for source in sources)
    return [draft for draft in drafts if draft is not None]


def _read_files(files: Iterable[str], tree: SuiteTree, findings: list[Finding]) -> list[Source]:
    sources = []
    for path in files:
        try:
            sources.append(read_yaml(Path(tree.full(path)), tree.label_of(path)))
        except SuiteError as error:
            findings.extend(error.findings)
    return sources


def _read_lines(cases_path: str, tree: SuiteTree, findings: list[Finding]) -> list[Source]:
    file = tree.label_of(cases_path)
    before = len(findings)
    try:
        sources = read_json_lines(Path(tree.full(cases_path)), file, findings)
    except SuiteError as error:
        findings.extend(error.findings)
        return []
    if not sources and len(findings) == before:
        findings.append(Finding(file, "holds no case"))
    return sources
