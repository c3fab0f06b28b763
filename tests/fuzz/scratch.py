"""A directory for the files of the process that fuzzes; real files, as the readers want them."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]


@cache
def scratch(name: str) -> Path:
    """Make a directory that is gone when the process ends."""
    path = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def put(path: Path, content: bytes) -> Path:
    """Write a file in place of the one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def every(pattern: str) -> list[bytes]:
    """Read the files of this repository that a pattern names."""
    found = [file.read_bytes() for file in sorted(ROOT.glob(pattern))]
    assert found, pattern
    return found
