"""What is wrong in an experiment is told before anything runs, all at once, with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from suite.bench_shelf import DROP, Bench

JUDGE = {"id": "j1", "command": ["cat"]}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Make a sound experiment in lens, below the current directory."""
    monkeypatch.chdir(tmp_path)
    return Bench(tmp_path / "lens")


@pytest.mark.parametrize(
    ("path", "value", "finding"),
    [
        ("agent.commmand", ["x"], "agent.commmand: unknown key; did you mean command?"),
        ("agent.env", {"pas": []}, "agent.env.pas: unknown key; did you mean pass?"),
        ("agent.timeout_s", 0, "agent.timeout_s: must be more than 0; found 0"),
        ("agent.workspace", "cpoy", "agent.workspace: must be shared, copy or git-worktree"),
        ("agent", 5, "agent: must be an object (keys with values); found 5"),
        ("agent.command", DROP, "agent.command: is missing"),
        ("common.forbid.tols", [], "common.forbid.tols: unknown key; did you mean tools?"),
        ("conditions.with.expct", {}, "conditions.with.expct: unknown key; did you mean expect?"),
        (
            "conditions.with.prompt_prefix.tga",
            "x",
            "conditions.with.prompt_prefix.tga: unknown key; did you mean tag?",
        ),
        ("conditions.a b", None, "conditions.a b: must be 1 to 100 of A-Z a-z 0-9 . _ -"),
        ("conditions", [], "conditions: must be an object (keys with values); found []"),
        ("experiment_name", "a/b", "experiment_name: must be 1 to 100 of A-Z a-z 0-9 . _ -"),
        ("trials", 0, "trials: must be 1 or more; found 0"),
        ("order", {"sed": 1}, "order.sed: unknown key; did you mean seed?"),
        ("retries", {"max_attempt": 1}, "retries.max_attempt: unknown key; did you mean max_"),
        ("scoring", {"point": {}}, "scoring.point: unknown key; did you mean points?"),
        ("scoring", {"points": {"meet": 1}}, "scoring.points.meet: unknown key; did you mean met?"),
        ("discard", {"mx": 1}, "discard.mx: unknown key; did you mean max?"),
        ("analysis", {"level": 1}, "analysis.level: must be less than 1; found 1"),
        ("gatez", [], "gatez: unknown key; did you mean gates?"),
    ],
)
def test_a_wrong_value_is_one_plain_sentence(
    bench: Bench, path: str, value: Any, finding: str
) -> None:
    """File, line, field, what was found, and the nearest known key."""
    bench.change(path, value)

    where, _, told = bench.finding().partition(": ")

    assert told.startswith(finding)
    assert where.startswith("lens/experiment.yaml:")


def test_the_line_is_that_of_the_key(bench: Bench) -> None:
    """A finding points into the file, however deep."""
    lines = (bench.root / "experiment.yaml").read_text().replace('"tag"', '"tga"').splitlines()
    bench.write("experiment.yaml", "\n".join(lines))
    line = next(number for number, text in enumerate(lines, 1) if '"tga"' in text)

    findings = bench.findings()

    assert (
        f"lens/experiment.yaml:{line}: conditions.with.prompt_prefix.tga: unknown key"
        in findings[1]
    )


def test_all_findings_come_at_once(bench: Bench) -> None:
    """What is broken in one place hides nothing in another."""
    bench.change("agent.adapter", "cluade").change("gates", [{"metric": "score"}])
    bench.change("trails", 2).change("conditions.without.baseline", False)
    bench.change_task("judge_criteria", DROP)

    told = "\n".join(bench.findings())

    for words in ("cluade", "gates.0", "trials?", "none is the baseline", "judge_criteria"):
        assert words in told


def test_a_condition_may_be_wrong_in_name_and_content(bench: Bench) -> None:
    """Both are told."""
    bench.change("conditions.a b", {"x": 1})

    told = "\n".join(bench.findings())

    assert "conditions.a b: must be 1 to 100 of" in told
    assert "conditions.a b.x: unknown key" in told


