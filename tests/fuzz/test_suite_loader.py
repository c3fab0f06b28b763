"""Whatever a user writes in a suite, it is loaded, or every finding says what and where."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.effort import BRIEFLY
from fuzz.mutations import changed, edited, written
from fuzz.refusals import MOST_CHARACTERS
from fuzz.scratch import ROOT, put, scratch
from runledger.errors import Finding, SuiteError, UnknownName
from runledger.ledger.value import Json
from runledger.store.lines import encode
from runledger.suite.experiment import load_experiment
from runledger.suite.load import load_prompts, load_suite
from runledger.suite.yaml_source import parse_yaml
from runledger.wire.messages import task_start

Loaded = TypeVar("Loaded")

EVALS = ROOT / "examples" / "evals"
BENCH = ROOT / "examples" / "bench"
EVERYTHING: Json = {
    "suite_name": "all",
    "agent_command": ["{python}", "agent.py"],
    "agent_protocol": "acp",
    "agent_reuse": False,
    "mode": "replay",
    "cases_path": "cases",
    "grace_ms": 2000,
    "tool_registry": ["search"],
    "tool_module": "tools.py",
    "tool_timeout_s": 30,
    "env": {"pass": ["MY_FLAG"], "set": {"MODE": "test"}},
    "assertions": [
        {"type": "required_fields", "fields": ["a.b", "c"]},
        {"type": "json_schema", "schema_path": "schema.json"},
        {"type": "must_call", "tools": ["search"]},
        {"type": "call_order", "order": ["search", "search"]},
        {"type": "tool_args", "tool": "search", "contains": {"q": "x"}},
        {"type": "call_count", "tool": "search", "min": 1, "max": 2},
        {"type": "contains", "path": "$.a.0", "text": "x"},
        {"type": "regex", "path": "a", "pattern": "(a+)+$"},
        {"type": "equals", "path": "a.b.0", "value": {"x": 1}},
        {"type": "script", "command": ["./judge.py"]},
    ],
    "budgets": {"max_wall_ms": 20000, "max_tool_calls": 10, "max_cost_usd": 0.1},
    "cassettes": {
        "order": "none",
        "unused": "fail",
        "match": {"search": {"ignore": ["$.id"], "replace": {"[0-9]+": "N"}, "match": "subset"}},
    },
    "regression": {"min_success_rate": 1.0, "max_avg_wall_ms_delta_pct": 25, "gate": "point"},
    "baseline_path": "baselines/all.json",
    "output_dir": ".agentci/runs",
    "proxies": {
        "model": {"env": "ANTHROPIC_BASE_URL", "upstream": "https://a.test", "profile": "generic"},
        "mcp": {"fs": {"command": ["server", "{workspace}"], "env": {"A": "b"}}},
    },
    "workspace": {"from": "cases"},
    "inject": [{"on": {"kind": "model", "nth": 2}, "do": {"status": 429}}],
    "permissions": "allow",
}
CASE: Json = {
    "id": "t1",
    "input": {"q": "x"},
    "cassette": "cassettes/t1.jsonl",
    "tags": ["a"],
    "description": "d",
    "expected": {"a": 1},
    "metadata": {"k": [1]},
    "timeout": 100,
    "assertions": [{"type": "contains", "text": "x"}],
    "budgets": {"max_tool_calls": 3},
}
FILES = {
    "cassettes/t1.jsonl": b"",
    "schema.json": b'{"type": "object"}',
    "tools.py": b"TOOLS = {}\n",
    "agent.py": b"",
}
SUITES = [file.read_bytes() for file in sorted(EVALS.glob("*/suite.yaml"))]
CASES = [file.read_bytes() for file in sorted(EVALS.glob("*/cases/*.yaml"))[:5]]
PLAIN_SUITES = [EVERYTHING, *map(yaml.safe_load, SUITES)]
PROMPTS = [(ROOT / "examples/capture/prompts.jsonl").read_bytes(), written(CASE)]
EXPERIMENT = (BENCH / "experiment.yaml").read_bytes()
TASKS = (BENCH / "tasks.jsonl").read_bytes()

SUITE_FILES = edited(SUITES) | changed(PLAIN_SUITES).map(written)
CASE_FILES = edited(CASES) | changed([CASE]).map(written)
MODES = st.sampled_from([None, "replay", "record", "live"])


def loaded(load: Callable[[], Loaded], folder: Path) -> Loaded | None:
    """Load what stands in a directory; what is refused must be refused with its place."""
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*")}
    try:
        return load()
    except SuiteError as error:
        check_places(error.findings)
        return None
    except UnknownName:
        return None
    finally:
        assert {file: file.stat().st_mtime_ns for file in folder.rglob("*")} == before


def check_places(findings: Sequence[Finding]) -> None:
    """See that every finding names a file, and no line that the file does not have."""
    assert findings
    for finding in findings:
        assert finding.file
        assert 0 < len(finding.message) < MOST_CHARACTERS
        assert finding.line is None or 1 <= finding.line <= lines_in(Path(finding.file))
        str(finding).encode()


def lines_in(file: Path) -> int:
    """Count the lines of a file, as editors do; each kind of break counts."""
    return len(file.read_bytes().decode("utf-8", "replace").splitlines()) + 1


def folder_with(**files: bytes) -> Path:
    """Lay out the suite's other files, and these."""
    folder = scratch("suites") / "suite"
    for name, content in FILES.items():
        if not (folder / name).exists():
            put(folder / name, content)
    put(folder / "suite.yaml", files.get("suite", SUITES[0]))
    put(folder / "cases" / "t1.yaml", files.get("case", CASES[0]))
    return folder


