"""runledger bench: planning, going on after a kill, the background, money, and what it says."""

from __future__ import annotations

import json
import os
import signal
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from kit import runledger, survivors
from lab import CRITERIA, HONEST, Lab
from runledger.store.lines import LineLog

SLOW_FROM_FOURTH = """
session()
if times("n") == 4:
    open("hangs.txt", "w").write("x\\n")
    time.sleep(1000)
answer("alpha beta" if context else "alpha")
"""


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Give an experiment of two tasks and two conditions."""
    return Lab(tmp_path)


# --------------------------------------------------------------- plan


def test_a_plan_is_written_before_anything_runs(lab: Lab) -> None:
    """`plan` asks no agent; it draws the order and tells what the experiment could show."""
    done = lab.tasks(6).bench("plan")

    assert done.code == 0, done.err
    assert len(lab.plan) == 12
    assert lab.asked == []
    assert "6 tasks × 2 conditions × 1 trial = 12 runs" in done.out
    assert "standard deviations" in " ".join(done.out.split())
    assert lab.summary["status"] == "planned"


def test_the_same_seed_plans_the_same_order(lab: Lab) -> None:
    """Two plans of one file differ in nothing but their directory."""
    lab.tasks(5).bench("plan")
    lab.bench("plan")

    one, other = ((run / "plan.jsonl").read_bytes() for run in lab.runs)
    assert one == other


def test_a_seed_is_drawn_where_none_is_given(lab: Lab) -> None:
    """The drawn seed is in protocol.yaml, and the run goes by it."""
    lab.set(order={"seed": None})
    lab.bench("plan")
    planned = [f"{run['task_id']} {run['condition']}" for run in lab.plan]

    assert lab.bench("run").code == 0
    assert lab.asked == planned
    assert isinstance(lab.summary["seed"], int)


def test_a_plan_knows_what_an_earlier_run_took(lab: Lab) -> None:
    """Time and cost are foreseen from the last run of the experiment."""
    lab.tasks(6)
    lab.all_steps()

    done = lab.bench("plan")

    assert "$0.12" in done.out, done.out
    assert lab.runs[0].name in done.out


def test_a_dry_run_shows_what_each_condition_would_be_given(lab: Lab) -> None:
    """The exact prompt, command and names of variables; no agent is asked, nothing written."""
    lab.set(common={"disallowed_tools": ["Task"]})

    done = lab.bench("plan", "--dry-run", "--task", "t2", env={"HOME": "/home/secret-name"})

    assert done.code == 0, done.err
    assert "<ctx>" in done.out
    assert "some context" in done.out
    assert "this is task t2." in done.out
    assert "--without Task" in done.out
    assert "RL_TEST_MARK" in done.out
    assert lab.mark not in done.out
    assert "secret-name" not in done.out
    assert lab.runs == []
    assert lab.asked == []


def test_a_dry_run_of_an_unknown_task_names_the_known_ones(lab: Lab) -> None:
    """A typing error costs nothing."""
    done = lab.bench("plan", "--dry-run", "--task", "t3")

    assert done.code == 2
    assert "t3" in done.err
    assert "t1" in done.err


# --------------------------------------------------------------- going on


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_experiment_goes_on_where_it_was(lab: Lab, how: signal.Signals) -> None:
    """Nothing finished runs twice; what was under way is another attempt."""
    lab.tasks(3).agent(SLOW_FROM_FOURTH)
    process = lab.begin("run")
    lab.until("hangs.txt", 1)
    os.kill(process.pid, how)
    process.wait()
    before = lab.lines
    while list(survivors(lab.mark)):
        time.sleep(0.01)

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert len(before) == 3
    assert lab.lines[:3] == before
    assert len(lab.lines) == 6
    assert len(lab.asked) == 7
    assert {line["attempt"] for line in lab.lines} == {1, 2}
    assert [row[0] for row in lab.timing].count("model_mapping") == 2
    assert lab.summary["status"] == "done"


def test_what_keeps_an_experiment_from_going_on_is_named(lab: Lab) -> None:
    """A changed file begins a new run, aloud; a changed agent is refused."""
    lab.tasks(2).bench("plan")
    first = lab.run.name
    lab.agent(HONEST + "# edited\n")
    refused = lab.bench("run")
    lab.set(order={"seed": 12}).tasks(3)
    begun = lab.bench("run")

    assert refused.code == 2
    assert "since it began, agent.py was edited" in refused.err
    assert begun.code == 0, begun.err
    changes = "order of the experiment was changed, task t3 was added"
    assert f"bench/{first} is not gone on with: since it began, {changes}" in begun.err
    assert len(lab.runs) == 2


def test_a_result_without_its_end_is_run_again(lab: Lab) -> None:
    """A kill between the result and the ending leaves a line that does not count."""
    lab.bench("run")
    log = lab.run / "run.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    last = max(n for n, line in enumerate(lines) if '"type":"case_end"' in line)
    log.write_text("".join(lines[:last]))

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert len(lab.lines) == 4
    assert lab.lines[-1]["attempt"] == 2


def test_a_finished_experiment_is_not_run_again(lab: Lab) -> None:
    """The same command once more asks nobody, and says how to run anew."""
    lab.bench("run")

    done = lab.bench("run")

    assert done.code == 0
    assert "already" in done.err
    assert len(lab.asked) == 4
    assert lab.bench("plan").code == 0
    assert lab.bench("run").code == 0
    assert len(lab.asked) == 8


def test_a_changed_file_begins_a_new_run(lab: Lab) -> None:
    """The hash of the protocol tells; the old run stays as it is."""
    lab.bench("plan")
    lab.tasks(3)

    lab.bench("run")

    old, new = lab.runs
    assert (old / "results.jsonl").read_text() == ""
    assert len((new / "results.jsonl").read_text().splitlines()) == 6


def test_a_run_directory_names_the_experiment(lab: Lab) -> None:
    """EXPERIMENT may be a run: to run, to judge, to report, though its file is gone."""
    lab.bench("plan")
    (lab.path / "experiment.yaml").unlink()
    run = f"bench/{lab.run.name}"

    for step in ("run", "status", "judge", "report"):
        done = runledger("bench", step, run, cwd=lab.path)
        assert done.code in (0, 4), (step, done.err)
    assert lab.summary["status"] == "done"


def test_two_processes_do_not_run_one_experiment(lab: Lab) -> None:
    """The second one is told that it is being run."""
    lab.agent(SLOW_FROM_FOURTH)
    process = lab.begin("run")
    lab.until("hangs.txt", 1)

    done = lab.bench("run")
    status = lab.bench("status")

    os.kill(process.pid, signal.SIGTERM)
    process.wait()
    assert done.code == 2
    assert "being run" in done.err
    assert "3 of 4" in status.out
    assert "running" in status.out


def test_a_run_that_was_stopped_for_good_is_not_gone_on_with(lab: Lab) -> None:
    """After too many discards a new run begins, once the cause is mended."""
    lab.tasks(1).agent("session()\ncall('Read')\nsys.exit(1)")
    assert lab.bench("run").code == 3
    lab.agent("session()\nanswer('alpha')")

    done = lab.bench("run")

    assert done.code == 0, done.err
    assert len(lab.runs) == 2


# --------------------------------------------------------------- background


def test_a_detached_experiment_runs_on_by_itself(lab: Lab) -> None:
    """`--detach` returns at once; `status` tells when it is done."""
    lab.agent(
        """
        session()
        while not os.path.exists("go"):
            time.sleep(0.01)
        answer("alpha")
        """
    )

    done = lab.bench("run", "--detach")
    status = lab.bench("status")
    lab.file("go", "")
    while "4 of 4" not in (later := lab.bench("status")).out or "running" in later.out:
        time.sleep(0.05)

    assert done.code == 0, done.err
    assert "bench status" in done.err
    assert "running" in status.out
    assert "next: runledger bench judge" in later.out
    assert list(survivors(lab.mark)) == []


def test_a_detached_experiment_that_cannot_begin_says_so(lab: Lab) -> None:
    """What is wrong is told at once, not in a log that nobody reads."""
    lab.set(agent={**lab.document["agent"], "workspace": "git-worktree"})

    done = lab.bench("run", "--detach")

    assert done.code == 2
    assert "git" in done.err


# --------------------------------------------------------------- limits


def test_money_stops_it_and_more_money_goes_on(lab: Lab) -> None:
    """Nothing new begins beyond the cost; what was spent before counts."""
    lab.agent("session()\nanswer('alpha', cost=0.5)")

    done = lab.bench("run", "--max-total-cost-usd", "1.2")
    again = lab.bench("run", "--max-total-cost-usd", "1.2")
    rich = lab.bench("run", "--max-total-cost-usd", "10")

    assert (done.code, again.code, rich.code) == (3, 3, 0)
    assert "1.2" in done.err
    assert len(lab.asked) == 4


def test_a_timeout_counts_and_states_nothing(lab: Lab) -> None:
    """A condition that makes the agent slow is not spared by discards."""
    lab.set(agent={**lab.document["agent"], "timeout_s": 1})
    lab.agent("session()\nif context:\n    time.sleep(1000)\nanswer('alpha beta')")

    lab.all_steps()

    with_ = {one["name"]: one for one in lab.summary["conditions"]}["with"]
    assert (with_["timed_out"], with_["score"], with_["discarded"]) == (2, 0.0, {})
    assert list(survivors(lab.mark)) == []


def test_sequential_stops_when_the_evidence_is_enough(lab: Lab) -> None:
    """After so many wins in a row the rest need not be run; the verdict is the e-value's."""
    lab.tasks(40)

    done = lab.bench("run", "--sequential")
    report = lab.bench("report")

    assert done.code == 0, done.err
    assert len(lab.asked) < 40
    assert lab.summary["sequential_stopping"] is True
    assert lab.summary["verdict"] == "pass"
    assert report.code == 0, report.err
    assert "e-value" in report.out


