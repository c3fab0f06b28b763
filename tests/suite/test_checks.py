"""What is well formed but cannot work is found before any agent starts."""

from __future__ import annotations

import re

import pytest

from runledger.errors import SuiteError
from runledger.ledger.permission import PermissionRule, Permissions
from runledger.suite.load import load_suite
from suite.shelf import CASE, SUITE, Shelf

JUDGED = "assertions:\n  - {type: json_schema, schema_path: s.json}\n"


# --- cases ---


def test_two_cases_with_one_id_name_both_places(demo: Shelf) -> None:
    """The second is where the finding points."""
    demo.write("cases/t2.yaml", "# the same\n" + CASE)

    assert demo.finding() == (
        "evals/demo/cases/t2.yaml:2: id: t1 is used in evals/demo/cases/t1.yaml:1 already"
    )


@pytest.mark.parametrize(
    ("path", "finding"),
    [
        ("none", "there is no evals/demo/none"),
        ("none.jsonl", "there is no evals/demo/none.jsonl"),
        ("suite.yaml", "must be a directory or a .jsonl file; found suite.yaml"),
        ("/etc", "must be relative to the suite's directory, not absolute; found /etc"),
        ("../demo/cases", "may not leave the suite's directory through ..; found ../demo/cases"),
    ],
)
def test_cases_that_are_not_there_are_named(demo: Shelf, path: str, finding: str) -> None:
    """On the line of cases_path."""
    demo.write("suite.yaml", SUITE.replace("cases_path: cases", f"cases_path: {path}"))

    assert demo.finding() == f"evals/demo/suite.yaml:4: cases_path: {finding}"


def test_a_directory_without_cases_is_named(demo: Shelf) -> None:
    """With the file that was perhaps meant."""
    (demo.root / "cases/t1.yaml").rename(demo.root / "cases/all.jsonl")

    assert demo.finding() == (
        "evals/demo/cases: holds no case (*.yaml or *.yml); "
        "to use all.jsonl, set cases_path: cases/all.jsonl"
    )


def test_an_empty_file_of_cases_is_named(demo: Shelf) -> None:
    """A gate over nothing would always pass."""
    demo.write("cases.jsonl", "\n\n")
    demo.write("suite.yaml", SUITE.replace("cases_path: cases", "cases_path: cases.jsonl"))

    assert demo.finding() == "evals/demo/cases.jsonl: holds no case"


def test_an_input_must_fit_the_protocol(demo: Shelf) -> None:
    """An agent on stdio gets an object."""
    demo.write("cases/t1.yaml", CASE.replace("{ticket: hello}", "a prompt"))

    assert demo.finding() == (
        "evals/demo/cases/t1.yaml:2: input: must be an object for the protocol stdio; "
        'found "a prompt"'
    )


# --- cassettes ---


def test_replay_needs_the_key(demo: Shelf) -> None:
    """A case without a cassette says which line to add."""
    demo.write("cases/t1.yaml", "id: t1\ninput: {}\n")

    assert demo.finding() == (
        "evals/demo/cases/t1.yaml:1: cassette: is missing, and mode replay needs it; "
        "add cassette: cassettes/t1.jsonl"
    )


def test_replay_needs_the_file(demo: Shelf) -> None:
    """A cassette that does not exist comes with the command that records it."""
    (demo.root / "cassettes/t1.jsonl").unlink()

    assert demo.finding() == (
        "evals/demo/cases/t1.yaml:3: cassette: there is no file evals/demo/cassettes/t1.jsonl; "
        "to record it: runledger run evals/demo --mode record --case t1"
    )


def test_a_directory_is_no_cassette(demo: Shelf) -> None:
    """Whatever its name."""
    demo.write("cases/t1.yaml", CASE.replace("cassettes/t1.jsonl", "cassettes"))

    assert demo.finding().endswith("cassette: evals/demo/cassettes is not a file")


