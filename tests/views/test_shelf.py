"""Every view keeps the promises of the shelf."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from compare.rows import HOSTILE, colourful, record, row, several_trials
from runledger.compare.rates import summarize
from runledger.ledger.grade import Failure
from runledger.ledger.run import Summary
from runledger.views import View, github, html, junit, markdown, summary, terminal
from runledger.views.conformance import check_view

VIEWS: dict[str, View] = {
    "summary": summary,
    "junit": junit,
    "terminal": terminal,
    "github": github,
    "markdown": markdown,
    "html": html,
}


def hostile_names() -> Summary:
    """Make a run whose every text is hostile, names included."""
    bad = row(HOSTILE, Failure(HOSTILE, HOSTILE, {HOSTILE: 10**30}), unjudged=(HOSTILE,))
    return summarize(record(bad, suite_name=HOSTILE, run_id=HOSTILE, started=HOSTILE))


def output_of(code: str) -> str:
    """Run code in a new interpreter, with another order of hashes."""
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {"PYTHONPATH": paths, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, stdout=-1, check=True).stdout.decode()


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_keeps_its_promises(name: str) -> None:
    """It is whole text, and byte for byte the same when made again."""
    runs = [colourful(), several_trials(), hostile_names(), summarize(record())]

    check_view(VIEWS[name], runs)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_the_same_in_another_process(name: str) -> None:
    """No order of a set and no address shows through."""
    code = (
        "from compare.rows import colourful; import importlib, sys;"
        f"view = importlib.import_module('runledger.views.{name}');"
        "sys.stdout.buffer.write(view.render(colourful()).encode())"
    )

    assert output_of(code) == VIEWS[name].render(colourful())


def test_no_view_needs_slow_imports() -> None:
    """A view of a replay must not take longer than the replay."""
    views = ", ".join(f"runledger.views.{name}" for name in VIEWS)
    code = f"import {views}, sys; print(*{{'rich', 'statistics', 'xml'}} & {{*sys.modules}})"

    assert output_of(code) == "\n"


class Counting:
    """A view that remembers."""

    def __init__(self) -> None:
        self.times = 0

    def render(self, summary: Summary, /) -> str:
        """Say how often it was asked."""
        self.times += 1
        return f"{self.times}\n"


def test_the_check_finds_a_view_that_remembers() -> None:
    """A view with a state of its own breaks the first promise."""
    with pytest.raises(AssertionError, match="the same"):
        check_view(Counting(), [colourful()])
