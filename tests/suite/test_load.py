"""A sound suite becomes the nouns that the rest of the house works with."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from runledger.errors import SuiteError
from runledger.ledger.assertion import (
    CallCount,
    CallOrder,
    Contains,
    Equals,
    JsonSchema,
    MustCall,
    MustNotCall,
    Regex,
    RequiredFields,
    Script,
    ToolArgs,
)
from runledger.ledger.suite import AgentSettings, CassetteRules, MatchRule, Thresholds
from runledger.ledger.usage import Limits
from runledger.suite.check_cases import CaseRules
from runledger.suite.load import load_cases, load_suite
from suite.shelf import SUITE, Shelf

FULL = """\
# yaml-language-server: $schema=./.runledger/suite.schema.json
suite_name: support-triage            # [A-Za-z0-9._-]{1,100}, as are case ids
agent_command: ['{python}', agent.py] # see below for the placeholders
agent_protocol: stdio                 # stdio (default) | acp | headless | python
agent_reuse: false                    # true: one process serves many cases (section 4)
mode: replay                          # replay | record | live
cases_path: cases                     # a directory or one .jsonl file
tool_registry: [search_docs, create_issue]
tool_module: tools.py                 # file in the suite, or package.module
env: {pass: [MY_FLAG], set: {MODE: test}}
assertions:
  - {type: json_schema, schema_path: schema.json}
budgets: {max_wall_ms: 20000, max_tool_calls: 10, max_tool_errors: 0, max_cost_usd: 0.10}
cassettes: {order: none, unused: fail, match: {search_docs: {ignore: [$.request_id]}}}
regression:
  min_success_rate: 1.0
  max_avg_wall_ms_delta_pct: 25       # percent: 25 means +25 %
  max_p95_wall_ms_delta_pct: 50
baseline_path: ../baselines/support-triage.json
output_dir: .agentci/runs
"""


def test_the_suite_of_the_formats_loads(demo: Shelf) -> None:
    """Section 2 of the formats, with every file it names."""
    demo.write("suite.yaml", FULL)
    demo.write("schema.json", '{"type": "object"}')

    suite = demo.load()

    assert suite.name == "support-triage"
    assert suite.directory == str(demo.root)
    assert suite.agent == AgentSettings(
        command=("{python}", "agent.py"), env_pass=("MY_FLAG",), env_set={"MODE": "test"}
    )
    assert suite.mode == "replay"
    assert suite.tools.names == ("search_docs", "create_issue")
    assert suite.tools.module == "tools.py"
    rule = MatchRule(("$.request_id",))
    assert suite.cassettes == CassetteRules(unused="fail", match={"search_docs": rule})
    assert suite.thresholds == Thresholds(1.0, 25.0, 50.0)
    assert suite.baseline_path == "../baselines/support-triage.json"
    assert suite.output_dir == ".agentci/runs"
    assert suite.sha256 == sha256(FULL.encode()).hexdigest()


def test_a_short_suite_has_defaults(demo: Shelf) -> None:
    """What is not written has the value the formats name."""
    suite = demo.load()

    assert suite.thresholds is None
    assert suite.output_dir == ".agentci/runs"
    assert suite.agent.grace_ms == 2000
    assert suite.tools.timeout_s == 30.0
    assert suite.cassettes == CassetteRules()
    assert suite.tasks[0].limits == Limits()


def test_the_suite_file_itself_may_be_given(demo: Shelf) -> None:
    """The directory and its suite.yaml mean the same."""
    assert load_suite(demo.root / "suite.yaml") == load_suite(demo.root)


def test_a_case_becomes_a_task(demo: Shelf) -> None:
    """All that a case says is kept as it was given."""
    demo.add_to_case("expected: 42\ndescription: first\ntags: [a]\nmetadata: {area: x}\n")

    task = demo.load().tasks[0]

    assert (task.id, task.input, task.expected) == ("t1", {"ticket": "hello"}, 42)
    assert (task.description, task.tags, task.metadata) == ("first", ("a",), {"area": "x"})
    assert task.cassette == "cassettes/t1.jsonl"


def test_the_word_no_is_an_id_like_any_other(demo: Shelf) -> None:
    """YAML 1.1 would have made it false."""
    demo.write("cases/t1.yaml", "id: no\ninput: {}\ncassette: cassettes/t1.jsonl\n")

    assert demo.load().tasks[0].id == "no"


def test_case_budgets_go_over_the_suites_key_by_key(demo: Shelf) -> None:
    """A key the case does not write stays the suite's; one that is null is lifted."""
    demo.add("budgets: {max_wall_ms: 9000, max_tool_calls: 5, max_tool_errors: 1}\n")
    demo.add_to_case("budgets: {max_tool_calls: 2, max_tool_errors: null}\n")

    assert demo.load().tasks[0].limits == Limits(max_wall_ms=9000, max_tool_calls=2)


