"""An experiment that loads: what its file says, what it leaves to defaults, what a run keeps."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runledger.errors import SuiteError, UsageError
from runledger.ledger.criterion import Criterion
from runledger.ledger.experiment import (
    Condition,
    Experiment,
    ExperimentGate,
    JudgeProgram,
    Marks,
    Prefix,
    Retries,
    Scoring,
    baseline_of,
    others_of,
)
from runledger.store.protocol import PROTOCOL, protocol_text
from runledger.suite.experiment import load_experiment
from runledger.suite.experiment_conditions import DEFAULT_SUFFIX
from suite.bench_shelf import DROP, Bench

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "bench"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Make a sound experiment in bench/lens, below the current directory."""
    monkeypatch.chdir(tmp_path)
    return Bench(tmp_path / "bench" / "lens")


def keep(experiment: Experiment, directory: Path, seed: int = 99) -> Path:
    """Keep the protocol of an experiment in the directory of a run."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / PROTOCOL).write_text(protocol_text(experiment.protocol, seed, lambda value: value))
    return directory


def test_the_example_of_the_contract_loads(bench: Bench) -> None:
    """Every key of formats.md's experiment is understood and settled."""
    bench.write("report.md", "Report what you did.\n")
    bench.write("judge.py", "#!/usr/bin/env python3\n").chmod(0o755)
    (bench.root.parent / "target-repo").mkdir()
    bench.document = {
        "experiment_name": "lens-context",
        "tasks": "tasks.jsonl",
        "trials": 2,
        "agent": {
            "command": ["claude", "--model", "sonnet"],
            "protocol": "headless",
            "adapter": "claude",
            "cwd": "../target-repo",
            "workspace": "git-worktree",
            "timeout_s": 1800,
            "env": {"pass": ["KEY"], "set": {"MODE": "test"}},
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
                    "command": ["cat", "{prompt}"],
                    "tag": "lens_context",
                    "timeout_s": 30,
                },
                "expect": {"prompt": ["<lens_context>"]},
            },
        },
        "order": {"seed": 20260215, "parallel_tasks": 2},
        "retries": {"max_attempts": 5, "min_bytes": 9, "patterns": ["(?i)rate limit"]},
        "scoring": {
            "points": {"met": 1.0, "partial": 0.25, "missed": 0.0},
            "round_to": 1,
            "complete_at": 70,
            "judges": [{"id": "j1", "command": ["./judge.py"]}],
        },
        "discard": {"max": 6},
        "analysis": {"cluster": "metadata.repo", "level": 0.9},
        "gates": [{"metric": "score", "min_difference": 0}],
        "output_dir": "results",
    }
    bench.change_task("metadata", {"repo": "a"})

    found = bench.load()

    assert (found.name, found.file) == ("lens-context", "bench/lens/experiment.yaml")
    assert found.directory == str(bench.root)
    assert found.cwd == str(bench.root.parent / "target-repo")
    assert (found.workspace, found.timeout_s, found.trials) == ("git-worktree", 1800, 2)
    assert found.agent.command == ("claude", "--model", "sonnet")
    assert found.agent.adapter is not None
    assert (found.agent.env_pass, found.agent.env_set) == (("KEY",), {"MODE": "test"})
    assert (found.seed, found.parallel_tasks) == (20260215, 2)
    assert found.retries == Retries(5, 9, ("(?i)rate limit",))
    assert found.scoring == Scoring(
        {"met": 1.0, "partial": 0.25, "missed": 0.0}, 1, 70, (JudgeProgram("j1", ("./judge.py",)),)
    )
    assert (found.most_discards, found.cluster, found.level) == (6, "metadata.repo", 0.9)
    assert found.gates == (ExperimentGate("score", min_difference=0),)
    assert (found.output_dir, found.warnings) == ("results", ())
    disallowed, forbidden = ("Task", "mcp__lens__get_context"), ("mcp__lens__*",)
    assert baseline_of(found) == Condition(
        "without",
        baseline=True,
        disallowed_tools=disallowed,
        forbid=Marks(tools=forbidden, prompt=("lens_context",)),
        suffix="Report what you did.\n",
    )
    assert others_of(found) == (
        Condition(
            "with",
            disallowed_tools=disallowed,
            expect=Marks(prompt=("<lens_context>",)),
            forbid=Marks(tools=forbidden),
            prefix=Prefix(("cat", "{prompt}"), "lens_context", 30),
            suffix="Report what you did.\n",
        ),
    )


