"""runledger schemas: a JSON Schema for every format, and every real file keeps to its own."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from kit import ECHO, entry, runledger, write_suite
from runledger.harness.schemas import known_schemas, schema_of
from runledger.ledger.event import Happening
from runledger.ledger.run import Totals
from runledger.suite.adapter_document import AdapterConfig
from runledger.suite.document import CaseConfig, Document, SuiteConfig
from runledger.suite.experiment_document import ExperimentConfig, TaskConfig
from runledger.suite.permissions import PermissionsConfig
from runledger.suite.profile_document import ProfileConfig
from runledger.suite.yaml_source import read_yaml

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
EXAMPLES = ROOT / "examples" / "evals"

EXPERIMENT: dict[str, Any] = {
    "experiment_name": "lens-context",
    "tasks": "tasks.jsonl",
    "trials": 1,
    "agent": {
        "command": ["claude", "--model", "sonnet"],
        "protocol": "headless",
        "adapter": "claude",
        "cwd": "../target-repo",
        "workspace": "shared",
        "timeout_s": 1800,
    },
    "common": {
        "disallowed_tools": ["Task", "mcp__lens__get_context"],
        "forbid": {"tools": ["mcp__lens__*"]},
        "prompt_suffix": "report.md",
    },
    "conditions": {
        "without": {"baseline": True, "forbid": {"prompt": ["lens_context"]}},
        "with": {
            "prompt_prefix": {
                "command": ["lens", "context", "{prompt}"],
                "tag": "lens_context",
                "timeout_s": 60,
            },
            "expect": {"prompt": ["<lens_context>"]},
        },
    },
    "order": {"seed": 20260215, "parallel_tasks": 1},
    "retries": {"max_attempts": 3, "min_bytes": 1, "patterns": ["(?i)rate limit"]},
    "scoring": {
        "points": {"met": 1.0, "partial": 0.5, "missed": 0.0},
        "round_to": 5,
        "complete_at": 80,
        "judges": [{"id": "j1", "command": ["./judge.py"]}],
    },
    "discard": {"max": 4},
    "analysis": {"cluster": "metadata.repo", "level": 0.95},
    "gates": [{"metric": "score", "min_difference": 0}],
    "output_dir": "bench",
}
TASK = {
    "id": "t1",
    "input": "Where is the router?",
    "judge_criteria": ["names router.ts", {"id": "c2", "text": "x", "check": {"contains": "x"}}],
}
STEP = {"type": "message", "content": "x", "timestamp": 1, "stepId": "a-step-1"}
CAPTURE = {
    "id": "a",
    "input": "q",
    "output": "x",
    "trajectory": [STEP],
    "metadata": {},
    "timing": {"start": 1, "end": 2},
    "toolErrors": False,
}
ENTRY = {"trialNum": 1, "output": "x", "trajectory": [STEP], "duration": 5}
GOOD: dict[str, Any] = {
    "experiment": EXPERIMENT,
    "task": TASK,
    "PromptCase": {"id": "a", "input": ["first", "second"], "reference": "x", "timeout": 1000},
    "TrajectoryStep": STEP,
    "CaptureResult": CAPTURE,
    "TrialEntry": ENTRY,
    "TrialResult": {"id": "a", "input": "q", "k": 1, "trials": [ENTRY]},
    "SummaryResult": {"id": "a", "input": "q", "output": "x", "toolCalls": ["R"], "duration": 1},
    "GraderResult": {"pass": True, "score": 1, "outcome": {"files": 1}},
    "GraderQuestion": {
        "input": "q",
        "output": {"a": 1},
        "expected": None,
        "trajectory": [STEP],
        "metadata": {},
        "cwd": ".",
    },
    "JudgeQuestion": {
        "task": {"id": "t", "input": "q"},
        "criterion": {"id": "c", "text": "x"},
        "output": "x",
    },
    "JudgeVerdict": {"verdict": "met", "quote": "x"},
    "McpServerConfig": {"name": "fs", "command": "server", "args": ["."], "env": {"A": "b"}},
    "permissions": {"default": "reject", "rules": [{"decision": "allow", "tool": "Read*"}]},
    "profile": {
        "name": "mine",
        "version": 1,
        "rules": [{"path": "metadata.*", "pattern": "x+", "replace": "[x-{n}]"}],
    },
    "BalanceAnalysis": {
        "schema_version": 1,
        "key": "category",
        "threshold": 50.0,
        "totalCases": 1,
        "categories": [{"name": "ui", "count": 1, "percentage": 100.0}],
        "missing": 0,
        "underrepresented": [],
        "suggestions": [],
    },
    "ValidationResult": {
        "id": "a",
        "input": "q",
        "reference": "x",
        "passes": True,
        "graderResult": {"pass": True, "score": 1.0},
    },
    "cassette": {"tool": "search", "args": {"q": 1}, "ok": False, "error": {"code": 1}},
}


@cache
def validator(name: str) -> Draft202012Validator:
    """Give the validator of a format."""
    return Draft202012Validator(schema_of(name))


def problems(name: str, document: Any) -> list[str]:
    """List what a document breaks of its schema."""
    return [f"{one.json_path}: {one.message}" for one in validator(name).iter_errors(document)]


def lines_of(path: Path) -> list[Any]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("name", known_schemas())
def test_every_schema_is_one(name: str) -> None:
    """Each is valid, says its dialect and what it is, and refers to nothing outside itself."""
    schema = schema_of(name)

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"]
    assert schema["description"]
    references = json.dumps(schema).split('"$ref": "')[1:]
    assert all(one.startswith("#/$defs/") for one in references)
    assert {one.split('"')[0].split("/")[2] for one in references} <= set(schema.get("$defs", ()))


@pytest.mark.parametrize("name", GOOD)
def test_a_document_of_the_formats_is_valid(name: str) -> None:
    """As the formats show it."""
    assert problems(name, GOOD[name]) == []


@pytest.mark.parametrize("run", ["baseline", "demo", "regression"])
def test_the_files_of_runs_are_valid(run: str) -> None:
    """The golden files, which are compared with real ones byte for byte."""
    for line in lines_of(GOLDEN / run / "results.jsonl"):
        assert problems("result", line) == []
        assert problems("CaptureResult", line) == []
    assert problems("summary", json.loads((GOLDEN / run / "summary.json").read_text())) == []


def test_the_files_of_a_real_run_are_valid(tmp_path: Path) -> None:
    """Its manifest, each event of its log, its results, its baseline and the comparison with it."""
    agent = ECHO + 'send("log", level="info", message="x")\nsend("usage", tokens_out=3)\n'
    suite = write_suite(tmp_path / "suite", agent, assertions=[{"type": "contains", "text": "1"}])
    suite.case("a", [entry("search", 1, q="a")]).case("b", description="fails", tags=["t"])
    first = runledger("run", "suite", "-k", "2", cwd=tmp_path)
    promoted = ["baseline", "promote", "--from", "latest", "--to", "b.json", "--allow-failing"]
    assert runledger(*promoted, cwd=tmp_path).code == 0
    compared = runledger(
        "diff", "--baseline", "b.json", "--run", "latest", "--format", "json", cwd=tmp_path
    )
    again = runledger("run", "suite", "--baseline", "b.json", cwd=tmp_path)
    run = next(path for path in again.runs if path not in first.runs)

    for path in (*first.runs, run):
        assert problems("manifest", json.loads((path / "manifest.json").read_text())) == []
        assert problems("summary", json.loads((path / "summary.json").read_text())) == []
        for name, file in (("event", "run.jsonl"), ("result", "results.jsonl")):
            for line in lines_of(path / file):
                assert problems(name, line) == []
    assert problems("baseline", json.loads((tmp_path / "b.json").read_text())) == []
    assert problems("regression", json.loads(compared.out)) == []
    seen = {event["type"] for event in lines_of(run / "run.jsonl")}
    assert {"run_start", "tool_call", "tool_result", "failure", "case_end", "run_end"} <= seen


PROMPTS = (
    '{"id":"a","input":"one","expected":"x","reference":"x","metadata":{"category":"ui"}}\n'
    '{"id":"b","input":"two","reference":"y"}\n'
)
GRADER = """
def grade(output, input):
    return {"pass": input == "one", "score": 0.5, "reasoning": "r", "outcome": {"n": 1}}