def test_two_cases_may_not_record_to_one_cassette(demo: Shelf) -> None:
    """However they spell its path; replaying one cassette twice is fine."""
    demo.write("cases/t2.yaml", "id: t2\ninput: {}\ncassette: ./cassettes/t1.jsonl\n")
    demo.load()
    demo.add("tool_module: my.tools\n")

    assert demo.finding("record") == (
        "evals/demo/cases/t2.yaml:3: cassette: ./cassettes/t1.jsonl is used in "
        "evals/demo/cases/t1.yaml:3 already"
    )


def test_a_link_is_no_way_to_share_a_cassette(demo: Shelf) -> None:
    """Two names of one file are one cassette."""
    (demo.root / "cassettes/link.jsonl").symlink_to("t1.jsonl")
    demo.write("cases/t2.yaml", "id: t2\ninput: {}\ncassette: cassettes/link.jsonl\n")
    demo.add("tool_module: my.tools\n")

    assert "cassette: cassettes/link.jsonl is used in" in demo.finding("record")


# --- paths that climb out ---


@pytest.mark.parametrize("path", ["/etc/passwd", "../../x.jsonl", "cassettes/../../x"])
@pytest.mark.parametrize("key", ["cassette", "schema_path"])
def test_paths_may_not_leave_the_suite(demo: Shelf, key: str, path: str) -> None:
    """Neither from the root nor by climbing."""
    if key == "cassette":
        demo.write("cases/t1.yaml", CASE.replace("cassettes/t1.jsonl", path))
    else:
        demo.add_to_case(JUDGED.replace("s.json", path))

    assert re.search(rf"{key}: (must be relative|may not leave)", demo.finding())


@pytest.mark.parametrize("link", ["cassettes", "cassettes/t1.jsonl", "cases", "cases/t1.yaml"])
def test_symbolic_links_may_not_lead_out(demo: Shelf, link: str) -> None:
    """Neither a directory nor a file."""
    inside = demo.root / link
    outside = demo.root.parent / "elsewhere"
    inside.rename(outside)
    inside.symlink_to(outside)

    assert "symbolic link" in demo.finding()
    assert "out of the suite" in demo.finding()


def test_a_directory_link_in_a_circle_is_refused(demo: Shelf) -> None:
    """Walking it would never end."""
    (demo.root / "cases/again").symlink_to("../cases")

    assert demo.finding() == (
        "evals/demo/cases/again: is a symbolic link that leads back to itself"
    )


def test_a_link_to_nowhere_inside_is_just_missing(demo: Shelf) -> None:
    """As a file that is not there."""
    (demo.root / "cassettes/t1.jsonl").unlink()
    (demo.root / "cassettes/t1.jsonl").symlink_to("t2.jsonl")

    assert "there is no file evals/demo/cassettes/t1.jsonl" in demo.finding()


@pytest.mark.parametrize(
    ("more", "finding"),
    [
        ("tool_module: ../t.py", "tool_module: may not leave"),
        ("tool_module: /t.py", "tool_module: must be relative"),
        ("tool_module: my tools", "tool_module: must be a .py file or a dotted module name"),
        ("output_dir: /tmp/x", "output_dir: must be below the directory you run from"),
        ("output_dir: a/../../x", "output_dir: must be below the directory you run from"),
    ],
)
def test_the_suites_own_paths_are_confined(demo: Shelf, more: str, finding: str) -> None:
    """Each under its key."""
    demo.add(f"{more}\n")

    assert demo.finding().startswith(f"evals/demo/suite.yaml:6: {finding}")


def test_a_baseline_may_be_elsewhere(demo: Shelf) -> None:
    """It is only read."""
    demo.add("baseline_path: ../../baselines/demo.json\n")

    assert demo.load().baseline_path == "../../baselines/demo.json"


# --- schemas and patterns ---


def test_a_missing_schema_is_named_where_it_is_used(demo: Shelf) -> None:
    """With the place where it should be."""
    demo.add_to_case(JUDGED)

    assert demo.finding() == (
        "evals/demo/cases/t1.yaml:5: assertions.0.schema_path: "
        "there is no schema file evals/demo/s.json"
    )