def test_one_baseline_is_needed(bench: Bench) -> None:
    """Without one there is nothing to compare with."""
    bench.change("conditions.without.baseline", False)

    assert bench.finding().endswith(
        "conditions: none is the baseline; add baseline: true to one of without, with"
    )


def test_two_baselines_are_both_named(bench: Bench) -> None:
    """With their lines, since one of them has to go."""
    bench.change("conditions.with.baseline", True)
    lines = (bench.root / "experiment.yaml").read_text().splitlines()
    first, second = (n for n, text in enumerate(lines, 1) if '"baseline"' in text)

    told = bench.finding()

    assert told.startswith(f"lens/experiment.yaml:{second}: conditions.with.baseline: ")
    assert f"without (line {first}) and with (line {second}); keep one" in told


def test_one_condition_is_no_comparison(bench: Bench) -> None:
    """There are two conditions or more."""
    bench.change("conditions.with", DROP)

    assert "conditions: must have 2 entries or more; found" in bench.finding()


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ({"adapter": "cluade"}, "agent.adapter: unknown adapter 'cluade'; did you mean claude?"),
        ({"adapter": "no.json"}, "agent.adapter: must be a file beside the experiment; lens/no"),
        ({"adapter": "../x.json"}, "may not leave the experiment's directory through .."),
        ({"adapter": "/x.json"}, "must be relative to the experiment's directory, not absolute"),
        ({"adapter": "bad.json"}, "lens/bad.json:1: evnts: unknown key; did you mean events?"),
        ({"adapter": None, "command": ["mine"]}, "agent.adapter: is missing, and protocol"),
        ({"protocol": "acp"}, "agent.adapter: goes with protocol headless only, not with acp"),
        ({"cwd": "../no"}, "agent.cwd: there is no directory ../no"),
        ({"command": ["{pyton}"]}, "unknown placeholder {pyton}; did you mean python?"),
        ({"command": [" "]}, "agent.command.0: must be the program to start; found nothing"),
    ],
)
def test_an_agent_that_cannot_be_started_is_told(
    bench: Bench, agent: dict[str, Any], words: str
) -> None:
    """The adapter, the directory and the command are looked at before the plan is made."""
    bench.write("bad.json", '{"schema_version": 1, "name": "bad", "evnts": []}')
    bench.change("common", DROP)
    for key, value in agent.items():
        bench.change(f"agent.{key}", value)

    assert words in bench.finding()


def test_a_python_agent_is_a_function(bench: Bench) -> None:
    """As in a suite."""
    bench.change("agent", {"command": ["agent.py", "x"], "protocol": "python"})
    bench.change("common", DROP).change("conditions.with.prompt_prefix", DROP)
    bench.change_task("input", {"prompt": "hello"})

    assert "agent.command: must be one module:function for protocol python" in bench.finding()


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ({"command": ["codex"]}, "the adapter codex has no options.disallowed_tools"),
        ({"command": ["x"], "protocol": "acp"}, "an agent of protocol acp cannot be told"),
    ],
)
def test_an_agent_that_cannot_be_told_of_disallowed_tools(
    bench: Bench, agent: dict[str, Any], told: str
) -> None:
    """Seed 004 section 1: both conditions disallow tools, and the agent must learn of it."""
    bench.change("agent", agent)
    bench.change("common", {"disallowed_tools": ["Task"]})
    bench.change("conditions.with.disallowed_tools", ["Bash"])

    common, own = bench.findings()

    assert f"common.disallowed_tools: {told}" in common
    assert "found for the conditions without, with, which inherit it" in common
    assert f"conditions.with.disallowed_tools: {told}" in own
    assert "found for condition with; remove it, and void runs that use such a tool" in own


