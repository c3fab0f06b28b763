"""Results files read back line by line: a capture's, a run's, or those of trials."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..errors import UsageError
from ..ledger.captured import Captured, captured_from
from .lines import TooDeep, decode, is_torn
from .rundir import RESULTS, find_run

STDIN = "-"

Warn: TypeAlias = Callable[[str], None]
"""Tell the user of something that is odd, but no reason to stop."""


def find_results(name: str, output_dir: Path) -> Path:
    """Find a results file: itself, or that of a run named by directory, id or `latest`.

    A pipe is as good as a file.
    """
    path = Path(name)
    if name == STDIN or (path.exists() and not path.is_dir()):
        return path
    try:
        return find_run(name, output_dir) / RESULTS
    except UsageError as error:
        raise UsageError(f"{error}; nor is there a file {name}") from None


def read_results(path: Path, warn: Warn) -> Iterator[Captured]:
    """Yield the trials in a results file, one after the other; `-` is standard input."""
    for _, trials in read_whole_results(path, warn):
        yield from trials


def read_whole_results(
    path: Path, warn: Warn
) -> Iterator[tuple[dict[str, Any], tuple[Captured, ...]]]:
    """Yield the lines of a results file, each with the trials that it tells of."""
    for number, line in read_result_lines(path, warn):
        try:
            yield line, tuple(captured_from(line))
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            told = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            raise UsageError(f"{_name(path)}:{number}: this is no result: {told}") from None


def read_result_lines(path: Path, warn: Warn) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the numbered lines of a results file; a torn last one is left out, with a warning."""
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            if is_torn(line) and not line.lstrip().startswith(b"{"):
                raise UsageError(f"{_name(path)}:{number}: this is no file of results")
            if is_torn(line):
                warn(f"{_name(path)}:{number}: the last line is torn, and left out")
                return
            yield number, _object(line, f"{_name(path)}:{number}")


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        found = decode(line)
    except ValueError as error:
        told = str(error) if isinstance(error, TooDeep) else f"not JSON: {error}"
        raise UsageError(f"{where}: this line is {told}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{where}: this line is not an object")
    return found


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if str(path) == STDIN:
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    with file:
        yield file


def _name(path: Path) -> str:
    return "standard input" if str(path) == STDIN else str(path)