def test_a_short_experiment_has_the_defaults_of_the_contract(bench: Bench) -> None:
    """Seed 004 sections 1, 4 and 7: three attempts, 80 % for completion, four discards."""
    bench.change("order", DROP)

    found = bench.load()

    assert (found.trials, found.seed, found.parallel_tasks) == (1, None, 1)
    assert (found.workspace, found.timeout_s, found.cwd) == ("shared", 1800, str(bench.root))
    assert found.retries == Retries(3, 1, ())
    assert found.scoring == Scoring({"met": 1.0, "partial": 0.5, "missed": 0.0}, 5, 80, ())
    assert (found.most_discards, found.cluster, found.level) == (4, None, 0.95)
    assert found.output_dir == "bench"


def test_a_file_of_any_name_can_be_loaded(bench: Bench) -> None:
    """A directory may hold several experiments over the same tasks."""
    other = bench.root / "other.yaml"
    (bench.root / "experiment.yaml").rename(other)

    assert load_experiment(other).file == "bench/lens/other.yaml"


def test_that_there_is_no_experiment_is_told(tmp_path: Path) -> None:
    """The message names the files that were looked for."""
    with pytest.raises(SuiteError, match=r"no such experiment.*experiment\.yaml.*protocol\.yaml"):
        load_experiment(tmp_path)


def test_what_is_common_comes_before_a_conditions_own(bench: Bench) -> None:
    """Lists are joined in order, each name once."""
    bench.change("common.expect", {"tools": ["Read", "Grep"]})
    bench.change("conditions.with.expect", {"tools": ["Bash", "Read"], "prompt": ["<lens>"]})
    bench.change("conditions.with.disallowed_tools", ["Write", "Task"])

    without, having = bench.load().conditions

    assert having.expect.tools == ("Read", "Grep", "Bash")
    assert having.disallowed_tools == ("Task", "Write")
    assert without.expect.tools == ("Read", "Grep")
    assert without.disallowed_tools == ("Task",)


def test_a_condition_replaces_or_drops_the_common_prefix_and_suffix(bench: Bench) -> None:
    """Its own goes before what is common; null drops it; else it is inherited."""
    bench.write("all.md", "all\n")
    bench.write("own.md", "own\n")
    prefix = {"command": ["cat"], "tag": "all"}
    bench.change("common.prompt_prefix", prefix).change("common.prompt_suffix", "all.md")
    bench.change("conditions.with.prompt_suffix", "own.md")
    bench.change("conditions.none", {"prompt_prefix": None, "prompt_suffix": None})

    without, having, none = bench.load().conditions

    assert (without.prefix, without.suffix) == (Prefix(("cat",), "all"), "all\n")
    assert having.prefix is not None
    assert (having.prefix.tag, having.suffix) == ("lens", "own\n")
    assert (none.prefix, none.suffix) == (None, "")


def test_without_a_suffix_the_agent_is_asked_three_questions(bench: Bench) -> None:
    """Seed 004 section 3: total tool calls, files read, and key findings as bullets."""
    suffixes = {one.suffix for one in bench.load().conditions}

    assert suffixes == {DEFAULT_SUFFIX}
    lines = DEFAULT_SUFFIX.splitlines()
    assert {"Total tool calls made: <number>", "Files read: <number>", "Key findings:"} < set(lines)
    assert lines[-1].startswith("- ")


@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_file_is_no_suffix(bench: Bench, content: str) -> None:
    """Whoever wants no questions says so."""
    bench.write("none.md", content)
    bench.change("common.prompt_suffix", "none.md")

    assert {one.suffix for one in bench.load().conditions} == {""}


def test_objects_without_a_prompt_are_asked_no_questions(bench: Bench) -> None:
    """There is no text after which the default suffix could be put."""
    bench.change("agent", {"command": ["{python}", "agent.py"], "protocol": "stdio"})
    bench.change("common", DROP).change("conditions", {"a": {"baseline": True}, "b": None})
    bench.change_task("input", {"ticket": "hello"})

    assert {one.suffix for one in bench.load().conditions} == {""}
    bench.add_task(id="t2", input={"prompt": "hello"})
    assert {one.suffix for one in bench.load().conditions} == {DEFAULT_SUFFIX}


