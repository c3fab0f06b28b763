"""The acceptance criteria of the original backlog, tasks 1 to 16, each a test of its own."""

from __future__ import annotations

import json
import os
import shutil
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from kit import ECHO, entry, runledger, write_suite
from runledger import load_cases, load_suite
from runledger.errors import AgentError, CassetteMiss, SuiteError
from runledger.ledger.event import FinalOutput, ToolCall, ToolResult
from runledger.ledger.fingerprint import canonical_dumps
from runledger.process.supervisor import Launch, Supervisor
from runledger.store.cassette.load import load_cassette
from runledger.store.replay.player import Player
from runledger.suite.document import CaseConfig, SuiteConfig
from runledger.wire import messages

EXAMPLES = Path(__file__).parents[2] / "examples"
DEMO = EXAMPLES / "evals" / "demo"
REGRESSION = EXAMPLES / "evals" / "regression"

SUITE = {
    "suite_name": "demo",
    "agent_command": ["python", "agent.py"],
    "mode": "replay",
    "cases_path": "cases",
    "tool_registry": ["search_docs"],
    "assertions": [{"type": "required_fields", "fields": ["category"]}],
    "budgets": {"max_wall_ms": 1000},
}
CASE = {"id": "t1", "input": {"ticket": "hello"}, "cassette": "cassettes/t1.jsonl"}


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """Give a copy of the demo suite and its agent, to be edited at will."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path / "examples" / "evals" / "demo"


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """Give a supervisor that ends everything at the end of the test."""
    with Supervisor() as supervisor:
        yield supervisor


def test_task_01_the_console_script_is_installed() -> None:
    """Installing the package gives a command named runledger."""
    (script,) = entry_points(group="console_scripts", name="runledger")

    assert callable(script.load())


@pytest.mark.parametrize("words", [("--help",), ()])
def test_task_01_help_works_with_and_without_asking(tmp_path: Path, words: tuple[str]) -> None:
    """`runledger --help` and bare `runledger` print the help, without an exception."""
    done = runledger(*words, cwd=tmp_path)

    assert done.code == 0
    assert "Usage: runledger" in done.out
    assert "Traceback" not in done.out + done.err


def test_task_02_an_invalid_suite_gives_a_clear_error(tmp_path: Path) -> None:
    """A missing required field is named, with the file it is missing from."""
    (tmp_path / "suite.yaml").write_text("suite_name: demo\n")

    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path)
    assert "suite.yaml" in str(caught.value)
    assert "agent_command" in str(caught.value)


def test_task_02_valid_documents_are_accepted() -> None:
    """Plain dictionaries of the documented form are valid documents."""
    suite = SuiteConfig.model_validate(SUITE)
    case = CaseConfig.model_validate(CASE)

    assert (suite.suite_name, case.id) == ("demo", "t1")


def test_task_03_the_demo_loads_without_ambiguity() -> None:
    """The suite and its cases are found, with paths relative to the suite."""
    suite = load_suite(DEMO)

    assert suite.name == "demo"
    assert suite.tasks[0].id == "t1"
    assert suite.tasks[0].cassette == "cassettes/t1.jsonl"


def test_task_03_cases_load_in_the_same_order_each_time(tmp_path: Path) -> None:
    """The order is that of the sorted file names, however the directory lists them."""
    suite = write_suite(tmp_path, ECHO)
    for id in ("b", "a", "d", "c"):
        suite.case(id)

    orders = [[task.id for task in load_cases(tmp_path, "cases")] for _ in range(3)]
    assert orders == [["a", "b", "c", "d"]] * 3


def test_task_04_the_reader_gives_typed_messages_or_a_structured_error() -> None:
    """A line becomes a noun, or an error that shows the line and says where logs belong."""
    line = b'{"type":"tool_call","name":"a","call_id":"1","args":{}}'

    assert messages.parse(line) == ToolCall("a", "1", {})
    with pytest.raises(AgentError, match="print logs to stderr, not stdout") as caught:
        messages.parse(b"starting up...")
    assert caught.value.kind == "protocol_error"
    assert caught.value.details["line"] == "starting up..."


def test_task_04_the_writer_writes_one_object_a_line() -> None:
    """Messages to the agent are whole lines, even when their texts hold newlines."""
    for line in (
        messages.task_start("t1", {"text": "two\nlines"}),
        messages.tool_result(ToolResult("c1", ok=True, result="two\nlines")),
    ):
        assert line.count(b"\n") == 1
        assert line.endswith(b"\n")
        assert isinstance(json.loads(line), dict)


def test_task_05_an_agent_is_started_and_stopped_cleanly(supervisor: Supervisor) -> None:
    """A process that waits for input is ended, and reaped."""
    child = supervisor.start(
        Launch([sys.executable, "-c", "import signal; signal.pause()"], "/", dict(os.environ))
    )

    assert child.end(5).signal == "SIGTERM"
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


def test_task_05_an_early_exit_is_reported_with_the_end_of_stderr(tmp_path: Path) -> None:
    """A crash tells its exit status and what the agent wrote last."""
    agent = "read(); print('out of memory', file=sys.stderr); sys.exit(3)"
    write_suite(tmp_path / "suite", agent).case("t1")
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 1
    assert done.failure_types("t1") == ["agent_exited_early"]
    assert "exited with status 3" in done.message("t1")
    assert "out of memory" in done.out


def test_task_05_a_silent_agent_times_out(tmp_path: Path) -> None:
    """The time-out has the words of the original, and the case is an error."""
    suite = write_suite(tmp_path / "suite", "read(); signal.pause()", grace_ms=100)
    suite.case("t1", budgets={"max_wall_ms": 300})
    done = runledger("run", "suite", cwd=tmp_path)

    assert "case timeout waiting for agent message" in done.message("t1")
    assert done.failure_types("t1") == ["timeout", "budget_exceeded"]
    assert done.case("t1")["status"] == "error"


def test_task_06_the_same_arguments_have_the_same_canonical_text() -> None:
    """Key order makes no difference; list order and number types do."""
    assert canonical_dumps({"b": [2, 1], "a": {"d": 1, "c": "é"}}) == (
        '{"a":{"c":"é","d":1},"b":[2,1]}'
    )
    assert canonical_dumps({"n": 1}) != canonical_dumps({"n": 1.0})


def test_task_07_a_miss_is_precise(tmp_path: Path) -> None:
    """Tool, canonical arguments and the recorded entries are in the message."""
    path = tmp_path / "t1.jsonl"
    path.write_text(json.dumps(entry("search", {}, q="dogs", limit=3)) + "\n")
    player = Player(load_cassette(path))

    with pytest.raises(CassetteMiss) as caught:
        player.tool("search", {"q": "cats", "limit": 3})
    message = str(caught.value)
    assert 'search {"limit":3,"q":"cats"}' in message
    assert "$.q" in message
    assert '{"limit":3,"q":"dogs"}' in message


def test_task_07_matching_is_exact(tmp_path: Path) -> None:
    """Equal arguments in another key order match; nearly equal ones do not."""
    path = tmp_path / "t1.jsonl"
    path.write_text(json.dumps(entry("search", "found", a=1, b=2)) + "\n")

    assert Player(load_cassette(path)).tool("search", {"b": 2, "a": 1}).result == "found"
    with pytest.raises(CassetteMiss):
        Player(load_cassette(path)).tool("search", {"a": 1.0, "b": 2})


def test_task_08_a_working_agent_passes_with_structured_results(tmp_path: Path) -> None:
    """Task, tool call, answer and output are in the result."""
    write_suite(tmp_path / "suite", ECHO).case("t1", [entry("search", "found", q="t1")])
    done = runledger("run", "suite", cwd=tmp_path)

    result = json.loads((done.run / "results.jsonl").read_text())
    assert done.code == 0
    assert result["output"] == {"answer": "found"}
    assert [step["name"] for step in result["trajectory"]] == ["search"]
    assert result["status"] == "passed"


def test_task_08_a_tool_that_is_not_registered_is_refused(tmp_path: Path) -> None:
    """The failure has the original's words."""
    agent = "task = read(); call('delete_all')"
    write_suite(tmp_path / "suite", agent).case("t1")
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 1
    assert done.failure_types("t1") == ["tool_not_allowed"]
    assert "tool not allowed" in done.message("t1")