@pytest.mark.parametrize(
    ("schema", "finding"),
    [
        ("{", "not JSON: "),
        ('{"a": 1, "a": 2}', "duplicate key 'a'"),
        ("3", "$: is not a valid JSON Schema: it must be an object, true or false"),
        ('{"type": "strin"}', "$.type: is not a valid JSON Schema: 'strin' is not valid"),
        (
            '{"properties": {"a": {"pattern": "(?=x)"}}}',
            "$.properties.a.pattern: is not a regular expression that RE2 knows",
        ),
        ('{"patternProperties": {"(": {}}}', "$.patternProperties: is not a regular expression"),
        ('{"$ref": "other.json"}', "$.$ref: refers to other.json; only references within"),
        ('{"$ref": "#/$defs/a"}', "$.$ref: refers to #/$defs/a, which is not in the file"),
        ('{"$ref": "#a"}', "$.$ref: refers to #a, but no $anchor in the file has that name"),
        (
            '{"properties": {"id": {"$ref": "#/$defs/a"}, "$anchor": {}}}',
            "$.properties.id.$ref: refers to #/$defs/a, which is not in the file",
        ),
    ],
)
def test_a_schema_that_cannot_be_used_is_found_once(demo: Shelf, schema: str, finding: str) -> None:
    """In its own file, however many assertions use it."""
    demo.write("s.json", schema)
    demo.add(JUDGED)
    demo.add_to_case(JUDGED)

    assert demo.finding().startswith(f"evals/demo/s.json: {finding}")


@pytest.mark.parametrize(
    "schema",
    [
        "true",
        '{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}',
        '{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}',
        '{"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}}',
        '{"$ref": "#/$defs/a~1b%25", "$defs": {"a/b%": {"$ref": "#"}}}',
        '{"$id": "https://a.example/s", "$ref": "s#/$defs/a", "$defs": {"a": {}}}',
        '{"pattern": "\\\\pL+\\\\z"}',
        '{"const": {"pattern": "(", "$ref": "x"}}',
        '{"properties": {"pattern": {"type": "string"}, "$ref": {"type": "string"}}}',
    ],
)
def test_schemas_that_work_are_taken(demo: Shelf, schema: str) -> None:
    """Other drafts, references within the file, patterns that only RE2 knows."""
    demo.write("s.json", schema)
    demo.add(JUDGED)

    assert demo.load()