def test_criteria_are_numbered_or_named(bench: Bench) -> None:
    """Seed 004 section 4: a text is a criterion named by its place; an object names itself."""
    checks = [
        "first",
        {"id": "x", "text": "second", "check": {"contains": "here"}},
        {"id": "y", "text": "third", "check": {"regex": "h.re"}},
        "fourth",
    ]
    bench.change_task("judge_criteria", checks)

    (task,) = bench.load().tasks

    assert task.criteria == (
        Criterion("c1", "first"),
        Criterion("x", "second", contains="here"),
        Criterion("y", "third", regex="h.re"),
        Criterion("c4", "fourth"),
    )
    assert [one.has_check for one in task.criteria] == [False, True, True, False]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["{python}", "agent.py"], ["{python}", "{here}/agent.py"]),
        (
            ["{python}", "-u", "agent.py", "agent.py"],
            ["{python}", "-u", "{here}/agent.py", "agent.py"],
        ),
        (["./agent.py", "--fast"], ["{here}/agent.py", "--fast"]),
        (["agent.py"], ["agent.py"]),
        (["node", "{suite}/agent.mjs"], ["node", "{suite}/agent.mjs"]),
        (["./elsewhere.py"], ["./elsewhere.py"]),
    ],
)
def test_a_script_beside_the_experiment_is_found_from_anywhere(
    bench: Bench, command: list[str], expected: list[str]
) -> None:
    """The agent works in another directory than the one its command was written for."""
    bench.write("agent.py", "")
    bench.change("agent.command", command)

    assert list(bench.load().agent.command) == [
        word.replace("{here}", str(bench.root)) for word in expected
    ]


def test_the_adapter_of_a_known_program_need_not_be_named(bench: Bench) -> None:
    """As on the command line, claude is read by the adapter of its name."""
    bench.change("agent.adapter", DROP)

    adapter = bench.load().agent.adapter

    assert adapter is not None
    assert adapter.name == "claude"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gates": DROP}, "there are no gates, so there will be no verdict"),
        ({"gates": []}, "there are no gates, so there will be no verdict"),
        ({"analysis": {"cluster": "metadata.repo"}}, "tasks without metadata.repo are clusters"),
    ],
)
def test_what_is_odd_is_a_warning(bench: Bench, changes: dict[str, Any], words: str) -> None:
    """It can be run all the same."""
    for path, value in changes.items():
        bench.change(path, value)

    (warning,) = bench.load().warnings
    assert words in warning


@pytest.mark.parametrize("count", [1, 6])
def test_few_or_many_criteria_are_a_warning(bench: Bench, count: int) -> None:
    """Seed 004 section 4: each task has 2 to 5 criteria."""
    bench.change_task("judge_criteria", [f"fact {n}" for n in range(count)])
    bench.add_task(id="t2")

    assert bench.load().warnings == (f"2 to 5 criteria are expected of a task; found t1 ({count})",)


@pytest.mark.parametrize(
    ("key", "value"),
    [("assertions", [{"type": "contains", "text": "x"}]), ("cassette", "cassettes/t1.jsonl")],
)
def test_what_only_suites_use_is_a_warning(bench: Bench, key: str, value: Any) -> None:
    """Tasks may be lines of a suite, too; nothing is ignored in silence."""
    bench.change_task(key, value)

    found = bench.load()

    assert found.warnings == (f"{key} of a task do nothing in an experiment; found in t1",)
    assert (found.tasks[0].assertions, found.tasks[0].cassette) == ((), None)


def test_warnings_about_many_tasks_are_short(bench: Bench) -> None:
    """The first five are named, the rest is counted."""
    bench.change_task("judge_criteria", ["one"])
    for number in range(2, 10):
        bench.add_task(id=f"t{number}", judge_criteria=["one"])

    (warning,) = bench.load().warnings

    assert warning.endswith("t1 (1), t2 (1), t3 (1), t4 (1), t5 (1) and 4 more")


def test_the_example_loads() -> None:
    """What the documentation shows is sound, and gives no warning."""
    found = load_experiment(EXAMPLE)

    assert found.warnings == ()
    assert len(found.tasks) == 6
    assert all(2 <= len(task.criteria) <= 4 for task in found.tasks)
    checks = [one.has_check for task in found.tasks for one in task.criteria]
    assert any(checks)
    assert not all(checks)
    assert found.agent.command[1] == str(EXAMPLE / "agent.py")
    assert found.cwd == str(EXAMPLE / "repo")


