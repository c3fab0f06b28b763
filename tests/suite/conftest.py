"""What the tests of this room share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from runledger.errors import SuiteError
from suite.shelf import Shelf


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Make a sound suite in evals/demo, below the current directory."""
    monkeypatch.chdir(tmp_path)
    return Shelf(tmp_path / "evals" / "demo")


@pytest.fixture
def refusal() -> Callable[[Callable[[], object]], str]:
    """Give a function that calls another, which must fail, and gives its findings."""

    def call(function: Callable[[], object]) -> str:
        with pytest.raises(SuiteError) as caught:
            function()
        return str(caught.value)

    return call