@pytest.mark.parametrize(
    ("agent", "key", "told"),
    [
        (
            {"command": ["codex"]},
            "tools",
            "the adapter codex never tells which tools the agent had",
        ),
        ({"command": ["codex"]}, "mcp_servers", "codex never tells which MCP servers the agent"),
        ({"command": ["x"], "adapter": "text"}, "used", "never tells which tools the agent used"),
        ({"command": ["x"], "protocol": "acp"}, "tools", "protocol acp never tells which tools"),
        ({"command": ["x"], "protocol": "acp"}, "mcp_servers", "never tells which MCP servers it"),
    ],
)
@pytest.mark.parametrize("side", ["expect", "forbid"])
def test_what_nobody_could_check_is_refused(
    bench: Bench, agent: dict[str, Any], key: str, told: str, side: str
) -> None:
    """Seed 004 section 5: a control that is not checked is none."""
    bench.change("agent", agent)
    bench.change("common", {side: {key: ["x"]}})

    finding = bench.finding()

    assert f"common.{side}.{key}: " in finding
    assert told in finding
    assert finding.endswith("so that nobody could check this; remove it")


@pytest.mark.parametrize("agent", [{"command": ["x"], "protocol": "acp"}, {"command": ["codex"]}])
def test_what_can_be_seen_of_every_agent_is_no_finding(bench: Bench, agent: dict[str, Any]) -> None:
    """Tools used, prompts and files are seen from outside."""
    bench.change("agent", agent)
    bench.change("common", {"forbid": {"used": ["a"], "prompt": ["b"], "files": ["c"]}})

    bench.load()


@pytest.mark.parametrize(
    ("expect", "against", "words"),
    [
        ({"tools": ["Task"]}, {"disallowed_tools": ["Task"]}, "common.disallowed_tools (Task)"),
        ({"used": ["Task"]}, {"disallowed_tools": ["Task"]}, "common.disallowed_tools (Task)"),
        ({"tools": ["Bash"]}, {"forbid": {"tools": ["Bash"]}}, "common.forbid.tools (Bash)"),
        ({"tools": ["mcp__a__b"]}, {"forbid": {"tools": ["mcp__*"]}}, "forbid.tools (mcp__*)"),
        ({"used": ["mcp__a__b"]}, {"forbid": {"tools": ["mcp__*"]}}, "forbid.tools (mcp__*)"),
        ({"used": ["Bash"]}, {"forbid": {"used": ["B*"]}}, "common.forbid.used (B*)"),
        ({"mcp_servers": ["a"]}, {"forbid": {"mcp_servers": ["a"]}}, "forbid.mcp_servers (a)"),
        ({"prompt": ["<lens>"]}, {"forbid": {"prompt": ["lens"]}}, "common.forbid.prompt (lens)"),
        ({"files": ["a/b.py"]}, {"forbid": {"files": ["a/*"]}}, "common.forbid.files (a/*)"),
    ],
)
def test_what_is_expected_and_ruled_out_is_told(
    bench: Bench, expect: dict[str, Any], against: dict[str, Any], words: str
) -> None:
    """Every run of such a condition would be discarded."""
    bench.change("common", against).change("conditions.with.expect", expect)

    told = bench.finding()

    assert "conditions.with.expect." in told
    assert f"is ruled out by common.{words.removeprefix('common.')}" in told
    assert "no run of with could count; remove one of both" in told


def test_a_contradiction_that_all_inherit_is_told_once(bench: Bench) -> None:
    """It is in one place, and has to be mended there."""
    bench.change("common.expect", {"tools": ["Task"]})

    assert "common.expect.tools.0: Task is ruled out by common.disallowed_tools" in bench.finding()


@pytest.mark.parametrize(
    ("expect", "forbid"),
    [("mcp__*", "mcp__lens__*"), ("Read", "Reader"), ("read", "Read"), ("tools", "tool")],
)
def test_what_only_looks_alike_is_no_contradiction(bench: Bench, expect: str, forbid: str) -> None:
    """Any MCP tool but those of one server can be had."""
    bench.change("common", {"expect": {"tools": [expect]}, "forbid": {"tools": [forbid]}})

    bench.load()