def test_sequential_runs_to_the_end_without_evidence(lab: Lab) -> None:
    """Where both do the same, nothing stops it early."""
    lab.tasks(4).agent("session()\nanswer('alpha')")

    assert lab.bench("run", "--sequential").code == 0
    assert len(lab.asked) == 8


def test_sequential_needs_somebody_who_judges(lab: Lab) -> None:
    """A person cannot be asked while it runs."""
    lab.tasks(2, judge_criteria=["It says why.", "It says how."])

    done = lab.bench("run", "--sequential")

    assert done.code == 2
    assert "scoring.judges" in done.err
    assert lab.asked == []


# --------------------------------------------------------------- judging and the report


def test_a_report_before_judging_says_what_is_missing(lab: Lab) -> None:
    """Never 0 when something was not judged."""
    lab.bench("run")

    done = lab.bench("report")

    assert done.code == 3
    assert "bench judge" in done.err


def test_a_gate_that_fails_is_exit_code_one(lab: Lab) -> None:
    """The verdict of the report is the command's."""
    lab.tasks(8).agent("session()\nanswer('alpha beta' if not context or task == 't3' else 'none')")

    done = lab.all_steps()

    assert done.code == 1
    assert done.out.startswith("NO-GO")
    assert lab.summary["verdict"] == "fail"


