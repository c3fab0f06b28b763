"""A small suite on disk that loads, for tests to break in one place each."""

from __future__ import annotations

from pathlib import Path

import pytest

from runledger.errors import SuiteError
from runledger.ledger.suite import Mode, Suite
from runledger.suite.load import load_suite

SUITE = """\
suite_name: demo
agent_command: ['{python}', agent.py]
mode: replay
cases_path: cases
tool_registry: [search_docs, create_issue]
"""

CASE = """\
id: t1
input: {ticket: hello}
cassette: cassettes/t1.jsonl
"""


class Shelf:
    """Write the files of a suite and load it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("suite.yaml", SUITE)
        self.write("cases/t1.yaml", CASE)
        self.write("cassettes/t1.jsonl", "")

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file of the suite, with the directories it needs."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def add(self, more: str) -> None:
        """Add lines to suite.yaml."""
        self.write("suite.yaml", SUITE + more)

    def add_to_case(self, more: str) -> None:
        """Add lines to the one case."""
        self.write("cases/t1.yaml", CASE + more)

    def load(self, mode: Mode | None = None) -> Suite:
        """Load the suite, which must be sound."""
        return load_suite(self.root, mode)

    def findings(self, mode: Mode | None = None) -> list[str]:
        """Load the suite, which must fail, and give the findings as a user reads them."""
        with pytest.raises(SuiteError) as caught:
            load_suite(self.root, mode)
        return [str(finding) for finding in caught.value.findings]

    def finding(self, mode: Mode | None = None) -> str:
        """Load the suite, which must fail for one reason, and give that."""
        findings = self.findings(mode)
        assert len(findings) == 1, findings
        return findings[0]
