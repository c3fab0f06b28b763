"""verdicts.jsonl: what judges said, appended as it comes; the last word of each judge counts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import UsageError
from ..ledger.attempt import Slot
from ..ledger.experiment import WORDS
from ..ledger.sound import sound
from ..ledger.value import Json
from ..ledger.verdict import CriterionVerdict
from .lines import LineLog, decode, read_lines
from .redact.redactor import Redactor

VERDICTS = "verdicts.jsonl"

Matter: TypeAlias = tuple[Slot, int, str, str]
"""What a verdict is on, and whose it is: a slot, an attempt, a criterion, a judge."""

_SAID = ("quote", "reasoning", "void")


class VerdictLog:
    """Write verdicts down, each a line, without the secrets in what the judge said."""

    def __init__(self, path: Path, redactor: Redactor) -> None:
        self._lines = LineLog(path, alone=True)
        self._redactor = redactor

    def append(self, verdict: CriterionVerdict) -> None:
        """Write one verdict; threads may do so at once."""
        self._lines.append(_fields(verdict, self._redactor))

    def close(self) -> None:
        """Make sure of what was written, and let go of the file."""
        try:
            self._lines.sync()
        finally:
            self._lines.close()


def read_verdicts(path: Path) -> tuple[CriterionVerdict, ...]:
    """Read the last verdict of each judge on each criterion of an attempt, sorted; none if none."""
    last: dict[Matter, CriterionVerdict] = {}
    try:
        for number, line in enumerate(read_lines(path), start=1):
            verdict = _read(line, f"{path}:{number}")
            last[matter_of(verdict)] = verdict
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    return tuple(last[matter] for matter in sorted(last))


def matter_of(verdict: CriterionVerdict) -> Matter:
    """Say what a verdict is on, and whose it is."""
    return verdict.slot, verdict.attempt, verdict.criterion, verdict.judge


def _fields(verdict: CriterionVerdict, redactor: Redactor) -> dict[str, Json]:
    said = {name: getattr(verdict, name) for name in _SAID}
    return {
        "task_id": verdict.slot.task_id,
        "condition": verdict.slot.condition,
        "trial": verdict.slot.trial,
        "attempt": verdict.attempt,
        "criterion": verdict.criterion,
        "judge": verdict.judge,
        "verdict": verdict.verdict,
        **{name: redactor.text(text) for name, text in said.items() if text is not None},
        "key": verdict.key,
    }


def _read(line: bytes, where: str) -> CriterionVerdict:
    try:
        return _verdict(decode(line))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        told = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        raise UsageError(f"{where}: this is no verdict: {told}") from None


def _verdict(fields: Mapping[str, Any]) -> CriterionVerdict:
    word = fields["verdict"]
    if word is not None and word not in WORDS:
        raise ValueError(f"a verdict is {', '.join(WORDS)} or null, found {word!r:.40}")
    verdict = CriterionVerdict(
        slot=Slot(fields["task_id"], fields["condition"], fields["trial"]),
        attempt=fields["attempt"],
        criterion=fields["criterion"],
        judge=fields["judge"],
        verdict=word,
        quote=fields.get("quote"),
        reasoning=fields.get("reasoning"),
        void=fields.get("void"),
        key=fields["key"],
    )
    return sound(verdict)  # verdicts are sorted, which only values of one kind can be