"""


def test_what_the_commands_of_captures_write_is_valid(tmp_path: Path) -> None:
    """Captures, trials, their views and comparisons, made with a real program."""
    (tmp_path / "p.jsonl").write_text(PROMPTS)
    (tmp_path / "g.py").write_text(GRADER)
    grader = ["-g", "g.py"]
    agent = [*grader, "--protocol", "headless", "--adapter", "text", "--", "cat"]

    def said(*words: str, code: int = 0) -> str:
        done = runledger(*words, cwd=tmp_path)
        assert done.code == code, done.err
        return done.out

    (tmp_path / "c.jsonl").write_text(said("capture", "p.jsonl", *agent))
    (tmp_path / "t.jsonl").write_text(said("trials", "p.jsonl", "-k", "2", *agent))
    lines = {
        "CaptureResult": (tmp_path / "c.jsonl").read_text(),
        "TrialResult": (tmp_path / "t.jsonl").read_text(),
        "SummaryResult": said("summarize", "c.jsonl") + said("summarize", "t.jsonl"),
        "ValidationResult": said("validate-refs", "p.jsonl", *grader, code=1),
    }
    two = said("compare", "c.jsonl", "t.jsonl", "--format", "json")
    three = said("compare", "c.jsonl", "t.jsonl", "c.jsonl", "--format", "json")

    for name, text in lines.items():
        assert len(text.splitlines()) >= 2
        assert [problems(name, json.loads(line)) for line in text.splitlines()] == [
            [] for _ in text.splitlines()
        ]
    assert problems("comparison", json.loads(two)) == []
    assert problems("comparison", json.loads(three)) == []
    assert problems("comparison", changed(json.loads(two), "metrics", 0, "verdict", to="best"))
    assert problems("BalanceAnalysis", json.loads(said("balance", "p.jsonl"))) == []
    for path in tmp_path.glob(".agentci/runs/*/*"):
        assert problems("manifest", json.loads((path / "manifest.json").read_text())) == []
        assert problems("summary", json.loads((path / "summary.json").read_text())) == []
        for name, file in (("event", "run.jsonl"), ("result", "results.jsonl")):
            assert [problems(name, line) for line in lines_of(path / file)] == [
                [] for _ in lines_of(path / file)
            ]


def user_files() -> Iterator[tuple[str, Path]]:
    """Find the files that users write, in the examples and beside the adapters."""
    for path in sorted(EXAMPLES.glob("*/suite.yaml")):
        yield "suite", path
    for path in sorted(EXAMPLES.glob("*/cases/*.yaml")):
        yield "case", path
    for path in sorted((ROOT / "src/runledger/suite/adapters").glob("*.json")):
        yield "adapter", path


@pytest.mark.parametrize(
    ("name", "path"), [*user_files()], ids=lambda one: getattr(one, "stem", one)
)
def test_the_files_that_users_write_are_valid(name: str, path: Path) -> None:
    """Suites and cases of the examples, and the adapters that come with RunLedger."""
    document = read_yaml(path, path.name).value

    assert problems(name, document) == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/cassettes/*.jsonl")), ids=lambda p: p.stem)
def test_the_cassettes_of_the_examples_are_valid(path: Path) -> None:
    """Every line of them."""
    assert [problems("cassette", line) for line in lines_of(path)] == [[]] * len(lines_of(path))


@pytest.mark.parametrize(
    "line",
    [
        {"v": 1, "kind": "header", "agent": {"name": "claude"}, "salt": "x"},
        {"v": 1, "kind": "blob", "id": "b3f1", "value": []},
        {"v": 1, "kind": "mcp", "server": "fs", "req": {"method": "x"}, "resp": {"result": {}}},
        {
            "v": 1,
            "kind": "model",
            "req": {"method": "POST", "path": "/v1/messages", "body": {"tools": {"$blob": "b"}}},
            "resp": {"status": 200, "headers": {}, "sse": ["x"], "t": [0, 14]},
        },
    ],
)
def test_every_kind_of_cassette_line_is_known(line: dict[str, Any]) -> None:
    """The lines of version 1 as the formats show them; without their keys they are refused."""
    assert problems("cassette", line) == []
    assert problems("cassette", {**line, "kind": "tape"})
    assert problems("cassette", {**line, "v": 2})


PROXIED = {
    "suite_name": "s",
    "agent_command": ["claude"],
    "cases_path": "cases",
    "proxies": {
        "model": {"env": "URL", "upstream": "https://a.example", "key_env": "KEY"},
        "mcp": {"fs": {"command": ["server", "{workspace}"], "env": {"A": "b"}}},
    },
    "workspace": {"from": "repo", "home": "caller"},
    "inject": [{"on": {"kind": "model", "nth": 2}, "do": {"status": 429, "delay_ms": 5}}],
}


def test_proxies_workspaces_and_faults_are_in_the_schema_of_a_suite() -> None:
    """One model API alone, or several in a list."""
    several = changed(PROXIED, "proxies", "model", to=[PROXIED["proxies"]["model"]])  # type: ignore[index]

    for document in (PROXIED, several):
        assert problems("suite", document) == []
        SuiteConfig.model_validate(document)


def changed(document: Any, *path: str | int, to: Any) -> Any:
    """Give a document with another value at a place; `...` takes the key out."""
    document = copy.deepcopy(document)
    holder = document
    for step in path[:-1]:
        holder = holder[step]
    if to is ...:
        del holder[path[-1]]
    else:
        holder[path[-1]] = to
    return document


SUITE = {"suite_name": "s", "agent_command": ["a"], "cases_path": "cases"}
WRONG: list[tuple[str, Any]] = [
    ("suite", {**SUITE, "suitename": 1}),
    ("suite", {**SUITE, "suite_name": "a/b"}),
    ("suite", {**SUITE, "suite_name": ".."}),
    ("suite", {**SUITE, "agent_command": []}),
    ("suite", {**SUITE, "agent_command": ["a\0b"]}),
    ("suite", {**SUITE, "mode": "Replay"}),
    ("suite", {**SUITE, "budgets": {"max_cost": 1}}),
    ("suite", {**SUITE, "env": {"pass": ["A=B"]}}),
    ("suite", {**SUITE, "env": {"set": {"A=B": "x"}}}),
    ("suite", {**SUITE, "assertions": [{"type": "must_cal", "tools": ["a"]}]}),
    ("suite", {**SUITE, "assertions": [{"type": "contains", "text": "x", "more": 1}]}),
    ("suite", {**SUITE, "proxies": {"mcp": {"a b": {"command": ["x"]}}}}),
    ("suite", {**SUITE, "proxies": {"model": {"env": "A"}}}),
    ("suite", {**SUITE, "workspace": {"form": "x"}}),
    ("suite", {**SUITE, "inject": [{"on": {"kind": "model"}, "do": {"status": 200}}]}),
    ("case", {"id": "a"}),
    ("case", {"id": "a", "input": {}, "inject": [{"on": {"nth": 1}, "do": {}}]}),
    ("case", {"id": "a", "input": 1}),
    ("case", {"id": "a", "input": []}),
    ("PromptCase", {"id": "a", "input": "x", "timeout": 0}),
    ("task", changed(TASK, "judge_criteria", to=[{"text": "x"}])),
    ("task", changed(TASK, "judge_criteria", 1, "check", to={"matches": "x"})),
    ("experiment", {**EXPERIMENT, "condition": {}}),
    ("experiment", changed(EXPERIMENT, "agent", "command", to="claude")),
    ("experiment", changed(EXPERIMENT, "conditions", "with", to=...)),
    ("experiment", changed(EXPERIMENT, "conditions", "with", "prefix", to={})),
    ("experiment", changed(EXPERIMENT, "conditions", "a/b", to={})),
    ("experiment", changed(EXPERIMENT, "gates", 0, "metric", to="speed")),
    ("permissions", {"default": "ask"}),
    ("profile", {"name": "mine", "rules": []}),
    ("profile", {"name": "mine", "version": 0, "rules": []}),
    ("profile", {"name": "mine", "version": 1, "rules": [{"pattern": "x"}]}),
    ("profile", {"name": "mine", "version": 1, "rules": [{"pattern": "", "replace": ""}]}),
    ("McpServerConfig", {"name": "fs", "command": ["server"]}),
    ("McpServerConfig", {"name": "fs", "command": "server", "arg": []}),
    ("adapter", {"name": "x"}),
    ("TrajectoryStep", {**STEP, "type": "shout"}),
    ("TrajectoryStep", changed(STEP, "content", to=...)),
    ("TrajectoryStep", {**STEP, "type": "tool_call"}),
    ("TrajectoryStep", {**STEP, "type": "plan", "entries": {}}),
    ("CaptureResult", changed(CAPTURE, "timing", "end", to=...)),
    ("CaptureResult", changed(CAPTURE, "toolErrors", to="no")),
    ("CaptureResult", changed(CAPTURE, "trajectory", 0, "timestamp", to=...)),
    ("CaptureResult", {**CAPTURE, "score": {"pass": 1, "score": 1}}),
    ("result", CAPTURE),
    ("SummaryResult", changed(GOOD["SummaryResult"], "toolCalls", to="Read")),
    ("TrialResult", changed(GOOD["TrialResult"], "passRate", to=1.5)),
    ("TrialResult", changed(GOOD["TrialResult"], "trials", 0, "trialNum", to=0)),
    ("GraderResult", {"pass": "yes", "score": 1}),
    ("GraderResult", {"pass": True, "score": 1.01}),
    ("GraderQuestion", changed(GOOD["GraderQuestion"], "cwd", to=...)),
    ("JudgeVerdict", {"verdict": "perhaps"}),
    ("JudgeQuestion", changed(GOOD["JudgeQuestion"], "criterion", "id", to=...)),
    ("BalanceAnalysis", changed(GOOD["BalanceAnalysis"], "schema_version", to=2)),
    ("ValidationResult", changed(GOOD["ValidationResult"], "reference", to=...)),
    ("cassette", {"tool": "x", "args": {}, "ok": True}),
    ("cassette", {"tool": "x", "args": {}, "ok": True, "result": 1, "extra": 1}),
    ("cassette", {"tool": "x", "args": [], "ok": False}),
    ("comparison", {"schema_version": 1}),
    ("comparison", {"schema_version": 1, "comparisons": []}),
]


@pytest.mark.parametrize(
    ("name", "document"), WRONG, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_wrong_key_or_value_is_refused(name: str, document: Any) -> None:
    """Unknown keys where users write, missing and ill-shaped ones everywhere."""
    assert problems(name, document)


MODELS: dict[str, type[Document]] = {
    "suite": SuiteConfig,
    "case": CaseConfig,
    "PromptCase": CaseConfig,
    "task": TaskConfig,
    "experiment": ExperimentConfig,
    "permissions": PermissionsConfig,
    "profile": ProfileConfig,
    "adapter": AdapterConfig,
}


@pytest.mark.parametrize("name", MODELS)
def test_a_document_and_its_schema_are_of_one_mind(name: str) -> None:
    """What one takes the other takes, and what one refuses the other refuses."""
    if name in GOOD:
        MODELS[name].model_validate(GOOD[name])
    for document in [document for kind, document in WRONG if kind == name]:
        with pytest.raises(ValidationError):
            MODELS[name].model_validate(document)


WRITTEN: list[tuple[str, Callable[[], Any], tuple[str | int, ...], Any]] = [
    ("summary", lambda: json.loads((GOLDEN / "baseline/summary.json").read_text()), path, to)
    for path, to in [
        (("status",), "fine"),
        (("totals", "success_rate"), 2),
        (("cases", 0, "status"), "skipped"),
        (("cases", 0, "failures"), None),
        (("regression", "verdict"), "maybe"),
        (("regression", "checks", 0, "ci"), [1]),
    ]
] + [
    (
        "baseline",
        lambda: json.loads((EXAMPLES / "library/baselines/library.json").read_text()),
        path,
        to,
    )
    for path, to in [
        (("aggregates", "tool_calls"), -1),
        (("cases", 0, "passed"), 1),
        (("suite_name",), ...),
    ]
]


@pytest.mark.parametrize(("name", "read", "path", "to"), WRITTEN)
def test_a_fault_planted_in_a_real_file_is_found(
    name: str, read: Callable[[], Any], path: tuple[str | int, ...], to: Any
) -> None:
    """The file itself is valid, and it may hold keys that a later version adds."""
    document = read()

    assert problems(name, {**document, "of_a_later_version": 1}) == []
    assert problems(name, changed(document, *path, to=to))


def test_the_schema_of_events_knows_what_can_happen() -> None:
    """Every noun of a trajectory, and the beginning and end of a run."""
    known = set(schema_of("event")["properties"]["type"]["enum"])

    assert {one.type for one in get_args(Happening)} | {"run_start", "run_end", "case_end"} == known


def test_the_schema_of_summaries_knows_every_total() -> None:
    """A figure that is added to the noun is added to the schema."""
    totals = schema_of("summary")["properties"]["totals"]

    assert set(Totals.__slots__) == set(totals["required"]) == set(totals["properties"])


def test_all_schemas_are_listed(tmp_path: Path) -> None:
    """One line each: the name, and what it is."""
    done = runledger("schemas", cwd=tmp_path)

    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == known_schemas()
    assert "CaptureResult     A line of `capture`" in done.out


@pytest.mark.parametrize("words", [["CaptureResult"], ["captureresult", "--json"]])
def test_one_schema_is_printed(tmp_path: Path, words: list[str]) -> None:
    """With --json or without it, and in any case."""
    done = runledger("schemas", *words, cwd=tmp_path)

    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == schema_of("CaptureResult")


def test_a_schema_goes_to_a_file(tmp_path: Path) -> None:
    """-o names it."""
    done = runledger("schemas", "TrialResult", "--json", "-o", "t.json", cwd=tmp_path)

    assert (done.code, done.out) == (0, "")
    assert json.loads((tmp_path / "t.json").read_text()) == schema_of("TrialResult")


def test_all_schemas_are_one_document(tmp_path: Path) -> None:
    """--json gives them by their names."""
    done = runledger("schemas", "--json", cwd=tmp_path)

    assert json.loads(done.out) == {name: schema_of(name) for name in known_schemas()}


def test_all_schemas_are_files(tmp_path: Path) -> None:
    """--split writes one each, into a directory that is made."""
    done = runledger("schemas", "--json", "--split", "-o", "a/b", cwd=tmp_path)
    files = {path.name: json.loads(path.read_text()) for path in (tmp_path / "a/b").iterdir()}

    assert done.code == 0
    assert files == {f"{name}.schema.json": schema_of(name) for name in known_schemas()}


def test_what_cannot_be_done_is_told(tmp_path: Path) -> None:
    """An unknown name has its nearest one; files need a directory, which may not be a file."""
    (tmp_path / "file").write_text("")
    unknown = runledger("schemas", "CaptureResults", cwd=tmp_path)
    nowhere = runledger("schemas", "--split", cwd=tmp_path)
    blocked = runledger("schemas", "--split", "-o", "file", cwd=tmp_path)

    assert unknown.code == 2
    assert "did you mean CaptureResult?" in unknown.err
    assert nowhere.code == 2
    assert "-o DIR" in nowhere.err
    assert blocked.code == 3
    assert "could not make file" in blocked.err
