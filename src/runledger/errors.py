"""Every exception RunLedger raises on purpose.

RunledgerError
├── UsageError              exit 2: the user can fix it
│   ├── SuiteError          every finding: file, line, field, nearest known name
│   ├── CassetteError       file and line of a cassette that cannot be used
│   └── UnknownName         lists the known names
├── OutsideError            exit 3: the world failed
│   ├── SpawnFailed         a program that could not be started, in the system's words
│   ├── PrefixFailed        a program that should have said what goes before a prompt
│   └── StoreError          what could not be written, and where
├── TrialFault              ends one trial, and becomes a failure in its record
│   ├── AgentError          what the agent did; exit status, last lines of stderr
│   └── CassetteMiss        a call without a recorded answer; nearest entry, how to record
└── Interrupted             exit 130 or 143: somebody asked us to stop
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

LIKENESS = 100  # characters of a name that are compared: likeness is costly to compute


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Give "; did you mean …?" for the nearest known name, or nothing when none is near."""
    from difflib import get_close_matches  # only a mistake pays for it

    lower = {one.lower()[:LIKENESS]: one for one, _ in zip(known, range(1000), strict=False)}
    near = get_close_matches(str(name).lower()[:LIKENESS], lower, n=1)
    return f"; did you mean {lower[near[0]]}?" if near else ""


class RunledgerError(Exception):
    """Be the root of every error that is reported without a traceback."""

    exit_code: int = 3  # that of its kind, unless a signal says another


class UsageError(RunledgerError):
    """Say what the user must fix."""

    exit_code = 2


class Finding:
    """Point at one thing to fix: where it is, what was found, what to do."""

    __slots__ = ("field", "file", "line", "message")

    def __init__(self, file: str, message: str, line: int | None = None, field: str = "") -> None:
        self.file = file
        self.line = line
        self.field = field
        self.message = message

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return (
            f"{where}: {self.field}: {self.message}" if self.field else f"{where}: {self.message}"
        )

    def __repr__(self) -> str:
        return f"Finding({str(self)!r})"


class SuiteError(UsageError):
    """Carry every finding about the files a user wrote, all at once."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


class CassetteError(UsageError):
    """Name the cassette and the line that cannot be used."""

    def __init__(self, path: str, line: int | None, message: str) -> None:
        self.path = path
        self.line = line
        self.reason = message
        where = f"{path}:{line}" if line else path
        super().__init__(f"{where}: {message}")


class UnknownName(UsageError):
    """List the known names where an unknown one was given."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        hint = did_you_mean(name, names)
        shown = ", ".join(names[:20]) + (f", … ({len(names)} in all)" if len(names) > 20 else "")
        super().__init__(f"unknown {what} {name!r}{hint} (known: {shown or 'none'})")


class OutsideError(RunledgerError):
    """Say which part of the world outside failed."""


class SpawnFailed(OutsideError):
    """Say which program could not be started, and why."""

    def __init__(self, message: str, details: Mapping[str, Any]) -> None:
        self.details = dict(details)
        super().__init__(message)


class PrefixFailed(OutsideError):
    """Say why there is nothing to put before a prompt."""


class StoreError(OutsideError):
    """Name what could not be written, and where."""


class TrialFault(RunledgerError):
    """Carry what ended a trial, as data for its record: the failure's type and what is known."""

    def __init__(self, kind: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        self.kind = kind
        self.details = dict(details or {})
        super().__init__(message)


class AgentError(TrialFault):
    """Tell what an agent did wrong, or what happened to it."""


class CassetteMiss(TrialFault):
    """Say which call has no recorded answer, what comes nearest and how to record it."""


class Interrupted(RunledgerError):
    """Tell that the work was stopped by a signal, and by which."""

    exit_code = 130
