"""Hashes of the files in a suite's directory that are run, so that an edited one is noticed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path

from ..ledger.assertion import Script
from ..ledger.fingerprint import fingerprint
from ..ledger.suite import Suite, fill_in

MADE_BY_RUNNING = "__pycache__"


def programs_of(suite: Suite) -> dict[str, str]:
    """Hash what the agent, the tools and the graders of a suite are made of."""
    directory = Path(suite.directory)
    found: dict[str, str] = {}
    for name in dict.fromkeys(_named(suite)):
        path = Path(directory, name)
        if path != directory and path.is_relative_to(directory) and (hash := _hash(path)):
            found[path.relative_to(directory).as_posix()] = hash
    return found


def file_hash(path: Path | str) -> str | None:
    """Hash a file; None where there is none that can be read."""
    try:
        if not Path(path).is_file():  # to open a pipe would be to wait for who writes into it
            return None
        with Path(path).open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):  # a word of a command need not be a name that a file can have
        return None


def _named(suite: Suite) -> Iterator[str]:
    """Yield the words that may name something in the suite's directory."""
    agent = suite.agent
    words = fill_in(agent.command, suite=suite.directory)
    yield from map(_file_of_module, words) if agent.protocol == "python" else words
    if suite.tools.module is not None:
        yield from (suite.tools.module, _file_of_module(suite.tools.module))
    if suite.workspace is not None:
        yield suite.workspace.directory
    for one in {id(one): one for task in suite.tasks for one in task.assertions}.values():
        if isinstance(one, Script):
            yield from one.command


def _file_of_module(name: str) -> str:
    return name.partition(":")[0].replace(".", "/") + ".py"


def _hash(path: Path) -> str | None:
    """Hash a file by what it holds, and a directory by names, sizes and times: it may be large."""
    try:
        if not path.is_dir():
            return file_hash(path)
        return fingerprint(sorted(_entries(path)))
    except (OSError, ValueError):
        return None


def _entries(directory: Path) -> Iterator[list[str | int]]:
    for place, below, files in os.walk(directory):
        below[:] = [name for name in below if name != MADE_BY_RUNNING]
        for name in files:
            file = Path(place, name)
            there = file.lstat()
            yield [str(file.relative_to(directory)), there.st_size, there.st_mtime_ns]
