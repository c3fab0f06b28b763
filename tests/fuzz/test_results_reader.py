"""Whatever a file of results, a baseline or a record holds, it is read or refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.effort import BRIEFLY
from fuzz.mutations import changed, edited, written
from fuzz.refusals import check_words
from fuzz.scratch import every, put, scratch
from runledger.compare.captures import gather
from runledger.compare.samples import compare_samples
from runledger.errors import UsageError
from runledger.ledger.value import Json
from runledger.store.baseline import baseline_bytes, read_baseline
from runledger.store.lines import encode
from runledger.store.results import read_results
from runledger.store.verdicts import read_verdicts
from runledger.views import comparison
from runledger.views.digest import summary_result
from runledger.views.trajectory import render_record

Found = TypeVar("Found")

RESULTS = every("tests/golden/*/results.jsonl")
TRIALS: Json = {
    "id": "a",
    "input": "hi",
    "k": 2,
    "passRate": 0.5,
    "expected": "x",
    "metadata": {"m": 1},
    "trials": [
        {"trialNum": 1, "output": "x", "duration": 10, "pass": True, "score": 1.0},
        {
            "trialNum": 2,
            "output": None,
            "duration": 2.5,
            "pass": False,
            "score": 0,
            "reasoning": "no",
            "toolErrors": True,
            "errors": ["e"],
            "trajectory": [
                {"type": "message", "content": "hi", "timestamp": 1, "stepId": "a-t2-step-1"},
                {"type": "tool_call", "name": "t", "status": "failed", "input": {"a": 1}},
                {"type": "plan", "entries": [{"content": "x", "status": "done"}]},
            ],
        },
    ],
}
LINES = [TRIALS, *(json.loads(line) for file in RESULTS for line in file.splitlines())]
BASELINES = every("examples/**/baselines/*.json")
VERDICT: dict[str, Json] = {
    "task_id": "t",
    "condition": "with",
    "trial": 1,
    "attempt": 1,
    "criterion": "c1",
    "judge": "j1",
    "verdict": "met",
    "quote": "q",
    "reasoning": "r",
    "key": "k",
}
VERDICTS = st.lists(changed([VERDICT]).map(written), max_size=3).map(b"\n".join)
RESULT_FILES = edited(RESULTS) | st.lists(changed(LINES).map(written), max_size=3).map(b"\n".join)


def found(read: Callable[[], Found]) -> Found | None:
    """Read; what is refused must be refused with words that can be printed."""
    try:
        return read()
    except UsageError as error:
        check_words(error)
        return None


def file_of(name: str, content: bytes) -> Path:
    """Write a file."""
    return put(scratch("results") / name, content)


def no_constant(name: str) -> None:
    """Refuse what is not JSON."""
    raise AssertionError(name)


@BRIEFLY
@given(RESULT_FILES)
def test_results_are_refused_or_every_view_of_them_can_be_made(content: bytes) -> None:
    """What is read can be summed up for programs and for people."""
    file = file_of("results.jsonl", content)
    for captured in found(lambda: [*read_results(file, lambda told: None)]) or ():
        line = encode(summary_result(captured, repeated=captured.trial > 1))
        json.loads(line, parse_constant=no_constant)
        render_record(captured, repeated=True).encode()


@BRIEFLY
@given(RESULT_FILES, RESULT_FILES)
def test_results_are_refused_or_can_be_compared(one: bytes, other: bytes) -> None:
    """Any two sets of results have a comparison, or a reason why not."""

    def compared() -> Iterator[str]:
        files = file_of("one.jsonl", one), file_of("other.jsonl", other)
        samples = [gather(file.stem, read_results(file, lambda told: None)) for file in files]
        comparisons = compare_samples(samples[0], samples[1:])
        yield comparison.render_text(comparisons)
        yield comparison.render_markdown(comparisons)
        json.loads(comparison.render_json(comparisons), parse_constant=no_constant)

    for text in found(lambda: [*compared()]) or ():
        text.encode()


@BRIEFLY
@given(changed([*map(json.loads, BASELINES)]).map(written) | edited(BASELINES))
def test_a_baseline_is_refused_or_can_be_written_again(content: bytes) -> None:
    """What is read of a baseline says the same when it is written and read once more.

    Of what UTF-8 cannot write its spelling is kept, so bytes are compared.
    """
    file = file_of("baseline.json", content)
    baseline = found(lambda: read_baseline(file))
    if baseline is not None:
        again = baseline_bytes(baseline)
        put(file, again)
        assert baseline_bytes(read_baseline(file)) == again


@BRIEFLY
@given(VERDICTS | edited([written(VERDICT)]))
@example(written({**VERDICT, "task_id": 1}) + b"\n" + written(VERDICT))  # not to be sorted
@example(written({**VERDICT, "judge": []}))  # not to be looked up
def test_verdicts_are_read_or_refused(content: bytes) -> None:
    """The last word of each judge counts, whatever else stands there."""
    file = file_of("verdicts.jsonl", content)
    found(lambda: read_verdicts(file))
