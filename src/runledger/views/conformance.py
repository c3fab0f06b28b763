"""What every view promises, as a check that its author can run."""

from __future__ import annotations

from collections.abc import Iterable

from ..ledger.run import Summary
from . import View


def check_view(view: View, summaries: Iterable[Summary]) -> None:
    """Raise AssertionError at the first promise of a View that is not kept."""
    for summary in summaries:
        text = view.render(summary)
        _expect(isinstance(text, str), "a view is text")
        _expect(view.render(summary) == text, "made again, a view is the same")
        _expect(_is_unicode(text), "a view can be written as UTF-8")
        _expect(not text or text.endswith("\n"), "a view ends its last line")


def _is_unicode(text: str) -> bool:
    return text.encode("utf-8", "ignore").decode() == text


def _expect(kept: bool, promise: str) -> None:
    if not kept:
        raise AssertionError(promise)
