"""The one place where errors become messages and exit codes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RunledgerError, StoreError, SuiteError
from ..ledger.printable import escape_controls, inert, printable
from ..store.disk import write_all
from ..views.look import COLOURS

if TYPE_CHECKING:
    from ..ledger.run import Summary

INTERNAL_FAULT = 3
INCONCLUSIVE = 4
INTERRUPTED = 130
STDOUT, STDERR = 1, 2
CONSOLE = Path("the console")
BY_STATUS = {"passed": 0, "failed": 1, "invalid": 3, "interrupted": 3}
WORST_FIRST = (130, 143, 3, 2, 1, 4, 0)


def exit_code_of(work: Callable[[], int]) -> int:
    """Do the work; turn whatever it raises into a message on standard error and an exit code."""
    try:
        return work()
    except RunledgerError as error:
        say(_message(error))
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        import traceback  # only a fault of ours pays for it

        say(f"RunLedger itself failed; please report this:\n{traceback.format_exc()}")
        return INTERNAL_FAULT


def worst(codes: Iterable[int]) -> int:
    """Choose the exit code of several runs: the first of the contract's order."""
    found = set(codes)
    return next((code for code in WORST_FIRST if code in found), max(found, default=0))


def gate_code(summary: Summary, fail_on_inconclusive: bool = False) -> int:
    """Choose the exit code of a run that was judged, or could not be."""
    code = BY_STATUS[summary.status]
    regression = summary.record.ending.regression
    unsure = regression is not None and regression.verdict == "inconclusive"
    return INCONCLUSIVE if unsure and fail_on_inconclusive and not code else code


def say(text: str) -> None:
    """Tell the user something on standard error, if anybody listens; it commands no CI runner."""
    with contextlib.suppress(StoreError):
        _write(STDERR, inert(text))


def put(text: str) -> None:
    """Print a result on standard output."""
    _write(STDOUT, text)


def _clean(text: str) -> str:
    """Take out what may not be shown: the console is a way out like any other.

    Names of files, ids and words of strangers may hold what drives a terminal: only colours stay.
    """
    from ..store.redact.environment import secrets_in
    from ..store.redact.redactor import Redactor

    shown = Redactor(secrets_in({}, os.environ)).text(text)
    return "".join(
        piece if number % 2 else escape_controls(piece)
        for number, piece in enumerate(COLOURS.split(shown))
    )


def _message(error: RunledgerError) -> str:
    text = "\n".join(printable(line) for line in str(error).splitlines())
    if isinstance(error, SuiteError) and len(error.findings) > 1:
        return f"{text}\n{len(error.findings)} things to fix"
    return text


def _write(fd: int, text: str) -> None:
    """Write all of a text; a reader that has gone away must not change what the run came to."""
    line = (_clean(text).rstrip("\n") + "\n").encode("utf-8", "backslashreplace")
    try:
        write_all(fd, line, CONSOLE)
    except BrokenPipeError:
        return
    except OSError as error:
        raise StoreError(f"could not print the result: {error.strerror}") from error