@pytest.mark.parametrize("tag", ["<lens>", "9lives", "two words", "a>b", "-x"])
def test_a_tag_is_a_name(bench: Bench, tag: str) -> None:
    """It is put between angle brackets."""
    bench.change("conditions.with.prompt_prefix.tag", tag).change("conditions.with.expect", DROP)

    assert "conditions.with.prompt_prefix.tag: must be a name such as" in bench.finding()


@pytest.mark.parametrize("given", ["Is <lens> a tag?", ["hello", "</x><lens id='1'>"]])
def test_a_prompt_may_not_hold_the_tag_of_a_prefix(bench: Bench, given: Any) -> None:
    """Seed 004 section 1: the baseline's prompt has no trace of what is under test."""
    bench.change_task("input", given)

    told = bench.finding()

    assert told.startswith("lens/tasks.jsonl:1: input: holds <lens, the tag of conditions.with.")


@pytest.mark.parametrize("key", ["prompt_prefix", "prompt_suffix"])
def test_what_goes_around_a_prompt_needs_one(bench: Bench, key: str) -> None:
    """An object without a prompt has no beginning and no end."""
    bench.write("end.md", "the end")
    value = {"command": ["cat"], "tag": "lens"} if key == "prompt_prefix" else "end.md"
    bench.change("agent", {"command": ["x"], "protocol": "stdio"}).change("common", DROP)
    bench.change("conditions.with", {key: value})
    bench.change_task("input", {"q": 1})

    told = bench.finding()

    assert f"conditions.with.{key}: goes with a text, and the input of t1 has no prompt" in told
    assert told.endswith(f"add one ({{prompt: …}}), or remove {key}")


PROGRAMS = [
    (["no-such-program"], "no program no-such-program is on the PATH"),
    (["script.py"], "is on the PATH; for the file beside the experiment write ./script.py"),
    (["./no.py"], "there is no program ./no.py; a path is relative to the experiment's directory"),
    (["./script.py"], "not executable: use chmod +x, or write ['{python}', script.py]"),
    (["{suite}/no.py"], "there is no program"),
    (["{python}", "no.py"], "there is no file no.py in the experiment's directory"),
]


@pytest.mark.parametrize(("command", "words"), PROGRAMS)
def test_a_prefix_command_must_exist(bench: Bench, command: list[str], words: str) -> None:
    """Seed 004 section 7: a context that cannot be captured would be a discard."""
    bench.write("script.py", "")
    bench.change("conditions.with.prompt_prefix.command", command)

    told = bench.finding()

    assert "conditions.with.prompt_prefix.command: " in told
    assert words in told


@pytest.mark.parametrize(("command", "words"), PROGRAMS)
def test_a_judge_must_exist(bench: Bench, command: list[str], words: str) -> None:
    """Hours of answers should not wait for a judge who is not there."""
    bench.write("script.py", "")
    bench.change("scoring", {"judges": [{"id": "j1", "command": command}]})

    told = bench.finding()

    assert "scoring.judges.0.command: " in told
    assert words in told


@pytest.mark.parametrize(
    "command",
    [["cat"], ["{python}", "-m", "json.tool"], ["{python}", "script.py"], ["{suite}/run.sh"]],
)
def test_a_judge_that_is_there_is_no_finding(bench: Bench, command: list[str]) -> None:
    """On the PATH, beside the experiment, or a module of Python's."""
    bench.write("script.py", "")
    bench.write("run.sh", "").chmod(0o755)
    bench.change("scoring", {"judges": [{"id": "j1", "command": command}]})

    bench.load()


@pytest.mark.parametrize("id", ["check", "manual"])
def test_a_judge_may_not_have_a_name_of_ours(bench: Bench, id: str) -> None:
    """The verdicts of checks and of people go by these names."""
    bench.change("scoring", {"judges": [{**JUDGE, "id": id}]})

    assert f"scoring.judges.0.id: {id} is a name of RunLedger's own" in bench.finding()


