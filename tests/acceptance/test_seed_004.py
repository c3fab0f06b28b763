"""The benchmark protocol of seed 004, rule by rule, through the real command."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from kit import survivors
from lab import Lab


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Give an experiment of two tasks and two conditions."""
    return Lab(tmp_path)


# --------------------------------------------------------------- 1. execution


def test_an_empty_output_is_tried_three_times(lab: Lab) -> None:
    """Seed 004 section 1: up to 3 attempts per run if the output is empty; all are kept."""
    lab.tasks(1).agent(
        """
        session()
        if times("tries-" + str(context)) < 3:
            sys.exit()
        answer("alpha")
        """
    )

    done = lab.bench("run")

    assert done.code == 0, done.err
    states = [(line["attempt"], line["standing"]["state"]) for line in lab.lines]
    assert states == [(1, "retried"), (2, "retried"), (3, "counts")] * 2
    assert [row[3] for row in lab.timing if row[0] == "t1"] == ["1", "2", "3"] * 2


def test_a_declared_pattern_is_tried_again(lab: Lab) -> None:
    """Section 1 of seed 004, as formats.md widens it: rate limits are no answers."""
    lab.set(retries={"patterns": ["(?i)rate limit"]}).tasks(1).agent(
        """
        session()
        answer("Rate limit reached" if times("tries") == 1 else "alpha")
        """
    )

    assert lab.bench("run").code == 0
    assert [line["standing"].get("cause") for line in lab.lines] == ["retry_pattern", None, None]


def test_without_has_no_artifact_of_the_other_condition(lab: Lab) -> None:
    """Seed 004 section 1: WITHOUT is asked the task and the report suffix, and nothing else."""
    lab.bench("run")

    prompts = lab.prompts()

    assert prompts["t1", "without"].startswith("this is task t1.\n\n")
    assert "ctx" not in prompts["t1", "without"]
    assert "some context" not in prompts["t1", "without"]
    assert "Total tool calls made:" in prompts["t1", "without"]


def test_with_gets_its_context_in_a_block_before_the_prompt(lab: Lab) -> None:
    """Seed 004 section 1: the context is captured by a command and injected as a tagged block."""
    lab.bench("run")

    prompts = lab.prompts()

    assert prompts["t1", "with"].startswith("<ctx>\nsome context\n</ctx>\n\nthis is task t1.")
    assert prompts["t1", "with"].endswith(prompts["t1", "without"])


def test_the_context_is_captured_once_for_each_task(lab: Lab) -> None:
    """Seed 004 section 1: before launching, not again for each repetition."""
    script = 'echo "$1" >> captured.txt; echo "about $1"'
    prefix = {"command": ["sh", "-c", script, "sh", "{prompt}"], "tag": "ctx"}
    lab.set(trials=3, conditions={"without": {"baseline": True}, "with": {"prompt_prefix": prefix}})

    done = lab.bench("run")

    assert done.code == 0, done.err
    captured = (lab.path / "captured.txt").read_text().splitlines()
    assert sorted(captured) == ["this is task t1.", "this is task t2."]
    assert "about this is task t2." in lab.prompts()["t2", "with"]


def test_both_conditions_disallow_the_same_tools(lab: Lab) -> None:
    """Seed 004 section 1: the agent is told which tools it may not use, in both conditions."""
    lab.set(common={"disallowed_tools": ["Task", "mcp__lens__get_context"]})
    lab.agent('session()\nanswer(" ".join(sys.argv[1:]))')

    lab.bench("run")

    told = "--without Task --without mcp__lens__get_context"
    assert [line["output"] for line in lab.lines] == [told] * 4


# --------------------------------------------------------------- 2. run order


def test_conditions_of_a_task_run_one_after_the_other_as_planned(lab: Lab) -> None:
    """Seed 004 section 2: sequential, in an order that was drawn and written before."""
    lab.tasks(6)
    lab.bench("plan")
    planned = [f"{run['task_id']} {run['condition']}" for run in lab.plan]

    lab.bench("run")

    assert lab.asked == planned
    times = [(line["timing"]["start"], line["timing"]["end"]) for line in lab.lines]
    assert all(before[1] <= after[0] for before, after in pairwise(times))
    firsts = [run["condition"] for run in lab.plan if run["place"] == 1]
    assert sorted(firsts) == ["with"] * 3 + ["without"] * 3