def test_an_inconclusive_gate_is_exit_code_four_where_that_is_asked_for(lab: Lab) -> None:
    """Thin evidence passes unless somebody minds; the number of further tasks is told."""
    lab.tasks(4).agent(
        "session()\nanswer('alpha beta' if context == (task in ('t1', 't2', 't3')) else 'alpha')"
    )

    plain = lab.all_steps()
    minding = lab.bench("report", "--fail-on-inconclusive")

    assert (plain.code, minding.code) == (0, 4)
    assert "further tasks" in " ".join(plain.out.split())


def test_judging_again_is_free(lab: Lab) -> None:
    """The same question is asked once, over all commands."""
    judge = """
        import json, sys
        open("judged.txt", "a").write("x\\n")
        print(json.dumps({"verdict": "met"}))
    """
    lab.tasks(2, judge_criteria=["It says why.", "It says how."]).file("judge.py", judge)
    lab.set(scoring={"judges": [{"id": "j1", "command": ["{python}", "judge.py"]}]})
    lab.all_steps()
    asked = (lab.path / "judged.txt").read_text()

    done = lab.bench("judge")

    assert done.code == 0
    assert (lab.path / "judged.txt").read_text() == asked
    assert "known from before" in done.err


def test_a_judge_that_answers_rubbish_costs_nothing_that_was_judged(lab: Lab) -> None:
    """Its fault is told and the exit code is 3; mended, only what is left is asked."""
    rubbish = """
        import json, sys
        asked = json.load(sys.stdin)
        print("hm" if asked["criterion"]["id"] == "c2" else json.dumps({"verdict": "met"}))
    """
    lab.tasks(1, judge_criteria=["It says why.", "It says how."]).file("judge.py", rubbish)
    lab.set(scoring={"judges": [{"id": "j1", "command": ["{python}", "judge.py"]}]})
    lab.bench("run")

    done = lab.bench("judge")
    lab.file("judge.py", 'print(\'{"verdict": "partial"}\')')
    mended = lab.bench("judge")

    assert done.code == 3
    assert "j1" in done.err
    assert "c2" in done.err
    assert mended.code == 0, mended.err
    assert lab.summary["unjudged"] == 0


