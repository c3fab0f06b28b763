"""The table of faults is whole, and every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (F\d\d) \|.*\| ([^|]*) \|$", re.MULTILINE)
TEST = re.compile(r"^def test_(f\d\d)_", re.MULTILINE)


def named() -> dict[str, list[str]]:
    """Give the test files that the table names, by fault."""
    page = (ROOT / "docs/reference/faults.md").read_text()
    return {fault: re.findall(r"`([^`]+)`", cell) for fault, cell in ROW.findall(page)}


def there() -> dict[str, list[str]]:
    """Give the files that have tests of a fault, by fault."""
    found: dict[str, list[str]] = {}
    for file in sorted((ROOT / "tests").glob("*/test_*.py")):
        for fault in sorted(set(TEST.findall(file.read_text()))):
            found.setdefault(fault.upper(), []).append(file.relative_to(ROOT / "tests").as_posix())
    return found


def test_every_fault_has_its_row_and_its_tests() -> None:
    """From F01 to F50, the table names the files that hold the tests, and no others."""
    assert sorted(named()) == [f"F{number:02}" for number in range(1, 51)]
    assert named() == there()
