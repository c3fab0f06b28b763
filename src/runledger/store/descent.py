"""The way down to a file below a directory that somebody else may change meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import disk

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def descend(root: Path, path: Path, *, make: bool = False) -> Iterator[int]:
    """Hold open the directory of a path below `root`, going down to it through no link.

    The path is one that was resolved: a link on the way was put there since, and is an OSError.
    """
    here, fd = root, os.open(root, DIRECTORY)
    try:
        for name in path.relative_to(root).parts[:-1]:
            here = here / name
            if make:
                disk.ensure_directory_within(fd, here)
            below = os.open(name, DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)
