"""Runs to open in a browser: a telling one, a hostile one, and one as large as is wanted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from runledger.compare.rates import summarize
from runledger.ledger.baseline import Aggregates, Baseline, BaselineCase
from runledger.ledger.event import (
    Event,
    Failed,
    FinalOutput,
    Graded,
    Happening,
    Log,
    Message,
    Plan,
    TaskError,
    TaskStart,
    Thought,
    ToolCall,
    ToolResult,
    UsageReport,
)
from runledger.ledger.grade import Failure, Grade, assertion_failure, budget_failure, status_of
from runledger.ledger.manifest import Manifest, PlannedCase
from runledger.ledger.regression import CaseChanges, Check, Regression
from runledger.ledger.run import Ending, RunRecord, Summary, TrialRow
from runledger.ledger.suite import Thresholds
from runledger.ledger.trajectory import CassetteUse, Exit, calls_by_name
from runledger.ledger.usage import Breach, Tally, Usage
from runledger.store.traces import Trace

MISS = Failure(
    "cassette_miss",
    "cassettes/misses.jsonl: no recorded answer for search_docs"
    ' {"limit":3,"query":"refund policy late order"}\n'
    'nearest: line 2, differs at $.query: recorded "refund policy", called "refund policy late'
    ' order"\n'
    "to ignore it: cassettes: {match: {search_docs: {ignore: [$.query]}}}\n"
    "to record it: runledger run evals/support --mode record --case misses\n"
    'recorded:\n  line 1 get_order {"order_id":"A-1"}\n  line 2 search_docs {"query":"refund"}',
    {
        "tool": "search_docs",
        "args": {"query": "refund policy late order", "limit": 3},
        "nearest": {
            "line": 2,
            "differences": [
                {
                    "path": "$.query",
                    "recorded": "refund policy",
                    "called": "refund policy late order",
                },
                {"path": "$.limit", "called": 3},
            ],
        },
        "recorded": [],
    },
)

ENDED = Exit(code=0)


@dataclass
class Made:
    """A run being made: what happened in each trial, and the rows that follow from it."""

    rows: list[TrialRow] = field(default_factory=list)
    cases: list[PlannedCase] = field(default_factory=list)
    traces: dict[str, list[Trace]] = field(default_factory=dict)

    def case(
        self,
        id: str,
        *trials: Iterable[Happening],
        tags: tuple[str, ...] = (),
        description: str = "",
        ms: int = 400,
        exit: Exit = ENDED,
        cassette: CassetteUse | None = None,
    ) -> Made:
        """Add a case, with what happened in each of its trials."""
        self.cases.append(PlannedCase(id, description=description or None, tags=tags))
        for number, happenings in enumerate(trials, start=1):
            events = spaced(happenings, ms + number - 1)
            row = row_of(id, number, events, ms + number - 1)
            self.rows.append(replace(row, exit=exit, cassette=cassette))
            self.traces.setdefault(id, []).append(Trace(number, 1, events, exit.stderr))
        return self

    def of(self, case_id: str) -> Iterable[Trace]:
        """Give the traces of a case."""
        return self.traces.get(case_id, ())

    def summary(self, **more: object) -> Summary:
        """Add the run up."""
        manifest = Manifest(
            run_id="20260215-101530-a1b2c3",
            suite_name="support-triage",
            mode="replay",
            started="2026-02-15T10:15:30.123Z",
            cases=tuple(self.cases),
            command=("{python}", "agent.py"),
            versions={"runledger": "0.1.0", "python": "3.11.7", "platform": "linux"},
        )
        ending = more.pop("ending", Ending(wall_ms=12_345))
        assert isinstance(ending, Ending)
        whole = replace(manifest, **more)  # type: ignore[arg-type]
        return summarize(RunRecord(whole, tuple(self.rows), ending))


def spaced(happenings: Iterable[Happening], ms: int) -> tuple[Event, ...]:
    """Let things happen evenly over a time, judging at its end."""
    found = list(happenings)
    judging = [what for what in found if isinstance(what, (Graded, Failed))]
    steps = max(1, len(found) - len(judging) - 1)
    events: list[Event] = []
    for what in found:
        done = sum(not isinstance(one.what, (Graded, Failed)) for one in events)
        events.append(Event(min(ms, round(ms * done / steps)), what))
    return tuple(events)


def row_of(case_id: str, trial: int, events: tuple[Event, ...], ms: int) -> TrialRow:
    """Say how a trial ended in which this happened."""
    failures = tuple(one.what.failure for one in events if isinstance(one.what, Failed))
    usages = [one.what.usage for one in events if isinstance(one.what, UsageReport)]
    calls = sum(isinstance(one.what, ToolCall) for one in events)
    errors = sum(isinstance(one.what, ToolResult) and not one.what.ok for one in events)
    return TrialRow(
        case_id,
        trial,
        1,
        status_of(failures),
        Tally(ms, calls, errors, usages[-1] if usages else Usage()),
        answered=any(isinstance(one.what, FinalOutput) for one in events),
        tool_calls_by_name=calls_by_name(events),
        failures=failures,
    )


def good(ticket: str = "How do I cancel my plan?") -> list[Happening]:
    """Let a trial go well: two searches, usage, an answer, two grades."""
    hits = [
        {"title": f"Article {n}", "text": "Plans end on the last day of the month."} for n in (1, 2)
    ]
    return [
        TaskStart({"ticket": ticket, "customer_id": "u-08", "priority": 1.0}),
        Log("info", "the ticket is about: billing", {"confidence": 0.93}),
        ToolCall("search_docs", "c1", {"query": ticket, "limit": 3}),
        ToolResult("c1", True, {"hits": hits}),
        ToolCall("get_customer", "c2", {"customer_id": "u-08"}),
        ToolResult("c2", True, {"name": "Jonas", "plan": "pro", "since": "2024-03-01"}),
        UsageReport(Usage(812, 96, 0.0042, "model-large-1")),
        FinalOutput({"category": "billing", "reply": "Plans end on the last day of the month."}),
        Graded(Grade("json_schema", True, 1.0)),
        Graded(Grade("must_call", True, 1.0)),
    ]


def long_result() -> dict[str, object]:
    """Make a result that is folded, and a text in it that is cut."""
    order = {"lines": [{"sku": f"S-{n:03}", "count": n, "price": 9.5} for n in range(40)]}
    return {"order": order, "notes": "very long note " * 3000}


def telling() -> tuple[Summary, Made]:
    """Make a run with a baseline in which every kind of thing happens once."""
    made = Made()
    schema = assertion_failure(
        "json_schema",
        'at $.reply: expected type: "string", found null',
        path="$.reply",
        expected={"type": "string"},
        found=None,
    )
    made.case(
        "misses",
        [
            TaskStart({"ticket": "My order is late, I want my money back."}),
            Thought("The customer wants a refund. I should look at the order, then at the policy."),
            Plan(
                [
                    {"content": "look at the order", "status": "completed"},
                    {"content": "find the policy", "status": "in_progress"},
                ]
            ),
            ToolCall("get_order", "c1", {"order_id": "A-1"}),
            ToolResult("c1", True, long_result()),
            ToolCall("search_docs", "c2", {"query": "refund policy late order", "limit": 3}),
            Failed(MISS),
            Graded(Grade("must_call", True, 1.0)),
        ],
        tags=("refund", "regression"),
        description="A late order is refunded according to the policy.",
        ms=912,
        cassette=CassetteUse("cassettes/misses.jsonl", "ab" * 32, 3, 1, 2),
        exit=Exit(signal="SIGTERM", stderr="INFO start\nWARN the policy was not found\n"),
    )
    made.case(
        "empty-reply",
        [
            *good()[:-3],
            FinalOutput({"category": "billing", "reply": None}),
            Graded(Grade("json_schema", False, 0.0)),
            Failed(schema),
            Graded(Grade("helpful", False, 0.25, reasoning="The reply is empty.\nNothing helps.")),
            Failed(Failure("assertion_failed", "helpful: scored 0.25, at least 0.8 is asked for")),
        ],
        tags=("billing",),
        ms=388,
    )
    made.case(
        "crashes",
        [
            TaskStart({"ticket": "Login broken"}),
            ToolCall("search_docs", "c1", {"query": "login"}),
            ToolResult("c1", False, None, "search timed out after 200 ms"),
            Failed(Failure("agent_exited_early", "the agent exited with code 1 before its answer")),
        ],
        tags=("account",),
        ms=120,
        exit=Exit(
            code=1,
            stderr='Traceback (most recent call last):\n  File "agent.py", line 31\n'
            "KeyError: 'ticket'\n",
        ),
    )
    made.case(
        "too-many-calls",
        [
            TaskStart({"ticket": "Where is everything?"}),
            *(ToolCall("list_issues", f"c{n}", {"page": n}) for n in range(6)),
            Failed(budget_failure(Breach("max_tool_calls", 5, 6))),
        ],
        tags=("budget",),
        ms=2300,
    )
    made.case(
        "gives-up",
        [
            TaskStart({"ticket": "?"}),
            Message("I do not understand."),
            TaskError("the ticket is empty", {"ticket": "?"}),
            Failed(Failure("task_error", "the agent gave up: the ticket is empty")),
        ],
        ms=61,
    )
    for number in range(1, 31):
        made.case(
            f"question-{number:02}",
            good(f"Question {number}?"),
            tags=("billing" if number % 3 else "account",),
            ms=180 + 13 * number % 170,
            description="An ordinary question is answered from the documentation.",
            cassette=CassetteUse(f"cassettes/question-{number:02}.jsonl", "cd" * 32, 2, 2, 0),
        )
    made.cases.append(PlannedCase("never-run"))
    return made.summary(
        thresholds=Thresholds(min_success_rate=0.95),
        ending=Ending(12_345, False, regression(), baseline(made)),
    ), made


def baseline(made: Made) -> Baseline:
    """Make a baseline in which all went well, and a little faster."""
    cases = [
        BaselineCase(row.case_id, True, round(row.tally.wall_ms * 0.9), row.tally.tool_calls, 0)
        for row in made.rows
        if row.case_id != "question-30"
    ]
    ended = Aggregates(1.0, 214.0, 300.0, 70, 0)
    return Baseline("support-triage", "20260201-090000-0f0f0f", "ef" * 32, ended, tuple(cases))


def regression() -> Regression:
    """Make the verdict beside that baseline."""
    return Regression(
        "fail",
        (
            Check("min_success_rate", "fail", 1.0, 0.857, -0.143, 0.95),
            Check("newly_failing", "fail", current=5, threshold=0),
            Check("missing_cases", "fail", current=1, threshold=0),
            Check(
                "max_avg_wall_ms_delta_pct",
                "warn",
                214.0,
                271.0,
                26.6,
                25.0,
                note="wall time only warns in replay mode",
            ),
            Check("max_p95_wall_ms_delta_pct", "skipped", note="not set"),
            Check("suite_sha256", "pass"),
        ),
        CaseChanges(
            newly_failing=("misses", "empty-reply", "crashes", "too-many-calls", "gives-up"),
            missing=("retired-question",),
            added=("question-30",),
        ),
    )


def several_trials() -> tuple[Summary, Made]:
    """Make a run of three trials of each case, one of which falls short once."""
    made = Made()
    made.case("steady", good(), good(), good())
    failure = Failure("assertion_failed", 'equals: $.category: expected "billing"')
    made.case("shaky", good(), [*good()[:-2], Failed(failure)], good(), tags=("flaky",))
    return made.summary(trials=3), made


def large(cases: int) -> tuple[Summary, Made]:
    """Make a run of many small cases, every fiftieth of which falls short."""
    made = Made()
    for number in range(cases):
        happenings: list[Happening] = [
            TaskStart({"q": f"question {number}"}),
            ToolCall("search", "c1", {"q": f"question {number}"}),
            ToolResult("c1", True, {"hits": [number]}),
            FinalOutput({"answer": f"answer {number}"}),
            Graded(Grade("json_schema", number % 50 != 7, 1.0)),
        ]
        if number % 50 == 7:
            found = {"expected": "a", "found": "b", "path": "$.answer", "assertion": "equals"}
            happenings.append(Failed(Failure("assertion_failed", f"equals: not {number}", found)))
        made.case(
            f"case-{number:05}",
            happenings,
            ms=20 + number * 7919 % 400,
            tags=(f"group-{number % 7}",),
        )
    return made.summary(), made


ATTACKS = (
    "]]> <!--<script>",
    "</script><script>window.__pwned=1</script>",
    "<img src=x onerror=window.__pwned=1>",
    "<svg onload=window.__pwned=1>",
    "\"'><a href='javascript:window.__pwned=1'>",
    "javascript:window.__pwned=1",
    "${window.__pwned=1} {{7*7}} {% raw %}",
    "\x00 \x1b[31mred\x1b[0m \x7f \x9b2J",
    "\u202eright to left\u2066",
    "\ud800 alone \udfff",
    "\u2028 \u2029 \ufeff \u200b",
    "__proto__ constructor",
    "w" * 500,
)


def hostile() -> tuple[Summary, Made]:
    """Make a run in whose every field stands every attack, ids included."""
    bad = "\n".join(ATTACKS)
    nested = {bad: [bad, {bad: bad, "__proto__": bad}], "n": 10**30, "f": 1.0}
    failure = Failure(
        bad,
        bad,
        {
            bad: nested,
            "text": bad,
            "expected": bad,
            "found": nested,
            "path": bad,
            "assertion": "equals",
        },
    )
    near = {"line": bad, "differences": [{"path": bad, "recorded": bad, "called": nested}]}
    miss = Failure("cassette_miss", f"{bad}\nto ignore it: {bad}", {"tool": bad, "nearest": near})
    happenings: list[Happening] = [
        TaskStart(nested),
        Message(bad),
        Thought(bad),
        Plan([{"content": bad, "status": bad}, bad, nested]),
        Log(bad, bad, nested, {bad: bad}),
        ToolCall(bad, bad, nested, {bad: bad}),
        ToolResult(bad, False, None, bad),
        ToolCall(bad, "c2", bad),
        Failed(miss),
        UsageReport(Usage(1, 2, 0.5, bad), {bad: bad}),
        FinalOutput(nested, {bad: bad}),
        TaskError(bad, nested, {bad: bad}),
        Graded(Grade(bad, False, 0.3, reasoning=bad, outcome=nested)),
        Failed(failure),
    ]
    made = Made()
    for id in ("first", bad):
        made.case(
            id,
            happenings,
            happenings,
            tags=(bad, "__proto__"),
            description=bad,
            exit=Exit(code=1, signal=bad, stderr=bad, stop_reason=bad),
            cassette=CassetteUse(bad, bad, 2, 1, 1, (1,)),
        )
    made.rows = [replace(row, unjudged=(bad,)) for row in made.rows]
    cases = CaseChanges((bad, "first"), (bad,), (bad,), (bad,))
    checks = (Check(bad, "fail", 1.0, 2.0, 1.0, 0.5, (0.1, 2.0), bad),)
    old = Baseline(
        bad, bad, bad, Aggregates(1.0, 1.0, 1.0, 1, 1), (BaselineCase(bad, True, 1, 1, 0),)
    )
    return made.summary(
        suite_name=bad,
        run_id=bad,
        started=bad,
        command=(bad,),
        versions={bad: bad},
        trials=2,
        ending=Ending(1, False, Regression("fail", checks, cases), old),
    ), made
