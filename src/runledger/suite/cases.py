"""Find and read the cases of a suite: a directory of YAML files, or one file of JSON lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import Finding, SuiteError
from .document import CaseConfig
from .draft import Draft, draft_case
from .json_source import parse_json_lines
from .source import Source, read_bytes
from .tree import SuiteTree

LINES = ".jsonl"
ENDINGS = (".yaml", ".yml")


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
        files = _find_files(tree, cases_path, suite_file, findings)
        sources = _read_files(files, tree, findings)
    else:
        sources = _read_lines(cases_path, tree, findings)
    drafts = (draft_case(source, findings) for source in sources)
    return [draft for draft in drafts if draft is not None]


def _read_files(files: Iterable[str], tree: SuiteTree, findings: list[Finding]) -> list[Source]:
    from .yaml_source import read_yaml  # prompts pay nothing for it

    sources = []
    for path in files:
        try:
            sources.append(read_yaml(Path(tree.full(path)), tree.label_of(path)))
        except SuiteError as error:
            findings.extend(error.findings)
    return sources


def _read_lines(cases_path: str, tree: SuiteTree, findings: list[Finding]) -> list[Source]:
    file = tree.label_of(cases_path)
    try:
        return lines_of(read_bytes(Path(tree.full(cases_path)), file), file, findings)
    except SuiteError as error:
        findings.extend(error.findings)
        return []


def lines_of(raw: bytes, file: str, findings: list[Finding], what: str = "case") -> list[Source]:
    """Read the lines of a file of cases; that there is none is a finding."""
    before = len(findings)
    sources = parse_json_lines(raw, file, findings)
    if not sources and len(findings) == before:
        findings.append(Finding(file, f"holds no {what}"))
    return sources


def _find_files(
    tree: SuiteTree, cases_path: str, suite_file: str, findings: list[Finding]
) -> list[str]:
    """List the case files, sorted, relative to the suite, without the suite's own file.

    Files and directories whose names start with a dot are an editor's, not cases.
    """
    prefix = "" if cases_path.strip("./") == "" else cases_path.removeprefix("./").rstrip("/") + "/"
    before = len(findings)
    found = sorted(_walk(tree, prefix, frozenset(), findings))
    if suite_file in found:
        found.remove(suite_file)
    if not found and len(findings) == before:
        findings.append(_nothing(tree, prefix))
    return found


def _walk(
    tree: SuiteTree, prefix: str, above: frozenset[str], findings: list[Finding]
) -> Iterator[str]:
    real = os.path.realpath(tree.full(prefix))
    if real in above:
        findings.append(_refuse(tree, prefix, "is a symbolic link that leads back to itself"))
        return
    for entry in _entries(tree, prefix, findings):
        path = prefix + entry.name
        if entry.is_symlink() and not tree.holds(tree.full(path)):
            findings.append(_refuse(tree, path, "is a symbolic link that leads out of the suite"))
        elif entry.is_dir():
            yield from _walk(tree, f"{path}/", above | {real}, findings)
        elif entry.name.lower().endswith(ENDINGS) and entry.is_file():
            yield path


def _entries(tree: SuiteTree, prefix: str, findings: list[Finding]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(tree.full(prefix)) as entries:
            return [entry for entry in entries if not entry.name.startswith(".")]
    except OSError as error:
        findings.append(_refuse(tree, prefix, f"cannot be read: {error.strerror}"))
        return []


def _refuse(tree: SuiteTree, path: str, reason: str) -> Finding:
    return Finding(tree.label_of(path.rstrip("/") or "."), reason)


def _nothing(tree: SuiteTree, prefix: str) -> Finding:
    lines = sorted(file.name for file in Path(tree.full(prefix)).glob("*.jsonl"))
    hint = f"; to use {lines[0]}, set cases_path: {prefix}{lines[0]}" if lines else ""
    return _refuse(tree, prefix, f"holds no case (*.yaml or *.yml){hint}")