@pytest.mark.parametrize(
    ("more", "budget", "timeout"),
    [
        ("timeout: 700\n", None, 700),
        ("timeout: 99000\n", None, 99000),
        ("timeout: 700\nbudgets: {max_wall_ms: 800}\n", 800, None),
    ],
)
def test_a_timeout_stands_in_for_the_budget(
    demo: Shelf, more: str, budget: int | None, timeout: int | None
) -> None:
    """It goes over the suite's budget, and the case's own budget goes over it."""
    demo.add("budgets: {max_wall_ms: 9000}\n")
    demo.add_to_case(more)

    (task,) = demo.load().tasks

    assert (task.limits.max_wall_ms, task.timeout_ms) == (budget, timeout)


def test_case_assertions_come_after_the_suites(demo: Shelf) -> None:
    """The suite's apply to every case."""
    demo.add("assertions:\n  - {type: contains, text: a}\n")
    demo.add_to_case("assertions:\n  - {type: contains, text: b, path: $.x}\n")

    assert demo.load().tasks[0].assertions == (Contains("a"), Contains("b", "$.x"))


def test_every_assertion_becomes_its_noun(demo: Shelf) -> None:
    """All eleven types, and all three ways of tool_args."""
    demo.write("s.json", '{"type": "object"}')
    demo.add("""\
assertions:
  - {type: required_fields, fields: [a, b.c]}
  - {type: json_schema, schema_path: s.json}
  - {type: must_call, tools: [search_docs]}
  - {type: must_not_call, tools: [drop_table]}
  - {type: call_order, order: [search_docs, create_issue]}
  - {type: tool_args, tool: search_docs, equals: {q: [1]}}
  - {type: tool_args, tool: search_docs, contains: {q: 1}}
  - {type: tool_args, tool: search_docs, schema_path: s.json}
  - {type: call_count, tool: search_docs, min: 1, max: 2}
  - {type: regex, pattern: ^a+$, path: x}
  - {type: equals, path: x, value: null}
  - {type: script, command: [./judge.py, -v]}
""")
    schema = {"type": "object"}

    assert demo.load().tasks[0].assertions == (
        RequiredFields(("a", "b.c")),
        JsonSchema("s.json", schema),
        MustCall(("search_docs",)),
        MustNotCall(("drop_table",)),
        CallOrder(("search_docs", "create_issue")),
        ToolArgs("search_docs", equals={"q": [1]}),
        ToolArgs("search_docs", contains={"q": 1}),
        ToolArgs("search_docs", "s.json", schema),
        CallCount("search_docs", 1, 2),
        Regex("^a+$", "x"),
        Equals("x", None),
        Script(("./judge.py", "-v")),
    )