def test_task_08_a_mismatch_fails_the_same_way_each_time(tmp_path: Path) -> None:
    """The same miss gives the same failure."""
    write_suite(tmp_path / "suite", ECHO).case("t1", [entry("search", "found", q="other")])
    first, second = (runledger("run", "suite", cwd=tmp_path / name) for name in _twice(tmp_path))

    assert first.code == second.code == 1
    assert first.failure_types("t1") == ["cassette_miss"]
    assert first.case("t1")["failures"] == second.case("t1")["failures"]


def _twice(tmp_path: Path) -> Iterator[str]:
    for name in ("one", "two"):
        shutil.copytree(tmp_path / "suite", tmp_path / name / "suite")
        yield name


def test_task_09_a_failing_schema_is_readable(demo: Path) -> None:
    """Path, expectation and finding are in the message."""
    schema = json.loads((demo / "schema.json").read_text())
    schema["properties"]["category"] = {"type": "integer"}
    (demo / "schema.json").write_text(json.dumps(schema))
    done = runledger("run", demo, "--case", "t1", cwd=demo.parent)

    assert done.code == 1
    assert "$.category" in done.message("t1")
    assert "integer" in done.message("t1")


def test_task_09_a_missing_field_is_named(tmp_path: Path) -> None:
    """The failure says which field is missing and which there are."""
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case(
        "t1",
        [entry("search", "found", q="t1")],
        assertions=[{"type": "required_fields", "fields": ["category"]}],
    )
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.failure_types("t1") == ["assertion_failed"]
    assert "category" in done.message("t1")
    assert "answer" in done.message("t1")


