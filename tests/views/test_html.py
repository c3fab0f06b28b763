"""report.html as text: one inert file, in which what matters is kept and what is long is cut."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from browser.runs import ATTACKS, Made, good, hostile, large, several_trials, telling
from compare.rows import colourful, record
from runledger.compare.rates import summarize
from runledger.ledger.event import (
    Event,
    Failed,
    FinalOutput,
    Happening,
    Message,
    TaskStart,
    ToolCall,
    ToolResult,
)
from runledger.ledger.grade import Failure, assertion_failure, budget_failure
from runledger.ledger.trajectory import Exit
from runledger.ledger.usage import Breach
from runledger.views import html
from runledger.views.conformance import check_view
from runledger.views.report.steps import timeline_of
from runledger.views.report.trials import CASE_BYTES


class Elements(HTMLParser):
    """The elements of a page, with their attributes and, for scripts and styles, their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Note the text of the script or style that is open."""
        if self.cdata_elem:
            tag, attributes = self.found[-1]
            key = f"{tag} {attributes.get('type', '')}".strip()
            self.raw[key] = self.raw.get(key, "") + data


def unpacked(text: str) -> list[dict[str, Any]]:
    """Read the record back out of a report, line by line."""
    found = re.search(r'<script id="packed"[^>]*>([^<]*)</script>', text)
    assert found is not None
    lines = zlib.decompress(b64decode(found[1]), wbits=-15).splitlines()
    return [json.loads(line) for line in lines]


def check_policy(text: str) -> None:
    """Make sure that the policy of a report allows its one script and its one style alone."""
    page = Elements(text)
    metas = [attributes for tag, attributes in page.found if tag == "meta"]
    policy = next(one["content"] for one in metas if "http-equiv" in one) or ""

    for key in ("script module", "style"):
        digest = b64encode(sha256(page.raw[key].encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def opened(*events: Happening) -> dict[str, Any]:
    """Make the timeline of a trial in which this happened, one thing every ten milliseconds."""
    found: dict[str, Any] = dict(
        timeline_of([Event(10 * at, what) for at, what in enumerate(events)], most=100)
    )
    return found


def test_it_keeps_the_promises_of_the_shelf() -> None:
    """It is text, the same when made again, whatever the run holds."""
    check_view(html, [colourful(), hostile()[0], several_trials()[0], summarize(record())])


def test_it_is_the_same_when_made_again_with_its_traces() -> None:
    """Nothing of the moment gets into it."""
    summary, made = telling()

    assert html.render(summary, made.of) == html.render(summary, made.of)


def test_hostile_text_adds_no_element() -> None:
    """The page has the same elements whatever the run says, and no attribute that could run."""
    summary, made = hostile()
    page = Elements(html.render(summary, made.of))

    assert [tag for tag, _ in page.found].count("script") == 2
    assert not {"img", "iframe", "object", "embed", "base"} & {tag for tag, _ in page.found}
    names = {name for _, attributes in page.found for name in attributes}
    assert not [name for name in names if name.startswith("on") or name in ("style", "src")]


def test_hostile_text_is_shown_before_any_script() -> None:
    """The suite's name stands in the page, escaped."""
    summary, made = hostile()

    assert "&lt;img src=x onerror=window.__pwned=1&gt;" in html.render(summary, made.of)
    assert ATTACKS[2] not in html.render(summary, made.of)


def test_the_policy_allows_exactly_what_is_there() -> None:
    """Its hashes are those of the one script and the one style."""
    check_policy(html.render(colourful()))