def test_a_schema_is_read_once_and_shared(demo: Shelf) -> None:
    """A thousand cases hold the same object."""
    demo.write("s.json", '{"type": "object"}')
    demo.add("assertions:\n  - {type: json_schema, schema_path: s.json}\n")
    demo.add_to_case("assertions:\n  - {type: json_schema, schema_path: s.json}\n")

    first, second = demo.load().tasks[0].assertions

    assert isinstance(first, JsonSchema)
    assert isinstance(second, JsonSchema)
    assert first.schema is second.schema


def test_cases_come_in_the_order_of_their_paths(demo: Shelf) -> None:
    """Nested files too, whatever order the disk gives them in, and no hidden ones."""
    for name in ("b/z.yaml", "b/a.yml", "a.yaml", "c.yaml", "b.yaml", ".hidden.yaml", ".x/y.yaml"):
        case = {"id": name.replace("/", "-"), "input": {}, "cassette": "cassettes/t1.jsonl"}
        demo.write(f"cases/{name}", json.dumps(case))
    demo.write("cases/notes.md", "not a case")

    ids = [task.id for task in demo.load().tasks]

    assert ids == ["a.yaml", "b.yaml", "b-a.yml", "b-z.yaml", "c.yaml", "t1"]


def test_the_suite_file_is_no_case(demo: Shelf) -> None:
    """Cases may lie beside suite.yaml."""
    (demo.root / "cases/t1.yaml").rename(demo.root / "t1.yaml")
    demo.write("suite.yaml", SUITE.replace("cases_path: cases", "cases_path: ."))

    assert [task.id for task in demo.load().tasks] == ["t1"]


def test_cases_may_be_json_lines(demo: Shelf) -> None:
    """Blank lines and Windows line ends do no harm, nor does a byte order mark."""
    lines = [
        json.dumps({"id": f"t{n}", "input": {"text": "a\u2028b"}, "cassette": "cassettes/t1.jsonl"})
        for n in range(3)
    ]
    demo.write("cases.jsonl", b"\xef\xbb\xbf" + "\r\n\r\n".join(lines).encode() + b"\r\n")
    demo.write("suite.yaml", SUITE.replace("cases_path: cases", "cases_path: cases.jsonl"))

    assert [task.id for task in demo.load().tasks] == ["t0", "t1", "t2"]


def test_symbolic_links_within_the_suite_are_fine(demo: Shelf) -> None:
    """Only those that lead out are refused."""
    (demo.root / "more").mkdir()
    demo.write("more/t2.yaml", "id: t2\ninput: {}\ncassette: tapes/t1.jsonl\n")
    (demo.root / "cases/more").symlink_to("../more")
    (demo.root / "tapes").symlink_to("cassettes")

    assert [task.id for task in demo.load().tasks] == ["t2", "t1"]


def test_prompts_load_without_a_suite(tmp_path: Path) -> None:
    """Lines of prompts.jsonl are tasks; no mode and no protocol is assumed."""
    line = {"id": "p1", "input": ["one", "two"], "reference": "r", "timeout": 50}
    (tmp_path / "prompts.jsonl").write_text(json.dumps(line))

    (task,) = load_cases(tmp_path, "prompts.jsonl")

    assert (task.input, task.reference, task.timeout_ms) == (["one", "two"], "r", 50)


def test_cases_alone_may_be_given_rules(demo: Shelf) -> None:
    """What a suite would say comes as an argument."""
    rules = CaseRules(assertions=(Contains("a"),), limits=Limits(max_tool_calls=1))

    (task,) = load_cases(demo.root, "cases", rules)

    assert task.assertions == (Contains("a"),)
    assert task.limits.max_tool_calls == 1


def test_cases_alone_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """The path is named."""
    with pytest.raises(SuiteError, match="there is no"):
        load_cases(tmp_path, "cases")


def test_the_mode_of_the_command_line_goes_over_the_suites(demo: Shelf) -> None:
    """A suite written for live use can be replayed."""
    demo.write("suite.yaml", SUITE.replace("mode: replay", "mode: live"))

    assert demo.load("replay").mode == "replay"
