"""Files that are read only if they are plain files: nobody waits for a pipe in their place."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

MOST_BYTES = 64 * 1024 * 1024  # of a file that is read whole


def open_plain(path: Path, within: int | None = None) -> BinaryIO:
    """Open a file to be read; what is none, as a pipe that would keep us waiting, is refused.

    `within` is its directory, where that is held open; a link in the file's place is refused too.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    if within is None:
        fd = os.open(path, flags)
    else:
        fd = os.open(path.name, flags | os.O_NOFOLLOW, dir_fd=within)
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(fd, "rb")
    os.close(fd)
    code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
    raise OSError(code, "it is a directory" if stat.S_ISDIR(mode) else "it is not a plain file")


def read_plain(path: Path, most: int = MOST_BYTES, within: int | None = None) -> bytes:
    """Read a file whole, unless it is none, or larger than any that we write."""
    with open_plain(path, within) as file:
        if os.fstat(file.fileno()).st_size > most:
            raise OSError(errno.EFBIG, f"it is larger than {most // 2**20} MiB")
        return file.read(most)
