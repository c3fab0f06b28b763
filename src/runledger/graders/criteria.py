"""What an answer says, for those who judge it, and criteria that a machine can tell by itself."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import UsageError
from ..ledger.criterion import Criterion
from ..ledger.experiment import Word
from ..ledger.fingerprint import canonical_dumps
from ..ledger.self_report import without_report
from ..ledger.value import Json, map_texts, texts_in


def answer_in(output: Json) -> Json:
    """Give an output without the counts that the agent reports of itself."""
    return map_texts(output, without_report)


def text_of_answer(answer: Json) -> str:
    """Give a text as it is, anything else as canonical JSON."""
    return answer if isinstance(answer, str) else canonical_dumps(answer)


def checked(criterion: Criterion, answer: Json) -> Word:
    """Say whether an answer meets a check, by the rules of the assertions of the same names.

    The whole answer is looked at, names of conditions and tools included: a machine has no bias.
    """
    return "met" if any(_meets(criterion, text) for text in _texts(answer)) else "missed"


def _meets(criterion: Criterion, text: str) -> bool:
    if criterion.contains is not None and criterion.contains not in text:
        return False
    return criterion.regex is None or _matches(criterion, criterion.regex, text)


def _matches(criterion: Criterion, pattern: str, text: str) -> bool:
    from ..ledger.pattern import BadPattern, found_in  # lazily: re2 is a library of its own

    try:
        return found_in(pattern, text)
    except BadPattern as fault:
        raise UsageError(f"the check of criterion {criterion.id}: {fault}") from None


def _texts(answer: Json) -> Iterator[str]:
    """Yield a text as it is; of anything else its canonical text, and every text inside."""
    yield text_of_answer(answer)
    if not isinstance(answer, str):
        yield from texts_in(answer)
