"""Where a command's lines go: a file, or standard output; each line at once, and whole."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Protocol

from ..errors import StoreError, UsageError
from ..ledger.printable import escape_json
from ..ledger.value import Json
from .disk import write_all
from .lines import LineLog, encode_line

STDOUT, CONSOLE = 1, Path("standard output")


class Sink(Protocol):
    """Take lines, one after the other."""

    def append(self, value: Json) -> None:
        """Write a value as one line of JSON."""

    def text(self, text: str) -> None:
        """Write a text as it is."""

    def close(self) -> None:
        """Let go of it."""


def open_sink(path: Path | None, *, append: bool = False, never: Path | None = None) -> Sink:
    """Open a file, emptied unless it is appended to, or standard output where none is named.

    `never` is the file that is being read, which must not be emptied.
    """
    if path is None:
        return StandardOutput()
    if path.is_dir() or not path.parent.is_dir():
        what = "it is a directory" if path.is_dir() else f"there is no directory {path.parent}"
        raise UsageError(f"{path} cannot be written: {what}")
    if never is not None and path.exists() and never.exists() and path.samefile(never):
        raise UsageError(f"{path} is read and cannot be written as well; choose another -o")
    return FileSink(path, append=append)


class StandardOutput:
    """Write to standard output for all threads; a reader that has gone away ends nothing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def append(self, value: Json) -> None:
        """Write a value as one line of JSON, which drives no terminal: a CI's log is one, too."""
        line = encode_line(value)
        plain = line.isascii() and b"\x7f" not in line and b"##" not in line
        self._write(line if plain else escape_json(line.decode()).encode())

    def text(self, text: str) -> None:
        """Write a text as it is."""
        self._write(text.encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Leave it open: it is the caller's."""

    def _write(self, data: bytes) -> None:
        try:
            with self._lock:  # a pipe takes a long line in pieces
                write_all(STDOUT, data, CONSOLE)
        except BrokenPipeError:
            return
        except OSError as error:
            raise StoreError(f"could not write standard output: {error.strerror}") from error


class FileSink:
    """Write to a file, line by line; no other process can do so meanwhile."""

    def __init__(self, path: Path, *, append: bool = False) -> None:
        self._log = LineLog(path, fresh=not append, alone=True)

    def append(self, value: Json) -> None:
        """Write a value as one line of JSON."""
        self._log.append(value)

    def text(self, text: str) -> None:
        """Write a text as it is."""
        self._log.write(text.encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Make sure that all is on the disk, and let go of the file."""
        self._log.sync()
        self._log.close()


class Nowhere:
    """Take lines that nobody wants."""

    def append(self, value: Json) -> None:
        """Ignore a value."""

    def text(self, text: str) -> None:
        """Ignore a text."""

    def close(self) -> None:
        """Have nothing to let go of."""


def is_appendable(path: Path) -> bool:
    """Say whether there is, or can be, a file of which the lines can be read and added to."""
    return not path.exists() or path.is_file()