def test_two_judges_have_two_names(bench: Bench) -> None:
    """Else nobody could tell who said what."""
    bench.change("scoring", {"judges": [JUDGE, JUDGE]})

    assert "scoring.judges.1.id: j1 is the id of the judge on line" in bench.finding()


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ({"metric": "scor", "min_difference": 0}, 'found "scor"; did you mean score?'),
        (
            {"metric": "score"},
            "needs exactly one of min_difference and max_difference; found neither",
        ),
        ({"metric": "score", "min_difference": 0, "max_difference": 1}, "found both"),
        ({"metric": "score", "min_diference": 0}, "unknown key; did you mean min_difference?"),
    ],
)
def test_a_gate_names_one_metric_and_one_bound(
    bench: Bench, gate: dict[str, Any], words: str
) -> None:
    """Each is one question."""
    bench.change("gates", [gate])

    assert words in "\n".join(bench.findings())


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("retries", {"patterns": ["ok", "("]}, "retries.patterns.1: is not a regular expression"),
        ("scoring", {"points": {"met": 0.5, "partial": 1}}, "found met 0.5, partial 1, missed 0"),
        ("scoring", {"points": {"missed": 0.75}}, "scoring.points: must not rise from met to"),
        (
            "analysis",
            {"cluster": "repo"},
            "analysis.cluster: must be a path into a task's metadata",
        ),
        ("analysis", {"cluster": "metadata."}, "such as metadata.repo; found metadata."),
        ("output_dir", "../out", "output_dir: must be below the directory you run from"),
        ("output_dir", "/out", "output_dir: must be below the directory you run from"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_told(
    bench: Bench, path: str, value: Any, words: str
) -> None:
    """Each is a sentence of its own."""
    bench.change(path, value)

    assert words in bench.finding()


@pytest.mark.parametrize("key", ["tasks", "common.prompt_suffix"])
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("no.txt", "must be a file beside the experiment; lens/no.txt does not exist"),
        (".", "must be a file beside the experiment; lens/. is not a file"),
        ("../x", "may not leave the experiment's directory through ..; found ../x"),
        ("/x", "must be relative to the experiment's directory, not absolute; found /x"),
        ("out", "is a symbolic link that leads out of the experiment's directory"),
    ],
)
def test_files_are_beside_the_experiment(bench: Bench, key: str, file: str, words: str) -> None:
    """Neither a path nor a link leads out of its directory."""
    (bench.root / "out").symlink_to("/etc/hostname")
    bench.change(key, file)

    told = bench.finding()

    assert f"{key}: " in told
    assert words in told