def test_the_directory_of_a_run_gives_the_same_experiment(bench: Bench, tmp_path: Path) -> None:
    """All but the name it is loaded by, and the seed of its plan."""
    bench.write("mine.json", json.dumps({"schema_version": 1, "name": "mine", "events": []}))
    bench.write("end.md", "Ende – Schluß\n\n  eingerückt\n")
    bench.change("agent.adapter", "mine.json").change("common", {"prompt_suffix": "end.md"})
    bench.change("analysis", {"cluster": "metadata.repo"})
    bench.change_task("input", ["first: 'turn'\n", "second\ttürn \u2028 \U0001f600"])
    original = bench.load()

    run = keep(original, tmp_path / "results" / "r1", seed=99)

    for path in (run, run / PROTOCOL):
        again = load_experiment(path)
        assert again.seed == 99
        assert replace(again, file=original.file, seed=original.seed) == original
    assert load_experiment(run).file == "results/r1"


def test_a_run_does_not_change_with_its_experiments_files(bench: Bench, tmp_path: Path) -> None:
    """What was asked stays what it was, whatever is written afterwards."""
    bench.write("mine.json", json.dumps({"schema_version": 1, "name": "mine", "events": []}))
    bench.change("agent.adapter", "mine.json").change("common", DROP)
    original = bench.load()
    run = keep(original, tmp_path / "r1", seed=7)

    bench.write("mine.json", json.dumps({"schema_version": 1, "name": "other", "events": []}))
    bench.change_task("input", "Another question").change("trials", 5)

    assert replace(load_experiment(run), file=original.file) == original
    assert bench.load().protocol.sha256 != original.protocol.sha256


def test_a_run_can_be_looked_at_when_its_experiment_is_gone(bench: Bench, tmp_path: Path) -> None:
    """Judging and reporting need no agent, no prefix command and no directory."""
    bench.write("judge.py", "")
    bench.change("scoring", {"judges": [{"id": "j", "command": ["{python}", "judge.py"]}]})
    bench.change("agent.cwd", "repo")
    (bench.root / "repo").mkdir()
    original = bench.load()
    run = keep(original, tmp_path / "r1", seed=7)
    shutil.rmtree(bench.root)

    assert replace(load_experiment(run, to_run=False), file=original.file) == original
    with pytest.raises(SuiteError) as caught:
        load_experiment(run)
    told = str(caught.value)
    assert "r1/protocol.yaml: agent.cwd: there is no directory repo" in told
    assert "conditions.with.prompt_prefix.command: there is no file context.py" in told
    assert "scoring.judges.0.command: there is no file judge.py" in told


def test_a_run_of_another_version_is_refused(bench: Bench, tmp_path: Path) -> None:
    """A protocol that we do not know is not guessed at."""
    run = keep(bench.load(), tmp_path / "r1")
    text = (run / PROTOCOL).read_text().replace("schema_version: 1", "schema_version: 2", 1)
    (run / PROTOCOL).write_text(text)

    with pytest.raises(UsageError, match="another version"):
        load_experiment(run)


@pytest.mark.parametrize(
    ("change", "other"),
    [
        (lambda bench: bench.change("trials", 2), True),
        (lambda bench: bench.change("order.seed", 8), True),
        (lambda bench: bench.change_task("metadata", {"a": 1}), True),
        (lambda bench: bench.write("end.md", "other text"), True),
        (lambda bench: bench.write("mine.json", '{"schema_version": 1, "name": "you"}'), True),
        (lambda bench: bench.write("mine.json", '{"name": "me", "schema_version": 1 }\n'), False),
        (lambda bench: bench.write("context.py", "print('other')"), False),
        (lambda bench: None, False),
    ],
)
def test_the_hash_is_that_of_all_the_author_wrote(bench: Bench, change: Any, other: bool) -> None:
    """An edited suffix or adapter is another protocol; how it is laid out does not matter."""
    bench.write("mine.json", '{"schema_version": 1, "name": "me"}')
    bench.write("end.md", "text")
    bench.change("agent.adapter", "mine.json").change("common", {"prompt_suffix": "end.md"})
    before = bench.load().protocol.sha256

    change(bench)

    assert (bench.load().protocol.sha256 != before) is other


def test_the_hash_does_not_depend_on_the_place(bench: Bench, tmp_path: Path) -> None:
    """Another checkout of the same experiment has the same protocol."""
    shutil.copytree(bench.root, tmp_path / "elsewhere")
    here, there = bench.load().protocol, load_experiment(tmp_path / "elsewhere").protocol

    assert here.sha256 == there.sha256
    assert (here.directory, there.directory) == (str(bench.root), str(tmp_path / "elsewhere"))


def test_an_unreadable_file_is_told(bench: Bench) -> None:
    """A link that leads nowhere is no experiment."""
    (bench.root / "experiment.yaml").unlink()
    (bench.root / "experiment.yaml").symlink_to("nowhere.yaml")

    assert "no such experiment" in bench.finding()
