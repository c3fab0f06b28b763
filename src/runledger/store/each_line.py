"""Read the lines of a record one by one, and say of the first that is none where it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from ..errors import UsageError
from ..ledger.sound import WRONG, what_is_wrong

Kind = TypeVar("Kind")


def each_line(
    lines: Iterable[bytes], file: Path, what: str, read: Callable[[bytes], Kind]
) -> Iterator[Kind]:
    """Yield what each line is read as; a line that is not `what` it should be is named.

    That there is no such file is left to the caller.
    """
    number = 0
    try:
        for line in lines:
            number += 1
            yield read(line)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error
    except WRONG as error:
        raise UsageError(f"{file}:{number}: this is no {what}: {what_is_wrong(error)}") from None