def test_the_script_makes_no_markup_of_text() -> None:
    """There is no way in it from text to elements, and none to the network."""
    script = Elements(html.render(colourful())).raw["script module"]

    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|fetch\("
    assert not re.findall(ways, script)


def test_a_thousand_small_cases_are_small() -> None:
    """A report is opened from a CI's artifacts: 1000 trivial traces fit in 400 KB."""
    summary, made = large(1000)

    assert len(html.render(summary, made.of).encode()) <= 400_000


def test_every_row_has_its_line() -> None:
    """The n-th row's trace is the n-th line after the first, those to look at before the others."""
    summary, made = telling()

    head, *lines = unpacked(html.render(summary, made.of))

    assert [row[0] for row in head["rows"][:2]] == ["crashes", "gives-up"]
    assert lines[0]["trials"][0]["failures"][0]["type"] == "agent_exited_early"
    assert len(lines) == len(head["rows"])


def test_failures_are_told_without_a_trace() -> None:
    """Where the log is not at hand, a case still says why it did not pass."""
    summary, _ = telling()

    trial = unpacked(html.render(summary))[1]["trials"][0]

    assert (trial["status"], trial["failures"][0]["type"]) == ("error", "agent_exited_early")


def test_traces_beyond_the_bound_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passing cases lose theirs first; every case keeps its row."""
    monkeypatch.setattr(html, "PLAIN_BYTES", 4000)
    summary, made = telling()

    head, *lines = unpacked(html.render(summary, made.of))

    assert len(head["rows"]) == 36
    assert 0 < len(lines) < 10


def test_a_case_with_too_much_to_say_is_cut_further() -> None:
    """Values shrink until the case is of a fair size, and say how long they were."""
    made = Made().case("much", [*good()[:1], *(Message("x" * 20_000) for _ in range(300))])

    line = unpacked(html.render(made.summary(), made.of))[1]

    assert len(json.dumps(line)) < 1_000_000
    assert line["trials"][0]["steps"][1]["text"] == ["x" * 2000, 20_000]


def test_a_case_of_many_long_trials_keeps_to_its_bound() -> None:
    """Passing trials lose their steps first, then later ones; the page says how many."""
    calls = [ToolCall("search", f"c{n}", {"q": "x" * 150}) for n in range(399)]
    fell_short = Failed(Failure("assertion_failed", "no"))
    trials = [[*calls, *([fell_short] if n in (20, 30) else [])] for n in range(40)]
    made = Made().case("many", *trials)

    line = unpacked(html.render(made.summary(trials=40), made.of))[1]

    assert len(json.dumps(line, separators=(",", ":"))) <= CASE_BYTES
    whole = [one["trial"] for one in line["trials"] if len(one["steps"]) == 399]
    assert {21, 31} < {*whole}
    assert whole[:-2] == [*range(1, len(whole) - 1)]
    assert line["trials"][39]["steps"] == [{"kind": "gap", "steps": 399}]


def test_a_case_of_many_trials_with_many_failures_keeps_to_its_bound() -> None:
    """Where steps are not enough, only the first failure of a trial is told."""
    failures = [Failed(Failure("assertion_failed", "x" * 500)) for _ in range(90)]
    made = Made().case("many", *([[*good(), *failures]] * 100))

    line = unpacked(html.render(made.summary(trials=100), made.of))[1]

    assert len(json.dumps(line, separators=(",", ":"))) <= CASE_BYTES
    assert len(line["trials"][0]["failures"]) == 90
    assert line["trials"][99]["failures"][1]["message"].startswith("89 more left out")


def test_numbers_stay_as_they_were_written() -> None:
    """A browser cannot tell 1.0 from 1, nor hold large integers; so values are kept as text."""
    line = opened(ToolCall("t", "c", {"f": 1.0, "n": 10**30}))

    assert line["steps"][0]["args"] == '{"f":1.0,"n":1000000000000000000000000000000}'


def test_a_call_is_one_step_with_its_answer() -> None:
    """Calls that are open at once get each its own answer and duration."""
    line = opened(
        ToolCall("a", "c1", {}),
        ToolCall("b", "c2", {}),
        ToolResult("c2", False, None, "busy"),
        ToolResult("c1", True, 7),
    )

    first, second = line["steps"]
    assert (first["took"], first["ok"], first["result"]) == (30, True, "7")
    assert (second["took"], second["ok"], second["result"]) == (10, False, '"busy"')


OUTPUT = assertion_failure("json_schema", "no", path="$.a", expected=1, found=2)
ARGS = Failure("assertion_failed", "tool_args: no", {"assertion": "tool_args", "call_id": "c1"})


@pytest.mark.parametrize(
    ("failure", "step"),
    [
        (Failure("cassette_miss", "no", {"tool": "a"}), 1),
        (Failure("cassette_exhausted", "no", {"tool": "unheard of"}), 2),
        (Failure("tool_not_allowed", "no", {"tool": "b"}), 2),
        (ARGS, 1),
        (OUTPUT, 3),
        (budget_failure(Breach("max_tool_calls", 1, 2)), 2),
        (budget_failure(Breach("max_wall_ms", 1, 2)), None),
        (Failure("timeout", "too slow"), None),
        (Failure("assertion_failed", "must_call: no", {"assertion": "must_call"}), None),
    ],
)
def test_a_failure_stands_at_the_step_that_it_concerns(failure: Failure, step: int | None) -> None:
    """A miss at its call, an assertion on the output at the output, the rest at the end."""
    line = opened(
        TaskStart({}),
        ToolCall("a", "c1", {}),
        ToolCall("b", "c2", {}),
        FinalOutput({}),
        Failed(failure),
    )

    places = [at for at, one in enumerate(line["steps"]) if one.get("failures") == [0]]
    assert places == ([] if step is None else [step])


def test_the_middle_of_a_very_long_trace_is_left_out() -> None:
    """Its beginning and end stay, and so does the step that a failure concerns."""
    line = opened(
        *(Message(str(n)) for n in range(500)),
        ToolCall("late", "c1", {}),
        Failed(Failure("cassette_miss", "no", {"tool": "late"})),
        *(Message(str(n)) for n in range(500)),
    )

    gaps = [one["steps"] for one in line["steps"] if one["kind"] == "gap"]
    assert gaps == [200, 400]
    assert any(one["kind"] == "call" for one in line["steps"])


def test_the_end_of_a_long_standard_error_is_kept() -> None:
    """The last words are the telling ones."""
    made = Made().case("loud", good(), exit=Exit(code=1, stderr="x" * 50_000 + "the end\n"))

    text, length = unpacked(html.render(made.summary(), made.of))[1]["trials"][0]["stderr"]

    assert text.endswith("the end")
    assert length == 50_007
