"""The directory of a suite: find files in it, refuse every way out of it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

LONGEST_NAME = 255  # of a file, in bytes; no system that we know has longer ones


@dataclass(frozen=True, slots=True)
class Spot:
    """What a path of the user's leads to: refused, nothing, or something of a kind."""

    refused: str | None = None
    mode: int | None = None  # as the system gives it, None where nothing is

    @property
    def is_file(self) -> bool:
        """Say whether a plain file is there."""
        return self.mode is not None and stat.S_ISREG(self.mode)

    @property
    def is_directory(self) -> bool:
        """Say whether a directory is there."""
        return self.mode is not None and stat.S_ISDIR(self.mode)


def label_of(path: Path) -> str:
    """Write a path as the user would: relative when below the current directory."""
    if not path.is_absolute() and ".." not in path.parts:
        return str(path)
    full, here = path.resolve(), Path.cwd()
    return str(full.relative_to(here)) if full.is_relative_to(here) else str(path)


class SuiteTree:
    """Look up paths relative to a suite's directory.

    Plain strings and a cache of directories: a thousand cases name a thousand files, and
    `Path.resolve` on each would cost more than reading them.
    """

    def __init__(self, directory: Path, owner: str = "suite") -> None:
        self.directory = str(directory.resolve())
        self._owner = owner  # whose directory it is, in messages
        self.label = label_of(directory)
        self._parents: dict[str, str | None] = {}

    def label_of(self, path: str) -> str:
        """Give a path of the suite as the user would write it."""
        return path if self.label == "." else f"{self.label}/{path}"

    def full(self, path: str) -> str:
        """Give the place of a path that was looked up and not refused."""
        return f"{self.directory}/{path}"

    def real(self, path: str) -> str:
        """Give the one place that a path means, all links followed; what is refused has none."""
        return path if _refuse_words(path, self._owner) else os.path.realpath(self.full(path))

    def look(self, path: str) -> Spot:
        """See what is at a path, without ever leaving the directory."""
        refused = _refuse_words(path, self._owner) or self._refuse_parent(path.rpartition("/")[0])
        if refused is not None:
            return Spot(refused)
        full = self.full(path)
        mode = _mode(full, follow=False)
        if mode is None or not stat.S_ISLNK(mode):
            return Spot(None, mode)
        if not self.holds(full):
            return Spot(
                f"{path} is a symbolic link that leads out of the {self._owner}'s directory"
            )
        return Spot(None, _mode(full, follow=True))

    def holds(self, full: str) -> bool:
        """Say whether a place, all links followed, is in the directory."""
        real = os.path.realpath(full)
        return real == self.directory or real.startswith(self.directory.rstrip("/") + "/")

    def _refuse_parent(self, parent: str) -> str | None:
        if parent not in self._parents:
            inside = self.holds(self.full(parent))
            told = f"leads out of the {self._owner}'s directory through a symbolic link in {parent}"
            self._parents[parent] = None if inside else told
        return self._parents[parent]


def _refuse_words(path: str, owner: str) -> str | None:
    if path.startswith("/"):
        return f"must be relative to the {owner}'s directory, not absolute; found {path}"
    if ".." in path.split("/"):
        return f"may not leave the {owner}'s directory through ..; found {path}"
    if len(path) > LONGEST_NAME and max(map(_bytes_of, path.split("/"))) > LONGEST_NAME:
        return f"holds a name of over {LONGEST_NAME} bytes; found {path[:40]}…"
    return "holds a NUL character" if "\0" in path else None


def _bytes_of(name: str) -> int:
    return len(name.encode("utf-8", "replace"))


def _mode(full: str, follow: bool) -> int | None:
    try:
        return os.stat(full, follow_symlinks=follow).st_mode  # noqa: PTH116
    except OSError:
        return None
