"""What the tests of faults share."""

from __future__ import annotations

from pathlib import Path

import pytest

from scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Give a suite in which something can go wrong."""
    return Scene(tmp_path)