def test_tasks_run_in_parallel_where_that_is_asked_for(lab: Lab) -> None:
    """Seed 004 section 2: multiple tasks may run in parallel, each with its pair in order."""
    lab.set(order={"seed": 1, "parallel_tasks": 2}).agent(
        """
        session()
        os.mkfifo(task) if not os.path.exists(task) else None
        if not os.path.exists("met"):
            other = "t2" if task == "t1" else "t1"
            while not os.path.exists(other):
                time.sleep(0.01)
            open("met", "w").close()
        answer("alpha")
        """
    )

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert len(lab.lines) == 4
    for task in ("t1", "t2"):
        mine = [line for line in lab.lines if line["id"] == task]
        assert [line["place"] for line in mine] == [1, 2]
        assert mine[0]["timing"]["end"] <= mine[1]["timing"]["start"]


# --------------------------------------------------------------- 3. metrics


def test_counts_are_made_by_machine_and_the_report_stands_beside_them(lab: Lab) -> None:
    """Seed 004 section 3, corrected: what the agent says of itself is a column, not the source."""
    lab.tasks(1).agent(
        """
        session()
        call("Read", "c1", file_path="a.txt")
        call("Read", "c2", file_path="a.txt")
        call("Grep", "c3", pattern="x")
        answer("alpha\\n\\nTotal tool calls made: 7\\nFiles read: 4\\nKey findings:\\n- beta")
        """
    )

    lab.all_steps()

    for line in lab.lines:
        assert line["counts"] == {"toolCalls": 3, "filesRead": 1, "turns": 4}
        assert line["reported"] == {"toolCalls": 7, "filesRead": 4}
    results = (lab.run / "results.md").read_text()
    assert "Reported" in results


def test_durations_are_wall_clock_seconds(lab: Lab) -> None:
    """Seed 004 section 3: timing.csv tells the seconds of every run, to the millisecond."""
    lab.bench("run")

    model, *rows = lab.timing

    assert model == ["model_mapping", "model-1"]
    assert [row[:2] for row in rows] == [[line["id"], line["condition"]] for line in lab.lines]
    for row, line in zip(rows, lab.lines, strict=True):
        took = (line["timing"]["end"] - line["timing"]["start"]) / 1000
        assert row[2:] == [f"{took:.3f}", "1"]


# --------------------------------------------------------------- 4. scoring


def test_each_criterion_is_met_partial_or_missed(lab: Lab) -> None:
    """Seed 004 section 4: 1, a half or 0 points; the score is their share."""
    criteria = [f"It names {word}." for word in ("alpha", "beta", "gamma", "delta")]
    judge = """
        import json, sys
        asked = json.load(sys.stdin)
        word = asked["criterion"]["text"].split()[-1].strip(".")
        verdict = {"alpha": "met", "beta": "partial"}.get(word, "missed")
        print(json.dumps({"verdict": verdict}))
    """
    lab.tasks(1, judge_criteria=criteria).file("judge.py", judge)
    lab.set(scoring={"judges": [{"id": "j1", "command": ["{python}", "judge.py"]}]})

    lab.all_steps()

    (trial,) = lab.summary["tasks"][0]["conditions"]["with"]["trials"]
    assert trial["score"] == 37.5
    assert trial["complete"] is False
    assert "40%" in (lab.run / "results.md").read_text()  # to the nearest 5 %


def test_a_task_is_complete_at_eighty_percent_of_the_score_as_it_is(lab: Lab) -> None:
    """Seed 004 section 4, corrected: 79.2 % is shown as 80 %, and is not complete."""
    words = [f"w{number}" for number in range(24)]
    criteria = [
        {"id": word, "text": word, "check": {"regex": rf"\\b{word}\\b".replace("\\\\", "\\")}}
        for word in words
    ]
    lab.tasks(1, judge_criteria=criteria)
    lab.agent('session()\nanswer(" ".join(f"w{n}" for n in range(20 if context else 19)))')

    lab.all_steps()

    conditions = lab.summary["tasks"][0]["conditions"]
    found = {name: one["trials"][0] for name, one in conditions.items()}
    assert found["without"]["score"] == pytest.approx(100 * 19 / 24)
    assert (found["without"]["complete"], found["with"]["complete"]) == (False, True)
    assert "80%" in (lab.run / "results.md").read_text()


