"""Files in an agent's directory that a condition speaks of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from ..ledger.experiment import Condition

KEPT = 20  # of the paths that match one pattern: more would tell nothing new
ANYWHERE = "**/"


def files_matching(directory: str, condition: Condition) -> tuple[str, ...]:
    """List what is in a directory and matches a pattern of the condition's, relative and sorted.

    Links to directories are not followed. A directory matches as a file does.
    """
    patterns = dict.fromkeys((*condition.expect.files, *condition.forbid.files))
    by_start: dict[str, list[str]] = {}
    for pattern in patterns:
        start = _plain_start(_tidy(pattern))
        if start is not None:
            by_start.setdefault(start, []).append(pattern)
    return tuple(sorted({path for one in by_start.items() for path in _found(directory, *one)}))


def matches_path(pattern: str, path: str) -> bool:
    """Say whether a pattern fits a path: * is any text, **/ is no directory or several."""
    tidy = _tidy(pattern)
    ways = (tidy, tidy.replace(ANYWHERE, "", 1), tidy.replace(ANYWHERE, ""))
    return any(fnmatchcase(path, way) for way in dict.fromkeys(ways))


def _tidy(pattern: str) -> str:
    return pattern.removeprefix("./").rstrip("/")


def _plain_start(pattern: str) -> str | None:
    """Give the path that a pattern has before its first *; None if it leads elsewhere."""
    parts = pattern.split("/")
    if not pattern or pattern.startswith("/") or ".." in parts:
        return None
    magic = next((at for at, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    return "/".join(parts[:magic])


def _found(directory: str, start: str, patterns: list[str]) -> Iterator[str]:
    """Yield what matches at a path and below it, until enough is found of every pattern."""
    left = dict.fromkeys(patterns, KEPT)
    for path in _at_and_below(Path(directory), start):
        fitting = [pattern for pattern in left if matches_path(pattern, path)]
        for pattern in fitting:
            left[pattern] -= 1
        if fitting:
            yield path
            left = {pattern: more for pattern, more in left.items() if more > 0}
        if not left:
            return


def _at_and_below(directory: Path, start: str) -> Iterator[str]:
    """Yield a path, if it is there, and then all below it, in the order of names."""
    above = [
        directory.joinpath(*start.split("/")[:depth]) for depth in range(1, start.count("/") + 1)
    ]
    if any(map(os.path.islink, above)):
        return
    if start and os.path.lexists(directory / start):
        yield start
    waiting = [start]
    while waiting:
        inside = _inside(directory, waiting.pop())
        yield from (path for path, _ in inside)
        waiting += [path for path, is_directory in reversed(inside) if is_directory]


def _inside(directory: Path, path: str) -> list[tuple[str, bool]]:
    """List what is in a directory, and whether it is one as well; a link to one has nothing."""
    place = directory / path
    if path and place.is_symlink():
        return []
    try:
        with os.scandir(place) as entries:
            return sorted(
                (
                    f"{path}/{entry.name}" if path else entry.name,
                    entry.is_dir(follow_symlinks=False),
                )
                for entry in entries
            )
    except (OSError, ValueError):  # it is gone, or no path at all
        return []