def test_a_judge_may_be_given_less_time(lab: Lab) -> None:
    """The fault names the limit, and the flag that sets it."""
    lab.tasks(1, judge_criteria=["It says why.", "It says how."])
    lab.file("judge.py", "import time; time.sleep(1000)")
    lab.set(scoring={"judges": [{"id": "j1", "command": ["{python}", "judge.py"]}]})
    lab.bench("run")

    done = lab.bench("judge", "--judge-timeout", "0.5")

    assert done.code == 3
    assert "did not finish within 0.5 s; --judge-timeout" in done.err
    assert lab.bench("judge", "--judge-timeout", "0").code == 2


def test_two_who_judge_at_once_are_told_so(lab: Lab) -> None:
    """The second one can wait: it is something to fix, and nothing is broken."""
    lab.bench("run")
    holder = LineLog(lab.run / "verdicts.jsonl", alone=True)
    try:
        done = lab.bench("judge")
    finally:
        holder.close()

    assert done.code == 2
    assert "is being judged by another process" in done.err
    assert lab.bench("judge").code == 0


def test_void_quotes_are_named_and_counted(lab: Lab) -> None:
    """On standard error one by one, in the report by judge."""
    lab.tasks(1, judge_criteria=["It says why.", "It says how."])
    lab.file("judge.py", """print('{"verdict": "met", "quote": "never said"}')""")
    lab.set(scoring={"judges": [{"id": "words", "command": ["{python}", "judge.py"]}]})
    lab.bench("run")

    judged, report = lab.bench("judge"), lab.bench("report")

    assert judged.code == 3
    assert (
        'judge words, task t1, criterion c1: its quote is not in the answer: "never said"'
        in judged.err
    )
    assert "judges: words: 4 verdicts void" in report.out
    assert "- `words`: 4 verdicts void" in (lab.run / "results.md").read_text()


def test_a_person_judges_on_a_blinded_sheet(lab: Lab) -> None:
    """`--manual` writes the sheet, and reads the ticks of the same sheet back."""
    lab.tasks(1, judge_criteria=["It names alpha.", "It names beta."])
    lab.bench("run")

    first = lab.bench("judge", "--manual")
    sheet = lab.run / "judging.md"
    text = sheet.read_text()
    sheet.write_text(text.replace("- [ ] met", "- [x] met"))
    second = lab.bench("judge", "--manual")
    report = lab.bench("report")

    assert first.code == 0, first.err
    assert "judging.md" in first.err
    assert "ctx" not in text
    assert "Total tool calls" not in text
    assert second.code == 0, second.err
    assert report.code == 0, report.err
    assert {one["score"] for one in lab.summary["conditions"]} == {100.0}


def test_views_are_made_again_byte_for_byte(lab: Lab) -> None:
    """Every view of a run can be deleted and made again."""
    lab.all_steps()
    names = ("scenarios.md", "results.md", "summary.json", "report.html", "runs/timing.csv",
             "runs/t1-with.md")  # fmt: skip
    before = {name: (lab.run / name).read_bytes() for name in names}
    for name in names:
        (lab.run / name).unlink()

    lab.bench("report")

    assert {name: (lab.run / name).read_bytes() for name in names} == before


@pytest.mark.parametrize("format", ["json", "markdown"])
def test_a_report_in_other_formats(lab: Lab, format: str) -> None:
    """JSON is summary.json, Markdown is results.md."""
    lab.all_steps()

    done = lab.bench("report", "--format", format)

    file = "summary.json" if format == "json" else "results.md"
    assert done.out.strip() == (lab.run / file).read_text().strip()


# --------------------------------------------------------------- other commands, bad input


def test_other_commands_leave_an_experiment_alone(lab: Lab) -> None:
    """`report` and `compare` would misread it, and say which command does not."""
    lab.all_steps()
    page = (lab.run / "report.html").read_bytes()
    run = f"bench/{lab.run.name}"

    report = runledger("report", run, cwd=lab.path)
    compare = runledger("compare", run, run, cwd=lab.path)

    assert (report.code, compare.code) == (2, 2)
    assert "bench report" in report.err
    assert "bench report" in compare.err
    assert (lab.run / "report.html").read_bytes() == page


