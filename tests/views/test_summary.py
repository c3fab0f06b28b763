"""summary.json holds exactly the keys of its format."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from compare.rows import HOSTILE, colourful, record, row, several_trials
from runledger.compare.rates import summarize
from runledger.ledger.grade import Failure
from runledger.ledger.regression import Check, Regression
from runledger.ledger.run import Summary
from runledger.views import summary as view

DOCUMENT = ["schema_version", "run_id", "suite_name", "mode", "status", "totals", "cases"]
TOTALS = [
    *("cases", "passed", "failed", "errors", "unfinished", "success_rate", "success_rate_ci"),
    *("tool_calls", "tool_errors", "tokens_in", "tokens_out", "cost_usd"),
    *("wall_ms", "avg_wall_ms", "p95_wall_ms"),
]
CASE = [
    *("id", "status", "wall_ms", "tool_calls", "tool_errors", "tool_calls_by_name"),
    *("tokens_in", "tokens_out", "cost_usd", "failures", "cassette", "leaky"),
]


def read(summary: Summary) -> Any:
    """Read summary.json back."""
    return json.loads(view.render(summary))


def test_the_keys_are_those_of_the_format_in_their_order() -> None:
    """Nothing is missing and nothing came along."""
    document = read(colourful())

    assert list(document) == DOCUMENT
    assert list(document["totals"]) == TOTALS
    assert all(list(case)[: len(CASE)] == CASE for case in document["cases"])
    assert {key for case in document["cases"] for key in case} - set(CASE) == {"unjudged"}


def test_a_case_shows_what_it_used_and_why_it_failed() -> None:
    """Figures, failures and the cassette's use are those of the record."""
    case = read(colourful())["cases"][2]

    assert (case["tokens_in"], case["tokens_out"], case["cost_usd"]) == (1200, 300, 0.0021)
    assert case["tool_calls_by_name"] == {"search_docs": 3}
    assert list(case["failures"][0]) == ["type", "message", "details"]
    assert [one["type"] for one in case["failures"]] == ["cassette_miss", "assertion_failed"]
    assert case["cassette"] == {
        "path": "cassettes/refund.jsonl",
        "sha256": "ab" * 32,
        "entries": 7,
        "used": 2,
        "unused": 5,
        "overridden": [2, 3],
    }


def test_unknown_figures_are_null() -> None:
    """A case that was never run took no known time."""
    case = read(colourful())["cases"][-1]

    assert case["status"] == "unfinished"
    assert case["wall_ms"] is None
    assert case["tokens_out"] is None
    assert case["cassette"] is None


def test_limits_that_nobody_judged_are_listed() -> None:
    """The key is there only when there is something to say."""
    greets, leaks, *_ = read(colourful())["cases"]

    assert "unjudged" not in greets
    assert leaks["unjudged"] == ["max_cost_usd"]
    assert leaks["leaky"] is True


def test_several_trials_are_counted() -> None:
    """Each trial has its duration."""
    shaky = read(several_trials())["cases"][1]

    assert shaky["trials"] == {"n": 3, "passed": 1, "wall_ms": [400, 400, 400]}


def test_a_comparison_is_passed_on_whole() -> None:
    """Without a baseline the key is absent."""
    check = Check("min_success_rate", "pass", 1.0, 1.0, 0.0, 1.0)
    compared = summarize(record(row("a"), regression=Regression("pass", (check,))))

    assert read(compared)["regression"] == {
        "verdict": "pass",
        "checks": [
            {
                "id": "min_success_rate",
                "status": "pass",
                "baseline": 1.0,
                "current": 1.0,
                "delta": 0.0,
                "threshold": 1.0,
                "ci": None,
                "note": None,
            }
        ],
        "cases": {"newly_failing": [], "newly_passing": [], "missing": [], "added": []},
    }
    assert "regression" not in read(summarize(record(row("a"))))


def test_the_file_is_indented_and_ends_its_line() -> None:
    """People read it too."""
    text = view.render(summarize(record(row("a"))))

    assert text.startswith('{\n  "schema_version": 1,\n  "run_id"')
    assert text.endswith("}\n")


def test_the_line_is_the_same_document() -> None:
    """`run --format json` prints one summary per line."""
    line = view.summary_line(colourful())

    assert "\n" not in line
    assert json.loads(line) == read(colourful())


def test_what_orjson_refuses_is_written_all_the_same() -> None:
    """Lone surrogates become their escapes, and large integers stay whole."""
    strange = row("a", Failure("protocol_error", "\ud800 é", {"n": 2**70}))
    summary = summarize(record(strange))

    text = view.render(summary)
    assert '"\\ud800 é"' in text
    assert json.loads(text)["cases"][0]["failures"][0]["details"] == {"n": 2**70}
    assert json.loads(view.summary_line(summary)) == json.loads(text)
    assert "\n" not in view.summary_line(summary)


def test_both_writers_set_a_document_alike() -> None:
    """A surrogate in one message changes that message and nothing else."""
    plain = row("a", Failure("protocol_error", "x", {"empty": {}, "list": []}))
    strange = replace(plain, failures=(replace(plain.failures[0], message="\ud800"),))

    ours, fallback = (view.render(summarize(record(one))) for one in (plain, strange))
    assert fallback.replace('"\\ud800"', '"x"') == ours


def test_hostile_text_survives() -> None:
    """What the agent said is what the file says."""
    assert read(colourful())["cases"][4]["failures"][0]["message"] == HOSTILE