# --------------------------------------------------------------- 5. environment


def test_both_conditions_work_in_the_same_directory_with_a_fresh_process(lab: Lab) -> None:
    """Seed 004 section 5: the same working directory, and no history between runs."""
    lab.set(agent={**lab.document["agent"], "cwd": "repo"}).file("repo/notes.txt", "x")
    lab.agent('session()\nanswer(f"{os.getcwd()} {os.getpid()}")')

    done = lab.bench("run")

    assert done.code == 0, done.err
    places = {line["output"].split()[0] for line in lab.lines}
    assert places == {str(lab.path / "repo")}
    assert len({line["output"].split()[1] for line in lab.lines}) == 4


@pytest.mark.parametrize("kind", ["copy", "git-worktree"])
def test_workspaces_are_fresh_for_each_run(lab: Lab, kind: str) -> None:
    """Seed 004 section 5: what one run leaves behind, the next one does not find."""
    import subprocess

    lab.file("repo/notes.txt", "x")
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *words], cwd=lab.path / "repo", check=True)
    lab.set(agent={**lab.document["agent"], "cwd": "repo", "workspace": kind})
    lab.agent(
        """
        session()
        left = os.path.exists("left.txt")
        open("left.txt", "w").close()
        answer(f"{left} {os.path.exists('notes.txt')} {os.getcwd()}")
        """
    )

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert {line["output"].rsplit(" ", 1)[0] for line in lab.lines} == {"False True"}
    places = {line["output"].rsplit(" ", 1)[1] for line in lab.lines}
    assert not any(Path(place).exists() for place in places)
    assert sorted(one.name for one in (lab.path / "repo").iterdir()) == [".git", "notes.txt"]


def test_results_hold_for_one_model_only(lab: Lab) -> None:
    """Seed 004 section 5: a model that changes for good stops the experiment."""
    lab.tasks(4).agent('session(model="model-1" if times("n") < 4 else "model-2")\nanswer("alpha")')

    done = lab.bench("run")

    assert done.code == 3
    assert "model-2" in done.err
    assert lab.summary["status"] == "invalid"


# --------------------------------------------------------------- 6. output


def test_the_files_are_the_protocols(lab: Lab) -> None:
    """Seed 004 section 6: scenarios.md, runs/, timing.csv, results.md, and ours beside them."""
    lab.set(trials=2)

    lab.all_steps()

    names = {str(file.relative_to(lab.run)) for file in lab.run.rglob("*") if file.is_file()}
    runs = {f"runs/{t}-{c}{n}.md" for t in ("t1", "t2") for c in ("with", "without")
            for n in ("", "-t2")}  # fmt: skip
    assert names == runs | {
        "scenarios.md", "runs/timing.csv", "results.md",
        "plan.jsonl", "run.jsonl", "results.jsonl", "verdicts.jsonl", "summary.json",
        "report.html", "protocol.yaml", "manifest.json",
    }  # fmt: skip
    assert (lab.run / "runs" / "t1-with.md").read_text() == (
        "The answer to t1 is alpha beta.\nTotal tool calls made: 1\nFiles read: 1\n"
    )
    assert "this is task t2." in (lab.run / "scenarios.md").read_text()


# --------------------------------------------------------------- 7. discards


def test_an_output_that_stays_empty_is_a_discard_and_the_pair_is_rerun(lab: Lab) -> None:
    """Seed 004 section 7: empty after 3 attempts; then both conditions run again."""
    lab.tasks(1).agent(
        """
        session()
        if context and times("tries") <= 3:
            sys.exit()
        answer("alpha")
        """
    )

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert lab.causes() == ["empty_output"]
    again = [line for line in lab.lines if line["round"] == 2]
    assert sorted(line["condition"] for line in again) == ["with", "without"]
    assert {line["attempt"] for line in again if line["condition"] == "with"} == {4}


