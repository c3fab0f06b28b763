"""Files that are written whole: readers see the old one or the new one, and never a mixture."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from . import disk
from .disk import told

WRITE_CHUNK = 1024 * 1024


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step: readers see the old one or the new one, never a mixture.

    A link stays one: what it leads to is replaced. A device is written to, and stays what it is.
    """
    write_whole_lines(path, (data,))


def write_whole_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Replace a file in one step by lines that need not fit in memory together."""
    path = path.resolve() if path.is_symlink() else path
    if path.is_char_device():
        _write_through(path, lines)
        return
    beside = _name_beside(path)
    with told(path):
        try:
            _write_beside(beside, path, lines)
            disk.replace(beside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                disk.remove(beside, missing_ok=True)
            raise
        disk.sync_directory(path.parent)


def _name_beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")


def _write_beside(beside: Path, path: Path, lines: Iterable[bytes]) -> None:
    """Write what is to take a file's place, with its mode, until it is on the disk."""
    with contextlib.closing(disk.File(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL)) as file:
        _keep_mode(path, file.fd)
        for chunk in _gathered(lines):
            file.write(chunk)
        file.sync()


def _write_through(path: Path, lines: Iterable[bytes]) -> None:
    with told(path), contextlib.closing(disk.File(path, os.O_WRONLY)) as file:
        for line in lines:
            file.write(line)


def _gathered(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines to pieces that are worth a write each."""
    waiting = bytearray()
    for line in lines:
        waiting += line
        if len(waiting) >= WRITE_CHUNK:
            yield bytes(waiting)
            waiting.clear()
    yield bytes(waiting)


def write_new(path: Path, data: bytes) -> bool:
    """Write a file that is not there yet, whole; say False where somebody was faster."""
    beside = _name_beside(path)
    with told(path):
        try:
            _write_beside(beside, path, (data,))
            disk.link(beside, path)
        except FileExistsError:
            return False
        finally:
            with contextlib.suppress(OSError):  # the file is there, or is not, all the same
                disk.remove(beside, missing_ok=True)
        disk.sync_directory(path.parent)
    return True


def _keep_mode(path: Path, fd: int) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.fchmod(fd, stat.S_IMODE(path.stat().st_mode))


def append_text(path: Path, text: str) -> None:
    """Add a text at the end of a file that others write to as well."""
    with told(path):
        file = disk.File(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        with contextlib.closing(file):
            file.write(text.encode("utf-8", "backslashreplace"))
