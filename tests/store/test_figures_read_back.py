"""Whatever figures an agent tells: they are refused when they come, or can be read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from hypothesis import given
from hypothesis import strategies as st

from fuzz.effort import BRIEFLY
from record_kit import read_back
from runledger.agents.acp.usage import Meter
from runledger.agents.headless.steps import Known, Piece, steps_in
from runledger.compare.matched import change_pct
from runledger.errors import AgentError
from runledger.ledger.adapter import EventRule
from runledger.ledger.event import Failed, Happening, ToolCall, UsageReport
from runledger.ledger.figure import LARGEST
from runledger.ledger.grade import Failure
from runledger.ledger.value import Json
from runledger.wire.messages import parse

FIGURES = st.one_of(
    st.integers(0, 10**17),
    st.sampled_from([LARGEST, LARGEST - 1, LARGEST + 1, 10**30, -1, -LARGEST, 0, True, None, "7"]),
    st.floats(),
)
VALUES = st.recursive(
    FIGURES | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)
KEYS = st.sampled_from(
    [
        *("type", "name", "call_id", "args", "status", "output", "level", "message", "data"),
        *("tokens_in", "tokens_out", "cost_usd", "model", "extra", "piece", "seq", "case_id"),
        *("exit_code", "took_ms", "ok", "result", "error", "failure", "grade", "usage", "source"),
    ]
)
WHOLE = {
    "usage": {},
    "tool_call": {"name": "search", "call_id": "1", "args": {}},
    "final_output": {"output": {}},
    "log": {"message": "m"},
    "task_error": {"message": "m"},
}


@BRIEFLY
@given(
    st.lists(st.tuples(st.sampled_from(sorted(WHOLE)), st.dictionaries(KEYS, VALUES)), max_size=6)
)
def test_what_is_taken_from_an_agent_is_read_back(
    messages: list[tuple[str, dict[str, Json]]],
) -> None:
    """A message is refused when it comes, or it and all sums of such can be read again."""
    found = read_back([*heard({**WHOLE[kind], **more, "type": kind} for kind, more in messages)])

    assert 0 <= (found.row.tally.usage.tokens_out or 0) <= LARGEST


def heard(messages: Iterable[dict[str, Json]]) -> Iterator[Happening]:
    """Read messages as the runner does; the first that is refused is the last."""
    try:
        for message in messages:
            yield parse(json.dumps(message).encode())
    except AgentError as error:
        yield Failed(Failure(error.kind, str(error), error.details))


def test_two_reports_of_the_largest_figure_come_to_no_more() -> None:
    """A sum that no reader would take is not written."""
    report = {"type": "usage", "tokens_in": LARGEST, "tokens_out": LARGEST, "cost_usd": LARGEST}

    found = read_back([*heard([report] * 3)])

    usage = found.row.tally.usage
    assert (usage.tokens_in, usage.tokens_out, usage.cost_usd) == (LARGEST,) * 3


SHELL = EventRule({}, "tool_call", {"id": ("id",), "name": ("name",)})
RAN = EventRule(
    {},
    "tool_result",
    {
        "id": ("id",),
        "output": ("output",),
        "exit_code": ("exit",),
        "began": ("began", "more"),
        "ended": ("ended", "more"),
    },
)
USED = EventRule(
    {}, "usage", {"tokens_in": ("a", "b"), "tokens_out": ("b", "a"), "cost_usd": ("a", "b")}
)
LINES = st.fixed_dictionaries(
    {"id": st.just("1"), "name": st.just("bash")},
    optional={
        **dict.fromkeys(("exit", "began", "ended", "more", "a", "b"), FIGURES),
        "output": st.one_of(VALUES, st.fixed_dictionaries({"exit_code": FIGURES})),
    },
)


@BRIEFLY
@given(st.lists(LINES, max_size=5))
def test_figures_of_a_headless_agent_are_read_back(lines: list[dict[str, Json]]) -> None:
    """Its exit codes, durations and tokens are bounded when they come, and so are their sums."""
    known = Known()
    said = [one for line in lines for one in steps_in(line, (SHELL, RAN, USED), known)]

    found = read_back([one for one in said if not isinstance(one, Piece)])

    assert found.row.tool_calls_by_name in ({}, {"bash": 1})


TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "cachedWriteTokens")
REPORTS = st.dictionaries(st.sampled_from(TOKENS), FIGURES)


@BRIEFLY
@given(st.lists(REPORTS, max_size=4), FIGURES)
def test_figures_of_an_acp_agent_are_read_back(
    reports: list[dict[str, Json]], amount: Json
) -> None:
    """What several of its updates tell in one turn is bounded, too."""
    meter = Meter()
    for report in reports:
        meter.take({"_meta": {"usage": report}, "cost": {"amount": amount}})
    used = [meter.turn({}), *(meter.turn({"usage": report}) for report in reports)]

    found = read_back([UsageReport(one) for one in used if one is not None])

    assert 0 <= (found.row.tally.usage.tokens_in or 0) <= LARGEST


def test_an_exit_code_beyond_all_figures_is_still_an_error() -> None:
    """It is no success, whatever its size."""
    (_, ran) = steps_in({"id": "1", "name": "bash", "exit": 10**16}, (SHELL, RAN), Known())

    found = read_back([ToolCall("bash", "1", {}), ran])  # type: ignore[list-item]

    assert found.row.tally.tool_errors == 1


def test_a_change_in_percent_of_next_to_nothing_can_be_read_back() -> None:
    """Anybody can write a baseline, and how a run stands beside it is part of the record."""
    assert change_pct(12.0, 1e-300) == LARGEST
    assert change_pct(0.0, 1e-300) == -100