def test_a_crash_in_the_middle_is_a_discard(lab: Lab) -> None:
    """Seed 004 section 7: the agent worked and died; the pair is run again, in fresh order."""
    lab.agent(
        """
        session()
        call("Read", file_path="notes.txt")
        if times("tries-" + task) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        answer("alpha")
        """
    )

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert lab.causes() == ["crashed", "crashed"]
    counted = [line for line in lab.lines if line["round"] == 2]
    assert len(counted) == 4
    assert list(survivors(lab.mark)) == []


def test_a_model_that_changes_between_conditions_is_a_discard(lab: Lab) -> None:
    """Seed 004 section 7: the pair is void, and run again."""
    lab.agent('session(model="model-2" if times("n") == 2 else "model-1")\nanswer("alpha")')

    done = lab.bench("run")

    assert done.code == 0, done.err
    (discard,) = lab.summary["discards"]
    assert discard["cause"] == "model_changed"
    assert len([line for line in lab.lines if line["round"] == 2]) == 2


def test_a_prefix_command_that_fails_is_a_discard(lab: Lab) -> None:
    """Seed 004 section 7: the daemon was down during capture; it is captured anew for the rerun."""
    script = "echo x >> n; test $(wc -l < n) -gt 1 && echo context || { echo down >&2; exit 7; }"
    prefix = {"command": ["sh", "-c", script], "tag": "ctx"}
    lab.set(conditions={"without": {"baseline": True}, "with": {"prompt_prefix": prefix}})

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert lab.causes() == ["prefix_failed"]
    assert "exited with status 7" in done.err
    assert "down" in done.err
    assert len({(line["id"], line["condition"]) for line in lab.lines}) == 4


def test_a_prefix_command_that_prints_nothing_is_a_discard(lab: Lab) -> None:
    """Seed 004 section 7: an empty context is none; the agent is not even asked."""
    prefix = {"command": ["true"], "tag": "ctx"}
    lab.set(conditions={"without": {"baseline": True}, "with": {"prompt_prefix": prefix}})

    done = lab.bench("run")

    assert done.code == 3
    assert set(lab.causes()) == {"prefix_failed"}
    assert "printed nothing" in done.err
    assert not any(asked.endswith(" with") for asked in lab.asked)


def test_more_discards_than_allowed_stop_with_a_table_of_causes(lab: Lab) -> None:
    """Seed 004 section 7: over 4 discards somebody has to look; nothing finished is lost."""
    lab.tasks(6).agent(
        """
        session()
        call("Read", file_path="notes.txt")
        if context and task != "t1":
            sys.exit(9)
        answer("alpha")
        """
    )

    done = lab.bench("run")

    assert done.code == 3
    assert len(lab.causes()) == 5
    assert lab.summary["status"] == "invalid"
    assert "crashed" in done.err
    assert len(lab.asked) == len(lab.lines)


def test_a_forbidden_tool_that_the_agent_had_voids_the_pair(lab: Lab) -> None:
    """Seed 004 section 1, checked by machine: WITHOUT must have zero artifacts."""
    forbid = {"tools": ["mcp__lens__*"]}
    lab.set(
        conditions={
            "without": {"baseline": True, "forbid": forbid},
            "with": lab.document["conditions"]["with"],
        }
    ).tasks(1)
    lab.agent(
        """
        first = not context and times("n") == 1
        session(tools=["Read", "mcp__lens__get_context"] if first else ["Read"])
        answer("alpha")
        """
    )

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert lab.causes() == ["violated"]
    assert "mcp__lens__get_context" in done.err


def test_every_attempt_is_kept_and_counted_by_condition(lab: Lab) -> None:
    """Seed 004 section 7: discarded runs are rerun, and none of them is forgotten."""
    lab.tasks(1).agent(
        """
        session()
        call("Read", file_path="notes.txt")
        if context and times("n") == 1:
            sys.exit(1)
        answer("alpha", cost=0.25)
        """
    )

    lab.all_steps()

    tallies = {one["name"]: one for one in lab.summary["conditions"]}
    assert tallies["with"]["discarded"] == {"crashed": 1}
    assert tallies["without"]["discarded"] == {}
    rows = [row for row in lab.timing if row[0] == "t1"]
    assert len(rows) == len(lab.lines)
    assert json.loads((lab.run / "summary.json").read_text())["schema_version"] == 1
