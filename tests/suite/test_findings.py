"""What is wrong in a user's file is said in plain words: where, what was found, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from runledger.errors import SuiteError
from runledger.suite.load import load_suite
from suite.shelf import SUITE, Shelf


@pytest.mark.parametrize(
    ("more", "finding"),
    [
        ("tool_modul: t.py", "tool_modul: unknown key; did you mean tool_module?"),
        ("zzz: 1", "zzz: unknown key"),
        ("agent_reuse: yes", 'agent_reuse: must be true or false; found "yes"'),
        ("grace_ms: '12'", 'grace_ms: must be a whole number; found "12"; write a number, '),
        ("grace_ms: true", "grace_ms: must be a whole number; found true"),
        ("grace_ms: -1", "grace_ms: must be 0 or more; found -1"),
        ("grace_ms:", "grace_ms: is empty; it must be a whole number"),
        ("tool_timeout_s: 0", "tool_timeout_s: must be more than 0; found 0"),
        ("baseline_path: 12", "baseline_path: must be text; found 12; put it in quotes"),
        ("baseline_path: ''", 'baseline_path: must not be empty; found ""'),
        ("budgets: 3", "budgets: must be an object (keys with values); found 3"),
        ("budgets: {max_wall: 3}", "budgets.max_wall: unknown key; did you mean max_wall_ms?"),
        ("env: {pas: [A]}", "env.pas: unknown key; did you mean pass?"),
        ("env: {pass: A}", 'env.pass: must be a list; found "A"; write it in brackets: [ … ]'),
        ("env: {set: {A: 1}}", "env.set.A: must be text; found 1; put it in quotes"),
        ("env: {set: {'A=B': x}}", "env.set.A=B: is not the name of an environment variable"),
        ("regression: {min_success_rate: 2}", "regression.min_success_rate: must be 1 or less"),
        ("regression: {gate: points}", "regression.gate: must be point or statistical; found"),
        (
            "cassettes: {unused: fial}",
            'cassettes.unused: must be fail, warn or ignore; found "fial"; did you mean fail?',
        ),
        (
            "cassettes: {match: {search_docs: {ignoer: [a]}}}",
            "cassettes.match.search_docs.ignoer: unknown key; did you mean ignore?",
        ),
        (
            "assertions: [{type: must_cal, tools: [a]}]",
            'assertions.0: unknown type "must_cal"; did you mean must_call? (known: call_count, ',
        ),
        ("assertions: [{tools: [a]}]", "assertions.0: needs a type, one of call_count, "),
        ("assertions: [text]", "assertions.0: must be an object (keys with values); found"),
        ("assertions: {type: x}", "assertions: must be a list; found"),
        (
            "assertions: [{type: contains, text: x}, {type: must_call, tools: []}]",
            "assertions.1.tools: must not be an empty list; found []",
        ),
        ("assertions: [{type: contains, text: x, pat: y}]", "assertions.0.pat: unknown key; did"),
        ("assertions: [{type: required_fields}]", "assertions.0.fields: is missing"),
    ],
)
def test_a_wrong_value_is_one_plain_sentence(demo: Shelf, more: str, finding: str) -> None:
    """File, line, field, what it must be, what was found, and what was meant."""
    demo.add(f"{more}\n")

    assert demo.finding().startswith(f"evals/demo/suite.yaml:6: {finding}")


def test_an_unquoted_placeholder_is_recognised(demo: Shelf) -> None:
    """[{python}, agent.py] is an object in YAML, which surprises everybody once."""
    demo.write("suite.yaml", SUITE.replace("'{python}'", "{python}"))

    assert demo.finding().endswith("""put it in quotes: '{python}'""")


@pytest.mark.parametrize("name", ["a/b", "'.'", "'..'", "''", "'a b'", "x" * 101, "ä"])
def test_names_must_fit_file_names(demo: Shelf, name: str) -> None:
    """A suite's name and a case's id become names of files."""
    demo.write("suite.yaml", SUITE.replace("demo", name))
    demo.write("cases/t1.yaml", f"id: {name}\ninput: {{}}\ncassette: cassettes/t1.jsonl\n")

    case, suite = demo.findings()

    assert case.startswith("evals/demo/cases/t1.yaml:1: id: must be 1 to 100 of A-Z a-z 0-9 . _ -")
    assert suite.startswith("evals/demo/suite.yaml:1: suite_name: must be 1 to 100 of")


def test_everything_is_found_at_once(demo: Shelf) -> None:
    """Mistakes in the suite hide none in its cases, and none in the rest of the suite."""
    demo.write(
        "suite.yaml",
        """\
suite_name: demo
agent_command: ['{pyton}', 3]
mode: replya
cases_path: cases
tool_registry: [search_docs]
tool_registy: [search_docs]
assertions:
  - {type: requird_fields, fields: [a]}
  - {type: must_call, tools: [serch_docs]}
  - {type: contains, txt: x}
  - {type: regex, pattern: '('}
