"""Find the files that hold a suite's cases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..errors import Finding
from .tree import SuiteTree

_ENDINGS = (".yaml", ".yml")


def find_case_files(
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
        elif entry.name.lower().endswith(_ENDINGS) and entry.is_file():
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
