"""Where a socket can stand that only programs of one trial are to come to."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from pathlib import Path

from ..errors import OutsideError
from ..store import disk

LONGEST_ADDRESS = 100  # bytes; systems take 104 or 108
SHORT_PLACE = Path("/tmp")
NAME = "s"


def place_for_socket(stack: ExitStack) -> Path:
    """Give a free path in a directory that only we may enter, removed when the stack is closed."""
    directory = _private_directory()
    stack.callback(_remove, directory)
    return directory / NAME


def _private_directory() -> Path:
    """Make the directory, with a name short enough for a socket in it."""
    for parent in (None, SHORT_PLACE):
        made = disk.private_directory("runledger-", parent)
        if len(os.fsencode(made / NAME)) <= LONGEST_ADDRESS:
            return made
        _remove(made)
    raise OutsideError(
        f"no place for a socket: {made} is too long a path; set TMPDIR to a shorter one"
    )


def _remove(directory: Path) -> None:
    """Remove the directory of a socket, also where there is no descriptor to look into it."""
    with suppress(OSError):
        disk.remove(directory / NAME, missing_ok=True)
        disk.remove_directory(directory)
