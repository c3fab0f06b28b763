"""Whether a value that nobody quoted looks like a secret, or like prose and code."""

from __future__ import annotations

import re

from .placeholder import without_placeholders

WINDOW = 400  # the start of a value tells; hostile texts are long
JUDGED = 100  # of it, without placeholders: those of a cassette are longer than those of a run

_CHOSEN = re.compile(rb"(?i)(?:pass(?:w(?:or)?d)?|pwd|passphrase|passcode|secret)s?[0-9]*\Z")
_REFERENCE = re.compile(rb"\$[A-Za-z_]\w*|\$\Z|%\w+%|[*.x]+|-.*", re.IGNORECASE | re.DOTALL)
_DULL = re.compile(rb"(?i)true|false|null|none|nil|yes|no|undefined|str|string|[0-9]{1,5}")
# Words with few digits at their ends, joined as in names, paths and prose.
_WORDY = re.compile(
    rb"[/~.]*(?:[0-9]{0,3}[A-Za-z]+[0-9]{0,3}|[0-9]{1,3})"
    rb"(?:[][_./:!?@-]+(?:[0-9]{0,3}[A-Za-z]+[0-9]{0,3}|[0-9]{1,3}))*+[/!?.]*"
)
_LETTER = re.compile(rb"[A-Za-z]")
_ONE_WORD = re.compile(rb"[A-Za-z]{3,}[0-9]{1,3}")
_ALGORITHM = re.compile(
    rb"(?i)(?:hs|rs|es|ps|sha|md|aes|u?int|float|utf|base|oauth|argon|pbkdf|ed|x|rsa|key)[0-9]+"
)
_NUMBER_OR_DATE = re.compile(rb"[-+0-9.,eE]+|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T_ ].*)?", re.DOTALL)


def looks_chosen(value: bytes) -> bool:
    """Say whether a value given in so many words, as `--token abcd`, is more than a reference."""
    rest = _judged(value)
    return len(rest) >= 4 and not _REFERENCE.fullmatch(rest) and not _DULL.fullmatch(rest)


def looks_secret(value: bytes, name: str) -> bool:
    """Say whether a value looks random, or, beside a password's name, chosen by a person."""
    rest = _judged(value)
    if len(rest) < 6 or b"://" in rest:
        return False
    if _REFERENCE.fullmatch(rest) or _ALGORITHM.fullmatch(rest) or _NUMBER_OR_DATE.fullmatch(rest):
        return False
    if _WORDY.fullmatch(rest):
        return bool(_CHOSEN.search(name.encode()) and _ONE_WORD.fullmatch(rest))
    return _LETTER.search(rest) is not None and not rest.isalpha()


def _judged(value: bytes) -> bytes:
    return without_placeholders(value[:WINDOW])[:JUDGED].rstrip(b"=.:")
