"""Nouns that were read from a file are what their types say, or it is told where they are not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runledger.ledger.attempt import PlannedRun, Slot
from runledger.ledger.event import Failed, Plan, ToolCall
from runledger.ledger.grade import Failure
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.run import TrialRow
from runledger.ledger.sound import LARGEST, Unsound, sound
from runledger.ledger.usage import Tally, Usage

ROW = TrialRow("a", 1, 1, "passed", Tally(5, 1, 0, Usage(1, 2, 0.5, "m")), failures=())
MANIFEST = Manifest("r", "s", "replay", "now", (PlannedCase("a", tags=("t",)),))


@pytest.mark.parametrize(
    "noun",
    [
        ROW,
        MANIFEST,
        replace(ROW, tally=Tally(usage=Usage(cost_usd=1))),  # a whole number is a number
        ToolCall("t", "c", {"any": [1, None, {"thing": True}]}),
        Plan([{"content": "x"}, 7]),
        PlannedRun(1, Slot("t", "c", 1), 1),
    ],
)
def test_what_is_as_it_must_be_is_given_back(noun: object) -> None:
    """It is the very same noun."""
    assert sound(noun) is noun


@pytest.mark.parametrize(
    ("noun", "told"),
    [
        (replace(ROW, case_id=7), "case_id must be a text, found 7"),
        (replace(ROW, trial=True), "trial must be a whole number, found true"),
        (replace(ROW, trial=1.0), "trial must be a whole number, found 1.0"),
        (replace(ROW, answered=1), "answered must be true or false, found 1"),
        (replace(ROW, status="fine"), "status must be passed or failed or error or unfinished"),
        (replace(ROW, status=[]), "status must be passed"),
        (replace(ROW, tally=None), "tally must be an object, found null"),
        (replace(ROW, tally=Tally(wall_ms=LARGEST + 1)), "tally.wall_ms must be a whole number up"),
        (
            replace(ROW, tally=Tally(usage=Usage(cost_usd=float("nan")))),
            "tally.usage.cost_usd must",
        ),
        (replace(ROW, failures=[]), "failures must be a list, found []"),
        (replace(ROW, failures=(Failure("t", 1),)), "failures[0].message must be a text, found 1"),
        (
            replace(ROW, tool_calls_by_name={"x": "y"}),
            "tool_calls_by_name.x must be a whole number",
        ),
        (
            replace(MANIFEST, cases=(PlannedCase("a", tags=(1,)),)),
            "cases[0].tags[0] must be a text",
        ),
        (replace(MANIFEST, mode=None), "mode must be replay or record or live, found null"),
        (replace(MANIFEST, versions=[]), "versions must be an object, found []"),
        (Plan("no list"), 'entries must be a list, found "no list"'),
        (Failed(Failure("t", "m", [])), "failure.details must be an object, found []"),
        (PlannedRun(1, Slot("t", None, 1), 1), "slot.condition must be a text, found null"),
    ],
)
def test_what_is_not_is_named_with_its_field(noun: object, told: str) -> None:
    """The first field that is wrong is told, with what it is a part of."""
    with pytest.raises(Unsound) as caught:
        sound(noun)

    assert str(caught.value).startswith(told)