def test_a_secret_of_the_agent_is_not_written(lab: Lab) -> None:
    """protocol.yaml and the record hold a placeholder in its place."""
    secret = "s3cr3t-value-of-the-agent"
    lab.document["agent"]["env"]["set"]["API_TOKEN"] = secret
    lab.agent("session()\nanswer('alpha ' + os.environ['API_TOKEN'])")

    lab.all_steps()

    for file in lab.run.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


def test_a_run_whose_secrets_are_gone_is_run_by_its_file(lab: Lab) -> None:
    """A placeholder is no token: the run's directory alone will not do."""
    lab.document["agent"]["env"]["set"]["API_TOKEN"] = "s3cr3t-value-of-the-agent"
    lab.bench("plan")

    by_run = runledger("bench", "run", f"bench/{lab.run.name}", cwd=lab.path)
    by_file = lab.bench("run")

    assert by_run.code == 2
    assert "secrets" in by_run.err
    assert by_file.code == 0, by_file.err
    assert len(lab.runs) == 1


def test_an_agent_that_is_not_there_is_told_before_anything_runs(lab: Lab) -> None:
    """Exit code 2 or 3 at once, and no attempt is used up."""
    lab.set(agent={**lab.document["agent"], "command": ["no-such-agent"]})

    done = lab.bench("run")

    assert done.code in (2, 3)
    assert "no-such-agent" in done.err
    assert lab.asked == []


def test_all_that_is_wrong_with_a_file_is_told_at_once(lab: Lab) -> None:
    """Two baselines, missing criteria and an unknown adapter, each with its place."""
    lab.set(
        conditions={"a": {"baseline": True}, "b": {"baseline": True}},
        agent={"command": ["x"], "adapter": "cluade"},
    )
    lab.file("tasks.jsonl", json.dumps({"id": "t1", "input": "x"}) + "\n")

    done = lab.bench("run")

    assert done.code == 2
    assert "baseline" in done.err
    assert "judge_criteria" in done.err
    assert "did you mean claude" in done.err


def test_bench_alone_prints_its_help(tmp_path: Path) -> None:
    """`runledger bench` is no error."""
    done = runledger("bench", cwd=tmp_path)

    assert done.code == 0
    for step in ("plan", "run", "status", "judge", "report"):
        assert step in done.out


def test_nothing_is_left_of_tasks_without_a_criterion_met(lab: Lab) -> None:
    """Criteria with checks need no judge at all."""
    assert all("check" in one for one in CRITERIA)
    lab.bench("run")

    done = lab.bench("judge")

    assert done.code == 0, done.err
    assert "8 by check" in done.err


# --------------------------------------------------------------- what reviewers found


def test_a_condition_that_is_a_secret_too_does_not_run_for_ever(lab: Lab) -> None:
    """The name by which an attempt is found again is never redacted."""
    lab.document["conditions"] = {
        "without": {"baseline": True},
        "with-lens-2": lab.document["conditions"]["with"],
    }
    lab.agent("session()\ncall('Read', token='with-lens-2')\nanswer('alpha with-lens-2')")

    done = lab.bench("run", env={"API_TOKEN": "with-lens-2"})

    assert done.code == 0, done.err
    assert len(lab.asked) == 4
    assert {line["condition"] for line in lab.lines} == {"without", "with-lens-2"}
    assert all("with-lens-2" not in line["output"] for line in lab.lines)


def test_a_prefix_that_fails_once_costs_one_discard_however_many_trials(lab: Lab) -> None:
    """A failure is not kept for the other trials of the task."""
    script = "echo x >> n; test $(wc -l < n) -gt 1 && echo context"
    prefix = {"command": ["sh", "-c", script], "tag": "ctx"}
    lab.set(trials=6, conditions={"without": {"baseline": True}, "with": {"prompt_prefix": prefix}})

    done = lab.tasks(1).bench("run")

    assert done.code == 0, done.err
    assert lab.causes() == ["prefix_failed"]


def test_trials_of_one_task_never_run_side_by_side(lab: Lab) -> None:
    """Only tasks are independent: trials share the workspace."""
    lab.set(trials=3, order={"seed": 1, "parallel_tasks": 4}).tasks(1)

    assert lab.bench("run").code == 0
    times = [(line["timing"]["start"], line["timing"]["end"]) for line in lab.lines]
    assert all(before[1] <= after[0] for before, after in pairwise(times))


