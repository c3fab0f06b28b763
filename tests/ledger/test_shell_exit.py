"""The exit code in what a shell tool gave."""

from __future__ import annotations

import pytest

from runledger.ledger.shell_exit import exit_code_in, runs_commands
from runledger.ledger.value import Json

QWEN = """Command: echo oops >&2; exit 3
Directory: (root)
Output: Exit Code: 9
Error: (none)
Exit Code: 3
Signal: 0
Process Group PGID: 30075"""


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ({"output": "oops", "metadata": {"exit": 3, "truncated": False}}, 3),
        ({"exitCode": 3}, 3),
        ({"exit_code": -1}, -1),
        ({"exit": 0}, 0),
        ({"output": QWEN}, 3),
        (QWEN, 3),
        ("exit code: 4", 4),
        ("Exit Code: 3\\nand then the log goes on", None),
        ("it said Exit Code: 3 somewhere", None),
        ({"exit": True}, None),
        ({"exit": "3"}, None),
        ({"metadata": 3}, None),
        ({}, None),
        ([{"type": "text", "text": "Exited with code 3.Final output:\\n\\nno"}], 3),
        ("It Exited with code 3.", None),
        ([3, "Exit Code: 3"], None),
        (None, None),
        (3, None),
    ],
)
def test_the_code_is_found_where_agents_put_it(output: Json, code: int | None) -> None:
    """In a field, in its metadata, or in the last line that says so."""
    assert exit_code_in(output) == code


@pytest.mark.parametrize(
    ("name", "kind", "runs"),
    [
        ("bash", None, True),
        ("Bash", None, True),
        ("run_shell_command", None, True),
        ("anything", "execute", True),
        ("read_file", "read", False),
        ("bashful", None, False),
    ],
)
def test_tools_that_run_commands_are_known(name: str, kind: str | None, runs: bool) -> None:
    """By their kind, or by their name."""
    assert runs_commands(name, kind) is runs