cassettes: {unused: fial, match: {search_docs: {replace: {'(a': b}}}}
""",
    )
    demo.write("cases/a.yaml", "id: 12\ninput: {}\ncassette: ../x.jsonl\n")
    demo.write("cases/b.yaml", "id: t1\ninput: text\n")
    demo.write("cases/c.yaml", "a: [\n")

    places = [line.split(" ")[0:2] for line in demo.findings()]

    assert places == [
        ["evals/demo/cases/a.yaml:1:", "id:"],
        ["evals/demo/cases/a.yaml:3:", "cassette:"],
        ["evals/demo/cases/b.yaml:2:", "input:"],
        ["evals/demo/cases/c.yaml:1:", "is"],
        ["evals/demo/cases/t1.yaml:1:", "id:"],
        ["evals/demo/suite.yaml:2:", "agent_command.1:"],
        ["evals/demo/suite.yaml:2:", "agent_command.0:"],
        ["evals/demo/suite.yaml:3:", "mode:"],
        ["evals/demo/suite.yaml:6:", "tool_registy:"],
        ["evals/demo/suite.yaml:8:", "assertions.0:"],
        ["evals/demo/suite.yaml:9:", "assertions.1.tools.0:"],
        ["evals/demo/suite.yaml:10:", "assertions.2.text:"],
        ["evals/demo/suite.yaml:10:", "assertions.2.txt:"],
        ["evals/demo/suite.yaml:11:", "assertions.3.pattern:"],
        ["evals/demo/suite.yaml:12:", "cassettes.unused:"],
        ["evals/demo/suite.yaml:12:", "cassettes.match.search_docs.replace.(a:"],
    ]


def test_missing_keys_are_named(demo: Shelf) -> None:
    """Each on the line where its object begins."""
    demo.write("suite.yaml", "\nmode: replay\n")

    assert demo.findings() == [
        "evals/demo/suite.yaml:2: suite_name: is missing",
        "evals/demo/suite.yaml:2: agent_command: is missing",
        "evals/demo/suite.yaml:2: cases_path: is missing",
    ]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("", "is empty; it needs suite_name, agent_command, cases_path"),
        ("- a\n", "must be an object with suite_name, agent_command, cases_path; found"),
        ("just text\n", "must be an object with"),
        ("a: [\n", "is not valid YAML: while parsing a flow node, did not find expected node"),
        ("a: &x 1\n", "anchors and aliases are not allowed; write the value out"),
    ],
)
def test_a_suite_that_is_no_suite_is_one_finding(demo: Shelf, text: str, finding: str) -> None:
    """Nothing more can be said about it, nor about its cases."""
    demo.write("suite.yaml", text)

    assert demo.finding().startswith(f"evals/demo/suite.yaml:1: {finding}")


def test_a_list_of_cases_in_one_file_is_pointed_to_json_lines(demo: Shelf) -> None:
    """One YAML file is one case."""
    demo.write("cases/t1.yaml", "- id: t1\n  input: {}\n")

    assert demo.finding().endswith("for many cases in one file use a .jsonl file")


def test_a_suite_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the place where it was looked for."""
    with pytest.raises(SuiteError) as caught:
        load_suite(tmp_path / "nope")

    assert f"no such suite: {tmp_path}/nope (looked for {tmp_path}/nope/suite.yaml)" in str(
        caught.value
    )


def test_a_directory_without_a_suite_is_named(demo: Shelf) -> None:
    """As the user would write it."""
    with pytest.raises(SuiteError) as caught:
        load_suite(Path("evals"))

    assert "no such suite: evals (looked for evals/suite.yaml)" in str(caught.value)


def test_a_name_too_long_for_the_system_is_a_finding() -> None:
    """Not a traceback."""
    with pytest.raises(SuiteError, match="cannot be read: File name too long"):
        load_suite(Path("x" * 5000))


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("{", "not JSON: "),
        ('{"id": "a", "id": "b", "input": {}}', "duplicate key 'id'"),
        ('{"id": "a", "input": {"x": NaN}}', "NaN is not JSON"),
        ('{"id": "a", "input": {"x": -Infinity}}', "-Infinity is not JSON"),
        ('{"id": "a", "input": {"x": 1e400}}', "the number 1e400 is too large"),
        ('{"id": "a", "input": {"x": ' + "9" * 5000 + "}}", "an integer has too many digits"),
        ("[" * 100_000, "nested too deeply"),
        ('{"id": "a", "input": {"x": ' + "[" * 300 + "]" * 300 + "}}", "nested too deeply"),
        ('{"id": "a", "input": {"x": "\\ud800"}}', "a \\ud… escape is half a character"),
        ("[1]", "must be an object with id, input; found [1]"),
        ('{"id": "a"}', "input: is missing"),
        ('{"id": 1, "input": {}}', "id: must be text; found 1; put it in quotes"),
        ('{"id": "t0", "input": {}}', "id: t0 is used in evals/demo/cases.jsonl:1 already"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(demo: Shelf, line: str, finding: str) -> None:
    """The other lines are checked all the same."""
    demo.write("cases.jsonl", f'{{"id": "t0", "input": {{}}}}\n\n{line}\n{{"id": "t9"}}\n')
    replaced = SUITE.replace("cases_path: cases", "cases_path: cases.jsonl")
    demo.write("suite.yaml", replaced.replace("mode: replay", "mode: live\ntool_module: my.tools"))

    found, last = demo.findings()

    assert found.startswith(f"evals/demo/cases.jsonl:3: {finding}")
    assert last == "evals/demo/cases.jsonl:4: input: is missing"
