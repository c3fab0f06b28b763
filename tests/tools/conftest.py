"""What the tests of this room share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.bench import Bench, open_bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Give a directory for tools, of whose processes none may survive the test."""
    with open_bench(tmp_path) as bench:
        yield bench