def test_one_of_two_judges_that_fails_leaves_the_runs_unjudged(lab: Lab) -> None:
    """A report is no go as long as somebody who was to judge has not."""
    judge = "import json\nprint(json.dumps({'verdict': 'met'}))"
    lab.tasks(6, judge_criteria=["It says why.", "It says how."]).file("good.py", judge)
    lab.file("bad.py", "print('hm')")
    judges = [{"id": name, "command": ["{python}", f"{name}.py"]} for name in ("good", "bad")]
    lab.set(scoring={"judges": judges})
    lab.bench("run")

    judged, report = lab.bench("judge"), lab.bench("report")

    assert (judged.code, report.code) == (3, 3)
    assert lab.summary["verdict"] == "inconclusive"
    assert lab.summary["unjudged"] == 12


@pytest.mark.parametrize(
    "keys",
    [
        {"gates": [{"metric": "duration_s", "max_difference": 0}]},
        {"gates": [{"metric": "score", "min_difference": 10}]},
        {"analysis": {"cluster": "metadata.repo"}},
    ],
)
def test_sequential_refuses_what_it_cannot_decide(lab: Lab, keys: dict[str, Any]) -> None:
    """Wins and losses of independent tasks tell of the score, and of nothing else."""
    done = lab.set(**keys).bench("run", "--sequential")

    assert done.code == 2
    assert "--sequential" in done.err
    assert lab.asked == []


def test_a_suffix_that_held_a_secret_is_not_sent_as_a_placeholder(lab: Lab) -> None:
    """A run's directory that lacks any part of what was asked will not do."""
    lab.file("suffix.md", "Use the key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789.")
    lab.set(common={"prompt_suffix": "suffix.md"}).bench("plan")

    done = runledger("bench", "run", f"bench/{lab.run.name}", cwd=lab.path)

    assert done.code == 2
    assert "secrets" in done.err
    assert lab.asked == []


def test_a_damaged_neighbour_stops_nobody(lab: Lab) -> None:
    """Runs of other protocols need not even be readable."""
    lab.bench("run")
    (lab.run / "protocol.yaml").write_text("{")
    lab.tasks(3)

    assert lab.bench("plan").code == 0
    done = lab.bench("run")

    assert done.code == 0, done.err


def test_what_a_judge_prints_does_not_drive_the_terminal(lab: Lab) -> None:
    """Escape codes of a broken judge are shown, not obeyed."""
    lab.tasks(1, judge_criteria=["It says why.", "It says how."])
    lab.file("judge.py", r"import sys; sys.stderr.write('\x1b]0;owned\x07\x1b[2J'); sys.exit(1)")
    lab.set(scoring={"judges": [{"id": "j1", "command": ["{python}", "judge.py"]}]})
    lab.bench("run")

    done = lab.bench("judge")

    assert done.code == 3
    assert "owned" in done.err
    assert "\x1b" not in done.err


def test_answers_that_do_not_count_are_not_among_the_runs(lab: Lab) -> None:
    """What another model said is in the record, but in no file of an answer."""
    lab.tasks(1).agent('session(model=f"model-{times("n")}")\nanswer("alpha")')

    assert lab.bench("run").code == 3
    assert [file.name for file in (lab.run / "runs").iterdir()] == ["timing.csv"]


def test_progress_never_passes_its_total(lab: Lab) -> None:
    """Runs that are done again are not counted twice."""
    lab.agent(
        """
        session()
        call("Read")
        if context and times("n") == 1:
            sys.exit(1)
        answer("alpha")
        """
    )

    done = lab.bench("run")

    shown = [int(line[1:2]) for line in done.err.splitlines() if line.startswith("[")]
    assert max(shown) == shown[-1] == 4


def test_a_file_that_changed_since_the_run_is_told(lab: Lab) -> None:
    """Judging goes by the protocol that was run, and says so."""
    lab.bench("run")
    lab.set(gates=[{"metric": "score", "min_difference": 50}])

    done = lab.bench("judge")

    assert done.code == 0
    assert "protocol.yaml" in done.err


def test_a_module_in_the_callers_directory_is_not_imported_in_the_background(lab: Lab) -> None:
    """A detached run imports what the command itself imports."""
    lab.file("orjson.py", "raise SystemExit(9)")

    done = lab.bench("run", "--detach")
    while "running" in (status := lab.bench("status")).out or "4 of 4" not in status.out:
        time.sleep(0.05)

    assert done.code == 0, done.err