def test_a_suffix_is_text(bench: Bench) -> None:
    """Bytes that are none are told with their line."""
    (bench.root / "end.md").write_bytes(b"fine\n\xff\n")
    bench.change("common.prompt_suffix", "end.md")

    assert "lens/end.md:2: is not UTF-8 text" in bench.finding()


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        (DROP, 'judge_criteria: is missing; add facts that a good answer states: "judge_criteria"'),
        ([], "judge_criteria: must not be an empty list"),
        ([5], "judge_criteria.0: must be a text, or an object with id and text; found 5"),
        ([""], "judge_criteria.0: must not be empty"),
        ([{"text": "x"}], "judge_criteria.0.id: is missing"),
        ([{"id": "a b", "text": "x"}], "judge_criteria.0.id: must be 1 to 100 of"),
        (
            [{"id": "a", "text": "x", "chek": {}}],
            "judge_criteria.0.chek: unknown key; did you mean",
        ),
        (
            [{"id": "a", "text": "x", "check": {"contans": "x"}}],
            "judge_criteria.0.check.contans: unknown key; did you mean contains?",
        ),
        (
            ["a", {"id": "c1", "text": "x"}],
            "judge_criteria.1: its id c1 is that of judge_criteria.0, too; choose another one",
        ),
        (
            [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}],
            "judge_criteria.1: its id a is that",
        ),
        (
            [{"id": "a", "text": "x", "check": {}}],
            "judge_criteria.0.check: needs exactly one of contains, regex; found none of them",
        ),
        (
            [{"id": "a", "text": "x", "check": {"contains": "a", "regex": "b"}}],
            "needs exactly one of contains, regex; found contains and regex",
        ),
        (
            [{"id": "a", "text": "x", "check": {"regex": "("}}],
            "judge_criteria.0.check.regex: is not a regular expression that RE2 knows",
        ),
    ],
)
def test_criteria_that_cannot_be_judged_are_told(bench: Bench, criteria: Any, words: str) -> None:
    """Seed 004 section 4: an answer is judged by facts, so each task has some."""
    bench.change_task("judge_criteria", criteria)

    told = bench.finding()

    assert told.startswith("lens/tasks.jsonl:1: ")
    assert words in told


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("id", "a b", "id: must be 1 to 100 of A-Z a-z 0-9 . _ -"),
        ("input", {"q": 1}, "input: must be a text, a list of texts or an object with a prompt"),
        ("judge_criterion", [], "judge_criterion: unknown key; did you mean judge_criteria?"),
        ("inject", [{"on": {"kind": "mcp"}, "do": {"reset": True}}], "inject.0.on.kind: mcp needs"),
    ],
)
def test_a_task_is_a_case(bench: Bench, key: str, value: Any, words: str) -> None:
    """What is wrong with a case is wrong with a task."""
    bench.change_task(key, value)

    assert bench.finding().startswith(f"lens/tasks.jsonl:1: {words}")


def test_a_file_without_tasks_is_told(bench: Bench) -> None:
    """Blank lines are no tasks."""
    bench.write("tasks.jsonl", "\n\n")

    assert bench.finding() == "lens/tasks.jsonl: holds no task"


def test_a_line_that_is_not_json_hides_no_other(bench: Bench) -> None:
    """Every line is looked at."""
    bench.write("tasks.jsonl", '{"id": \n' + json.dumps({"id": "t2", "input": "x"}) + "\n")

    first, second = bench.findings()

    assert first.startswith("lens/tasks.jsonl:1: ")
    assert second.startswith("lens/tasks.jsonl:2: judge_criteria: is missing")


def test_ids_of_tasks_are_unique(bench: Bench) -> None:
    """The second one is told, with the place of the first."""
    bench.add_task()

    assert "lens/tasks.jsonl:2: id: t1 is used in lens/tasks.jsonl:1 already" in bench.finding()


@pytest.mark.parametrize(
    ("ids", "conditions", "trials", "words"),
    [
        (["a-b", "a"], ["c", "b-c"], 1, "runs/a-b-c.md would hold the answers of task a-b in"),
        (["A", "a"], ["x", "y"], 1, "runs/a-x.md would hold the answers of task A in condition x"),
        (["a"], ["x", "X"], 1, "of task a in condition x and of task a in condition X"),
        (["a"], ["x", "x-t2"], 2, "runs/a-x-t2.md would hold the answers of task a in condition "),
    ],
)
def test_each_answer_has_a_file_of_its_own(
    bench: Bench, ids: list[str], conditions: list[str], trials: int, words: str
) -> None:
    """Seed 004 section 6: runs/<task>-<condition>.md, on disks that know no case, too."""
    bench.change("trials", trials)
    bench.change("conditions", {name: {"baseline": name == conditions[0]} for name in conditions})
    bench.change_task("id", ids[0])
    for id in ids[1:]:
        bench.add_task(id=id)

    told = bench.finding()

    assert words in told
    assert told.endswith("rename a task or a condition")


def test_names_like_those_of_trials_are_fine_without_such_trials(bench: Bench) -> None:
    """Condition x-t2 shares no file with x where there is one trial."""
    bench.change("conditions", {"x": {"baseline": True}, "x-t2": None})

    bench.load()