@BRIEFLY
@given(edited([*SUITES, *CASES]) | st.binary(max_size=60))
def test_any_bytes_are_yaml_or_are_refused(content: bytes) -> None:
    """What is read is a JSON value, which can be written and read again."""
    file = put(scratch("yaml") / "a.yaml", content)
    source = loaded(lambda: parse_yaml(content, str(file)), file.parent)
    if source is not None:
        assert json.loads(encode(source.value)) == source.value


@BRIEFLY
@given(SUITE_FILES, CASE_FILES, MODES)
@example(SUITES[0], written(CASE).replace(b'"x"', b"0x" + b"f" * 5000), None)  # not to be written
def test_a_suite_is_loaded_or_every_finding_has_its_place(
    suite: bytes, case: bytes, mode: object
) -> None:
    """What is loaded can be given to an agent; nothing is written meanwhile."""
    folder = folder_with(suite=suite, case=case)
    found = loaded(lambda: load_suite(folder, mode), folder)  # type: ignore[arg-type]
    for task in found.tasks if found else ():
        assert json.loads(task_start(task.id, task.input))["input"] == task.input
        encode([task.expected, task.metadata])


@BRIEFLY
@given(edited(PROMPTS) | st.lists(changed([CASE]).map(written), max_size=3).map(b"\n".join))
def test_prompts_are_loaded_or_every_finding_has_its_place(content: bytes) -> None:
    """A file of prompts is refused as a suite is."""
    file = put(scratch("prompts") / "prompts.jsonl", content)
    for task in loaded(lambda: load_prompts(str(file)), file.parent) or ():
        task_start(task.id, task.input)


@BRIEFLY
@given(
    edited([EXPERIMENT]) | changed([yaml.safe_load(EXPERIMENT)]).map(written),
    edited([TASKS]) | changed([*map(json.loads, TASKS.splitlines())]).map(written),
)
def test_an_experiment_is_loaded_or_every_finding_has_its_place(
    experiment: bytes, tasks: bytes
) -> None:
    """An experiment and its tasks are refused as a suite is."""
    folder = scratch("experiments") / "bench"
    put(folder / "tasks.jsonl", tasks)
    put(folder / "experiment.yaml", experiment)
    loaded(lambda: load_experiment(folder / "experiment.yaml", to_run=False), folder)