# --------------------------------------------------------------- damage


@pytest.mark.parametrize("damage", ["garbage\n", ""])
def test_a_damaged_log_costs_no_result(lab: Lab, damage: str) -> None:
    """What has finished is neither run again nor erased: the damage is told."""
    lab.bench("run")
    before = (lab.run / "results.jsonl").read_bytes()
    (lab.run / "run.jsonl").write_text(damage)

    codes = {step: lab.bench(step).code for step in ("status", "judge", "report")}
    done = runledger("bench", "run", f"bench/{lab.run.name}", cwd=lab.path)

    assert codes == {"status": 2, "judge": 2, "report": 2}
    assert done.code == 2
    assert (lab.run / "results.jsonl").read_bytes() == before
    assert len(lab.asked) == 4


def test_results_that_are_gone_are_run_again(lab: Lab) -> None:
    """A report is no verdict while runs are missing, and `run` does what is missing."""
    lab.all_steps()
    results = lab.run / "results.jsonl"
    results.write_bytes(b"".join(results.read_bytes().splitlines(keepends=True)[:3]))

    report = lab.bench("report")
    again = lab.bench("run")

    assert report.code == 3
    assert again.code == 0, again.err
    assert len(lab.asked) == 5
    assert lab.summary["status"] == "done"


def test_a_damaged_plan_is_told(lab: Lab) -> None:
    """Half a plan would make half an experiment look whole."""
    lab.all_steps()
    plan = lab.run / "plan.jsonl"
    plan.write_bytes(b"".join(plan.read_bytes().splitlines(keepends=True)[:3]))

    done = lab.bench("report")

    assert done.code == 2
    assert "plan.jsonl is damaged" in done.err


def test_a_protocol_that_was_changed_after_the_run_is_refused(lab: Lab) -> None:
    """A gate cannot be moved once the results are known."""
    lab.all_steps()
    file = lab.run / "protocol.yaml"
    file.write_text(file.read_text().replace("min_difference: 0", "min_difference: 60"))

    done = lab.bench("report")

    assert done.code == 2
    assert "was changed after its run" in done.err


def test_judging_a_run_that_is_not_whole_is_not_all(lab: Lab) -> None:
    """Never 0 when something was not judged."""
    lab.bench("run", "--max-total-cost-usd", "0.02")

    done = lab.bench("judge")

    assert done.code == 3
    assert "not all was run" in done.err


def test_a_plan_asks_whether_its_agent_is_there(lab: Lab) -> None:
    """Like every other program of the experiment."""
    lab.set(agent={**lab.document["agent"], "command": ["no-such-agent"]})

    assert lab.bench("plan").code in (2, 3)
    assert lab.runs == []


def test_criteria_that_only_a_person_can_judge_are_told_at_the_plan(lab: Lab) -> None:
    """Before the money is spent."""
    done = lab.tasks(2, judge_criteria=["It says why.", "It says how."]).bench("plan")

    assert done.code == 0
    assert "4 criteria have neither a check nor a judge" in done.err


def test_a_dry_run_whose_prefix_fails_is_no_success(lab: Lab) -> None:
    """The prompt that it shows is not the one that would be sent."""
    prefix = {"command": ["false"], "tag": "ctx"}
    lab.set(conditions={"without": {"baseline": True}, "with": {"prompt_prefix": prefix}})

    done = lab.bench("plan", "--dry-run")

    assert done.code == 3
    assert "exited with status 1" in " ".join(done.out.split())


def test_a_report_is_on_the_summary_page_of_a_step(lab: Lab) -> None:
    """In GitHub Actions the tables are on the page of the job."""
    lab.all_steps()
    page = lab.path / "page.md"

    lab.bench("report", env={"GITHUB_STEP_SUMMARY": str(page)})

    assert page.read_text() == (lab.run / "results.md").read_text()


def test_two_who_begin_at_once_plan_one_run(lab: Lab) -> None:
    """The one goes on with it; the other is told that it is being run, or that it is done."""
    lab.bench("status")
    processes = [lab.begin("run") for _ in range(3)]
    codes = sorted(process.wait() for process in processes)

    assert codes[0] == 0
    assert set(codes) <= {0, 2, 3}
    assert len(lab.runs) == 1
    assert len(lab.asked) == 4