def test_task_10_the_artifacts_exist_and_hold_what_they_should(tmp_path: Path) -> None:
    """The event log has its events, with time and case; the JUnit file shows the failure."""
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case("good", [entry("search", "found", q="good")]).case("poor")
    done = runledger("run", "suite", cwd=tmp_path)

    types = [event["type"] for event in done.events if event.get("case_id") == "good"]
    assert types == ["task_start", "tool_call", "tool_result", "final_output", "case_end"]
    assert all(event["ts"].endswith("Z") for event in done.events)
    junit = ET.parse(done.run / "junit.xml")
    failures = {case.get("name"): case.find("failure") for case in junit.iter("testcase")}
    assert failures["good"] is None
    assert "no recorded answer" in failures["poor"].get("message", "")  # type: ignore[union-attr]
    assert done.code == 1


def test_task_11_the_example_passes_and_prints_where_it_wrote(tmp_path: Path) -> None:
    """The summary names the run directory."""
    done = runledger("run", DEMO, cwd=tmp_path)

    assert done.code == 0
    assert str(done.run.relative_to(tmp_path)) in done.out


def test_task_11_one_case_can_be_chosen(tmp_path: Path) -> None:
    """`--case t1` runs only that case."""
    done = runledger("run", DEMO, "--case", "t1", cwd=tmp_path)

    assert done.code == 0
    assert [case["id"] for case in done.summary["cases"]] == ["t1"]


def test_task_12_the_demo_passes_again_and_again(tmp_path: Path) -> None:
    """The demo needs nothing but itself."""
    codes = [runledger("run", DEMO, cwd=tmp_path).code for _ in range(2)]

    assert codes == [0, 0]


def test_task_12_a_schema_that_requires_more_fails_the_demo(demo: Path) -> None:
    """A new required field is a schema failure."""
    schema = json.loads((demo / "schema.json").read_text())
    schema["required"].append("confidence")
    (demo / "schema.json").write_text(json.dumps(schema))
    done = runledger("run", demo, cwd=demo.parent)

    assert done.code == 1
    assert "json_schema" in done.message("t1")
    assert "confidence" in done.message("t1")