def test_a_very_deep_schema_is_no_traceback(demo: Shelf) -> None:
    """The validator's recursion ends as a finding."""
    demo.write("s.json", '{"not": ' * 150 + "true" + "}" * 150)
    demo.add(JUDGED)

    assert "it is nested too deep" in demo.finding()


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a", "missing ): (a"),
        ("(?=a)", "look-ahead is not supported"),
        ("(?<!a)b", "look-behind is not supported"),
        (r"(a)\1", "back-references are not supported"),
        ("a{1,2000}", "a repetition may count to 1000 at most"),
    ],
)
def test_a_pattern_that_re2_cannot_run_says_why(
    demo: Shelf, pattern: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """In an assertion and in a cassette's rule; RE2 itself stays silent."""
    demo.add(
        f"assertions: [{{type: regex, pattern: '{pattern}'}}]\n"
        f"cassettes: {{match: {{search_docs: {{replace: {{'{pattern}': x}}}}}}}}\n"
    )

    judged, replaced = demo.findings()

    assert judged.startswith("evals/demo/suite.yaml:6: assertions.0.pattern: is not a regular")
    assert replaced.startswith("evals/demo/suite.yaml:7: cassettes.match.search_docs.replace.")
    assert reason in judged
    assert reason in replaced
    assert capfd.readouterr().err == ""


# --- assertions ---


@pytest.mark.parametrize(
    ("assertion", "finding"),
    [
        (
            "{type: tool_args, tool: search_docs}",
            ": needs exactly one of schema_path, equals, contains; found none of them",
        ),
        (
            "{type: tool_args, tool: search_docs, equals: {a: 1}, contains: {b: 1}}",
            ": needs exactly one of schema_path, equals, contains; found equals and contains",
        ),
        ("{type: call_count, tool: search_docs}", ": needs min or max"),
        ("{type: call_count, tool: search_docs, min: 3, max: 1}", ".min: min 3 is more than max 1"),
        (
            "{type: must_call, tools: [create_issue, serch_docs]}",
            ".tools.1: serch_docs is not in tool_registry, so this could never pass; "
            "did you mean search_docs?",
        ),
        ("{type: call_order, order: [zzz]}", ".order.0: zzz is not in tool_registry, so this"),
        ("{type: tool_args, tool: zzz, equals: {}}", ".tool: zzz is not in tool_registry"),
        ("{type: call_count, tool: zzz, min: 1}", ".tool: zzz is not in tool_registry"),
    ],
)
def test_an_assertion_that_could_never_pass_is_found(
    demo: Shelf, assertion: str, finding: str
) -> None:
    """In a case as in the suite."""
    demo.add_to_case(f"assertions:\n  - {assertion}\n")

    assert demo.finding().startswith(f"evals/demo/cases/t1.yaml:5: assertions.0{finding}")


@pytest.mark.parametrize(
    "assertion",
    ["{type: must_not_call, tools: [zzz]}", "{type: call_count, tool: zzz, max: 0}"],
)
def test_tools_that_must_not_be_called_may_be_unknown(demo: Shelf, assertion: str) -> None:
    """Such an assertion can pass."""
    demo.add_to_case(f"assertions:\n  - {assertion}\n")

    assert demo.load()


def test_without_a_registry_any_tool_may_be_awaited(demo: Shelf) -> None:
    """There is no list to compare with."""
    demo.write("suite.yaml", SUITE.replace("[search_docs, create_issue]", "[]"))
    demo.add_to_case("assertions:\n  - {type: must_call, tools: [zzz]}\n")

    assert demo.load()


# --- the agent ---


@pytest.mark.parametrize(
    ("command", "finding"),
    [
        ("['{pyton}', a]", "agent_command.0: unknown placeholder {pyton}; did you mean python?"),
        ("[a, '--x={work_space}/b']", "agent_command.1: unknown placeholder {work_space}; did"),
        ("['']", "agent_command.0: must be the program to start; found nothing"),
        ("[]", "agent_command: must not be an empty list; found []"),
    ],
)
def test_a_command_that_cannot_start_is_found(demo: Shelf, command: str, finding: str) -> None:
    """Before anything is started."""
    demo.write("suite.yaml", SUITE.replace("['{python}', agent.py]", command))

    assert demo.finding().startswith(f"evals/demo/suite.yaml:2: {finding}")


@pytest.mark.parametrize("word", ['{"a": 1}', "${home}", "{Name}", "{}", "{ print }", "{0}"])
def test_other_braces_are_left_alone(demo: Shelf, word: str) -> None:
    """Only a bare lower-case word in braces is a placeholder."""
    demo.write("suite.yaml", SUITE.replace("agent.py", f"'{word}', '{{suite}}'"))

    assert demo.load().agent.command[1] == word


def test_reuse_is_for_stdio_alone(demo: Shelf) -> None:
    """And not beside a workspace or proxies."""
    (demo.root / "repo").mkdir()
    demo.add(
        "agent_reuse: true\nagent_protocol: python\nworkspace: {from: repo}\n"
        "proxies: {mcp: {fs: {command: [x]}}}\n"
    )

    reuse = [line for line in demo.findings() if ":6: agent_reuse:" in line]

    assert [line.partition("agent_reuse: ")[2] for line in reuse] == [
        "works with agent_protocol stdio only, not with python",
        "cannot be used beside workspace",
        "cannot be used beside proxies",
    ]


# --- the agent's protocol ---


@pytest.mark.parametrize(
    ("more", "finding"),
    [
        (
            "agent_protocol: acp",
            "suite.yaml:3: mode: an agent of protocol acp calls tools of its own: use mode: live",
        ),
        ("agent_protocol: headless", "adapter: is missing, and agent_protocol headless needs it"),
        ("agent_protocol: python", "agent_command: must be one module:function"),
        ("adapter: claude", "suite.yaml:6: adapter: goes with agent_protocol headless only"),
        ("permissions: allow", "suite.yaml:6: permissions: goes with agent_protocol acp only"),
        (
            "agent_protocol: acp\npermissions: rules.yaml",
            "permissions: must be allow, reject or a file; there is no file",
        ),
        (
            "agent_protocol: acp\npermissions: ../rules.yaml",
            "suite.yaml:7: permissions: ",
        ),
    ],
)
def test_what_a_protocol_asks_for_must_be_there(demo: Shelf, more: str, finding: str) -> None:
    """And what only another protocol knows is refused."""
    demo.write("cases/t1.yaml", CASE.replace("{ticket: hello}", "{prompt: hello}"))
    demo.add(f"{more}\n")

    assert any(finding in line for line in demo.findings()), demo.findings()


def test_a_file_of_permissions_is_read_with_the_suite(demo: Shelf) -> None:
    """Its rules are in the settings of the agent."""
    demo.write("rules.yaml", "default: reject\nrules: [{tool: 'Read*', decision: allow}]\n")
    demo.write("cases/t1.yaml", CASE.replace("{ticket: hello}", "hello"))
    demo.add("agent_protocol: acp\npermissions: rules.yaml\n")

    permissions = load_suite(demo.root, "live").agent.permissions

    assert permissions == Permissions("reject", (PermissionRule("allow", "Read*"),))


def test_a_bad_file_of_permissions_names_its_line(demo: Shelf) -> None:
    """As every file that a user writes."""
    demo.write("rules.yaml", "default: reject\nrules:\n  - {tol: x, decision: allow}\n")
    demo.write("cases/t1.yaml", CASE.replace("{ticket: hello}", "hello"))
    demo.add("agent_protocol: acp\npermissions: rules.yaml\n")

    with pytest.raises(SuiteError, match=r"rules.yaml:3: rules.0.tol: unknown key"):
        load_suite(demo.root, "live")


# --- keys that ask for nothing ---


@pytest.mark.parametrize(
    "more",
    ["sandbox: none", "proxies: {}", "proxies: {model: [], mcp: {}}", "inject: []", "adapter:"],
)
def test_keys_that_ask_for_nothing_are_fine(demo: Shelf, more: str) -> None:
    """There is nothing to refuse."""
    demo.add(f"{more}\n")

    assert demo.load()


def test_a_sandbox_is_asked_for_by_its_name(demo: Shelf) -> None:
    """Whether there is one on this machine is found out when agents are to be started."""
    demo.add("sandbox: bwrap\n")

    assert demo.load().agent.sandbox == "bwrap"


@pytest.mark.parametrize("mode", ["record", "live"])
def test_modes_that_call_tools_need_them(demo: Shelf, mode: str) -> None:
    """The key to add comes first."""
    demo.write("suite.yaml", SUITE.replace("mode: replay", f"mode: {mode}"))

    assert demo.finding() == (
        "evals/demo/suite.yaml:1: tool_module: is missing; add the file that has the tools, "
        f"such as tool_module: tools.py (mode {mode})"
    )


def test_a_tool_module_must_be_there_to_be_called(demo: Shelf) -> None:
    """In replay nobody calls it, so there it may be missing."""
    demo.add("tool_module: tools.py\n")
    demo.load()

    assert demo.finding("record") == (
        "evals/demo/suite.yaml:6: tool_module: there is no file evals/demo/tools.py (mode record)"
    )


def test_built_in_tools_need_no_module(demo: Shelf) -> None:
    """A suite that names nothing else is complete."""
    demo.write("suite.yaml", SUITE.replace("[search_docs, create_issue]", "[mock_search_docs]"))

    assert demo.load("live").tools.names == ("mock_search_docs",)


def test_tools_of_servers_need_no_module(demo: Shelf) -> None:
    """An MCP server is where answers may come from, too."""
    demo.add("mcp_tools: {fs: {command: [mcp-fs, .], env: {A: b}}}\n")

    server = demo.load("live").tools.servers["fs"]

    assert (server.command, server.env) == (("mcp-fs", "."), {"A": "b"})
