"""What a program needs to be there so that it can be started: its own tree, and its interpreter."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from ..supervisor import Launch, refusal
from .mounts import Mounts

DEEPEST = 4  # interpreters of interpreters
LONGEST_LINE = 4096
ENV = "env"  # finds an interpreter on the PATH


def find_program(launch: Launch) -> str:
    """Give the path of the program; raise SpawnFailed, as starting it would, where there is none.

    Inside a sandbox nobody could tell that apart from a program that failed.
    """
    name = launch.argv[0]
    found = _on_path(name, launch)
    if found is None:
        raise refusal(FileNotFoundError(errno.ENOENT, ""), launch)
    if not os.access(found, os.X_OK) or not Path(found).is_file():
        raise refusal(PermissionError(errno.EACCES, ""), launch)
    interpreter = _interpreter(found)
    if interpreter and not Path(launch.cwd, interpreter[0]).exists():
        raise refusal(FileNotFoundError(errno.ENOENT, ""), launch)
    return found


class Reach:
    """Show what words of a command name, and what is needed to start it."""

    def __init__(self, mounts: Mounts, path: str | None) -> None:
        self._mounts = mounts
        self._path = path

    def show_word(self, word: str) -> None:
        """Show what a word names, also after an equals sign, if there is anything of that name."""
        for name in (word, word.partition("=")[2]):
            if name:
                self._show(self._found(name), DEEPEST)

    def _found(self, name: str) -> str:
        """Look for a program on the PATH, like the system; else a word is a path."""
        return name if "/" in name else shutil.which(name, path=self._path) or name

    def _show(self, path: str, depth: int) -> None:
        trail = self._mounts.trail(path)
        for place in trail:
            self._mounts.show(tree_of(place))
        if not trail or depth == 0:
            return
        for word in _interpreter(trail[-1]):
            self._show(self._found(word), depth - 1)


def tree_of(file: str) -> str:
    """Give the directory without which a file cannot be used, or the file."""
    path = Path(file)
    if "node_modules" in path.parts:  # all packages: one needs the others
        end = path.parts.index("node_modules") + 1
        return str(Path(*path.parts[:end]))
    prefix = path.parent.parent
    return str(prefix) if path.parent.name == "bin" and _is_python(prefix) else file


def _is_python(prefix: Path) -> bool:
    """Say whether a directory is an installation of Python, or a virtual environment."""
    marks = ("pyvenv.cfg", "conda-meta")
    return any((prefix / mark).exists() for mark in marks) or any(prefix.glob("lib/python3*/os.py"))


def _on_path(name: str, launch: Launch) -> str | None:
    if "/" not in name:
        return shutil.which(name, path=launch.env.get("PATH", os.defpath))
    found = Path(launch.cwd, name)
    return str(found) if found.exists() else None


def _interpreter(file: str) -> list[str]:
    """Give the program in a script's first line, and what `env` is to find; nothing if none."""
    words = _first_line(file).partition("#!")
    if words[0] or not words[2].strip():
        return []
    program, *rest = words[2].split()
    if Path(program).name != ENV:
        return [program]
    return [program, *[word for word in rest if not word.startswith("-") and "=" not in word][:1]]


def _first_line(path: str) -> str:
    """Read the first line of a file, but not of what would be waited for."""
    try:
        if not Path(path).is_file():
            return ""
        with Path(path).open("rb") as file:
            return file.readline(LONGEST_LINE).decode("utf-8", "replace")
    except OSError:
        return ""