def test_task_13_the_whole_slice_passes_and_a_regression_fails(tmp_path: Path) -> None:
    """The demo's artifacts have their keys; the suite that fails on purpose gives 1."""
    good = runledger("run", DEMO, "--case", "t1", cwd=tmp_path / ".")
    keys = {"schema_version", "run_id", "suite_name", "mode", "status", "totals", "cases"}

    assert good.code == 0
    assert keys <= good.summary.keys()
    (tmp_path / "again").mkdir()
    assert runledger("run", REGRESSION, cwd=tmp_path / "again").code == 1


def test_task_14_many_cases_are_added_up_in_a_stable_order(tmp_path: Path) -> None:
    """Totals are right, and the order is the suite's, whatever finishes first."""
    agent = """
        task = read()
        answer = call("search", q=task["input"]["q"])
        if not answer["ok"]:
            call("search", "c2", q="again")
        send("final_output", output={})
    """
    suite = write_suite(tmp_path / "suite", agent)
    failed = {"tool": "search", "args": {"q": "c2"}, "ok": False, "error": "down"}
    suite.case("c1", [entry("search", "x", q="c1")])
    suite.case("c2", [failed, entry("search", "x", q="again")])
    suite.case("c3").case("c4", [entry("search", "x", q="c4")])
    done = runledger("run", "suite", "-j", "4", cwd=tmp_path)

    totals = done.summary["totals"]
    assert [case["id"] for case in done.summary["cases"]] == ["c1", "c2", "c3", "c4"]
    assert (totals["cases"], totals["passed"], totals["failed"]) == (4, 3, 1)
    assert totals["success_rate"] == 0.75
    assert (totals["tool_calls"], totals["tool_errors"]) == (5, 1)
    assert all(case["wall_ms"] > 0 for case in done.summary["cases"])
    assert totals["wall_ms"] > 0


@pytest.mark.parametrize(
    ("budgets", "named"),
    [
        ({"max_tool_calls": 0}, "max_tool_calls"),
        ({"max_tool_errors": 0}, "max_tool_errors"),
        ({"max_tokens_out": 10}, "max_tokens_out"),
        ({"max_cost_usd": 0.01}, "max_cost_usd"),
    ],
)
def test_task_15_a_budget_that_is_too_low_fails_every_time(
    tmp_path: Path, budgets: dict[str, float], named: str
) -> None:
    """Each budget has a failure of its own type, beside what else is wrong."""
    agent = """
        task = read()
        call("search", q="x")
        send("usage", tokens_out=11, cost_usd=0.02)
        send("final_output", output={})
    """
    suite = write_suite(tmp_path / "suite", agent)
    failing = {"tool": "search", "args": {"q": "x"}, "ok": False, "error": "down"}
    wanted = [{"type": "required_fields", "fields": ["category"]}]
    suite.case("t1", [failing], budgets=budgets, assertions=wanted)
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 1
    assert done.failure_types("t1") == ["budget_exceeded", "assertion_failed"]
    assert done.case("t1")["failures"][0]["details"]["budget"] == named


def test_task_16_an_agent_that_skips_a_tool_call_fails(tmp_path: Path) -> None:
    """The regressed example agent is caught by must_call."""
    done = runledger("run", REGRESSION, cwd=tmp_path)
    messages = [one["message"] for case in done.summary["cases"] for one in case["failures"]]

    assert done.code == 1
    assert any(message.startswith("must_call") for message in messages)


def test_task_16_order_and_absence_of_calls_are_judged(tmp_path: Path) -> None:
    """must_not_call and call_order fail as they should."""
    suite = write_suite(tmp_path / "suite", ECHO, tool_registry=["search", "create"])
    suite.case(
        "t1",
        [entry("search", "found", q="t1")],
        assertions=[
            {"type": "must_not_call", "tools": ["search"]},
            {"type": "call_order", "order": ["search", "create"]},
        ],
    )
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.failure_types("t1") == ["assertion_failed", "assertion_failed"]
    assert "must_not_call" in done.message("t1")
    assert "call_order" in done.message("t1")


def test_the_final_output_of_the_demo_agent_is_typed() -> None:
    """The protocol's nouns are what drivers give."""
    assert isinstance(messages.parse(b'{"type":"final_output","output":{}}'), FinalOutput)
