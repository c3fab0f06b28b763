"""runledger run, as its users use it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from kit import ECHO, clean_environment, command, entry, runledger, survivors, write_suite


def echo_suite(path: Path, *ids: str, **keys: object) -> None:
    """Write a suite whose cases all pass."""
    suite = write_suite(path, ECHO, **keys)
    for id in ids:
        suite.case(id, [entry("search", "found", q=id)])


def test_only_the_chosen_cases_run(tmp_path: Path) -> None:
    """`--case` may be given several times; the order stays the suite's."""
    echo_suite(tmp_path / "suite", "a", "b", "c")
    done = runledger("run", "suite", "--case", "c", "--case", "a", cwd=tmp_path)

    assert [case["id"] for case in done.summary["cases"]] == ["a", "c"]


def test_an_unknown_case_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    """Nothing is written for a case that does not exist."""
    echo_suite(tmp_path / "suite", "triage")
    done = runledger("run", "suite", "--case", "triag", cwd=tmp_path)

    assert (done.code, done.runs) == (2, [])
    assert "did you mean triage?" in done.err


def test_cases_are_chosen_by_tag(tmp_path: Path) -> None:
    """`--tag` keeps the cases that have it; an unknown tag is refused."""
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case("a", [entry("search", 1, q="a")], tags=["fast"])
    suite.case("b", [entry("search", 1, q="b")], tags=["slow"])
    done = runledger("run", "suite", "--tag", "slow", cwd=tmp_path)

    assert [case["id"] for case in done.summary["cases"]] == ["b"]
    assert runledger("run", "suite", "--tag", "quick", cwd=tmp_path).code == 2


def test_several_suites_run_one_after_the_other(tmp_path: Path) -> None:
    """Each suite gets a run directory; the worst exit code is given."""
    echo_suite(tmp_path / "good", "a", suite_name="good")
    write_suite(tmp_path / "poor", ECHO, suite_name="poor").case("a")
    done = runledger("run", "good", "poor", cwd=tmp_path)

    assert done.code == 1
    assert sorted(run.parent.name for run in done.runs) == ["good", "poor"]


def test_a_broken_suite_among_several_stops_all_before_anything_is_written(tmp_path: Path) -> None:
    """All suites are checked before the first agent starts."""
    echo_suite(tmp_path / "good", "a")
    done = runledger("run", "good", "missing", cwd=tmp_path)

    assert (done.code, done.runs) == (2, [])
    assert "missing" in done.err


def test_json_is_one_summary_a_line_on_standard_output(tmp_path: Path) -> None:
    """`--format json` can be piped; progress goes to standard error."""
    echo_suite(tmp_path / "suite", "a")
    done = runledger("run", "suite", "suite", "--format", "json", cwd=tmp_path)

    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [line["status"] for line in lines] == ["passed", "passed"]
    assert "1/1" in done.err


def test_github_gets_annotations(tmp_path: Path) -> None:
    """On GitHub Actions failures are annotated, and hostile text cannot give commands."""
    agent = "read(); print('::stop-commands::x'); input()"
    write_suite(tmp_path / "suite", agent).case("a")
    done = runledger("run", "suite", cwd=tmp_path, env={"GITHUB_ACTIONS": "true"})
    commands = [line for line in done.out.splitlines() if line.lstrip().startswith("::")]

    assert len(commands) == 1
    assert commands[0].startswith("::error title=a%3A protocol_error::")
    assert "::stop-commands::x" in commands[0]


def test_quiet_shows_only_the_result(tmp_path: Path) -> None:
    """`-q` leaves standard error empty."""
    echo_suite(tmp_path / "suite", "a")

    assert runledger("run", "suite", "-q", cwd=tmp_path).err == ""


def test_fail_fast_begins_nothing_new(tmp_path: Path) -> None:
    """After the first failure the rest is unfinished, and the run has failed."""
    suite = write_suite(tmp_path / "suite", ECHO)
    for id in ("a", "b", "c"):
        suite.case(id)
    done = runledger("run", "suite", "--fail-fast", "-j", "1", cwd=tmp_path)

    assert done.code == 1
    assert [case["status"] for case in done.summary["cases"]] == [
        "failed",
        "unfinished",
        "unfinished",
    ]


def test_several_trials_replay_a_fresh_cassette_each(tmp_path: Path) -> None:
    """`-k` repeats each case; every trial finds its cassette unused."""
    echo_suite(tmp_path / "suite", "a")
    done = runledger("run", "suite", "-k", "3", cwd=tmp_path)

    assert done.code == 0
    assert done.case("a")["trials"]["passed"] == 3
    assert len((done.run / "results.jsonl").read_text().splitlines()) == 3


def test_a_missing_agent_makes_the_run_invalid(tmp_path: Path) -> None:
    """A program that is not there says nothing about the agent: exit 3, all cases recorded."""
    echo_suite(tmp_path / "suite", "a", "b", agent_command=["no-such-agent"])
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 3
    assert done.summary["status"] == "invalid"
    assert done.summary["totals"]["success_rate"] is None
    assert [done.failure_types(id) for id in "ab"] == [["spawn_failed"], ["spawn_failed"]]


def test_one_bad_cassette_costs_only_its_case(tmp_path: Path) -> None:
    """A cassette that cannot be read is an error of its case, with the line."""
    echo_suite(tmp_path / "suite", "a", "b")
    (tmp_path / "suite/cassettes/a.jsonl").write_text('{"tool":"search"\n')
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 1
    assert done.failure_types("a") == ["cassette_invalid"]
    assert "cassettes/a.jsonl:1" in done.message("a")
    assert done.case("b")["status"] == "passed"


def test_the_success_rate_that_the_suite_allows_is_enough(tmp_path: Path) -> None:
    """`min_success_rate` below 1 lets that share of cases fail."""
    suite = write_suite(tmp_path / "suite", ECHO, regression={"min_success_rate": 0.5})
    suite.case("a", [entry("search", 1, q="a")]).case("b")

    assert runledger("run", "suite", cwd=tmp_path).code == 0


def test_unused_recordings_fail_unless_something_else_did(tmp_path: Path) -> None:
    """An entry that nobody asked for is a failure, but never beside another one."""
    extra = entry("search", 1, q="other")
    suite = write_suite(tmp_path / "suite", ECHO)
    suite.case("unused", [entry("search", 1, q="unused"), extra])
    suite.case(
        "both",
        [entry("search", 1, q="both"), extra],
        assertions=[{"type": "equals", "path": "answer", "value": 2}],
    )
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.failure_types("unused") == ["cassette_unused"]
    assert done.failure_types("both") == ["assertion_failed"]


def test_an_agent_sees_only_the_environment_it_was_given(tmp_path: Path) -> None:
    """Secrets of the caller do not reach the agent unless the suite passes them."""
    agent = "read(); send('final_output', output=dict(os.environ))"
    env = {"set": {"MODE": "test"}, "pass": ["MY_FLAG"]}
    write_suite(tmp_path / "suite", agent, env=env).case("a")
    secrets = {"AWS_SECRET_ACCESS_KEY": "abc", "MY_FLAG": "on", "LC_TIME": "C", "PYTHONPATH": "x"}
    done = runledger("run", "suite", cwd=tmp_path, env=secrets)

    seen = json.loads((done.run / "results.jsonl").read_text())["output"]
    assert (seen["MY_FLAG"], seen["MODE"], seen["LC_TIME"]) == ("on", "test", "C")
    assert "AWS_SECRET_ACCESS_KEY" not in seen
    assert "PYTHONPATH" not in seen
    assert seen["PATH"]


def test_the_output_directory_follows_flag_environment_file(tmp_path: Path) -> None:
    """The flag beats the variable, which beats the suite."""
    echo_suite(tmp_path / "suite", "a", output_dir="from-file")
    env = {"RUNLEDGER_OUTPUT_DIR": "from-env"}
    runledger("run", "suite", cwd=tmp_path)
    runledger("run", "suite", cwd=tmp_path, env=env)
    runledger("run", "suite", "--output-dir", "from-flag", cwd=tmp_path, env=env)

    for name in ("from-file", "from-env", "from-flag"):
        assert len(list((tmp_path / name / "demo").iterdir())) == 1


def test_an_output_directory_that_cannot_be_written_is_exit_3(tmp_path: Path) -> None:
    """What could not be written, and where, is told before any agent starts."""
    echo_suite(tmp_path / "suite", "a")
    (tmp_path / "file").write_text("")
    done = runledger("run", "suite", "--output-dir", "file", cwd=tmp_path)

    assert done.code == 3
    assert "could not make file/demo" in done.err


def test_tools_that_nobody_has_are_told_before_anything_runs(tmp_path: Path) -> None:
    """Live mode needs somebody to answer; nothing is written."""
    echo_suite(tmp_path / "suite", "a", tool_module="tools.py")
    (tmp_path / "suite/tools.py").write_text("TOOLS = {}\n")
    done = runledger("run", "suite", "--mode", "live", cwd=tmp_path)

    assert (done.code, done.runs) == (2, [])
    assert "tool_registry: nobody has a tool named search" in done.err


@pytest.mark.parametrize(
    "words", [["run"], ["run", "suite", "-j", "0"], ["run", "s", "--nope"], ["x"]]
)
def test_wrong_words_are_exit_2(tmp_path: Path, words: list[str]) -> None:
    """Usage errors have their own exit code."""
    assert runledger(*words, cwd=tmp_path).code == 2


def test_a_reader_that_goes_away_does_not_change_the_result(tmp_path: Path) -> None:
    """A closed pipe behind standard output leaves whole files and the right exit code."""
    echo_suite(tmp_path / "suite", "a")
    process = subprocess.Popen(
        command("run", "suite"), cwd=tmp_path, env=clean_environment(), stdout=subprocess.PIPE
    )
    assert process.stdout
    process.stdout.close()

    assert process.wait(60) == 0
    (run,) = tmp_path.glob(".agentci/runs/demo/*")
    assert json.loads((run / "summary.json").read_text())["status"] == "passed"


def test_a_leak_is_ended_and_reported(tmp_path: Path) -> None:
    """What an agent leaves behind does not outlive its case."""
    agent = """
        task = read()
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        send("final_output", output={})
    """
    suite = write_suite(tmp_path / "suite", agent).case("a")
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 0
    assert done.case("a")["leaky"] is True
    assert "left processes behind" in done.out
    assert not list(survivors(suite.mark))


def test_parallel_tool_calls_are_each_answered(tmp_path: Path) -> None:
    """An agent may ask for many tools before it reads the first answer."""
    agent = """
        read()
        for number in range(50):
            send("tool_call", name="search", call_id=str(number), args={"q": number})
        answers = [read() for _ in range(50)]
        send("final_output", output={one["call_id"]: one["result"] for one in answers})
    """
    recorded = [entry("search", number * 2, q=number) for number in range(50)]
    write_suite(tmp_path / "suite", agent).case("a", recorded)
    done = runledger("run", "suite", cwd=tmp_path)

    output = json.loads((done.run / "results.jsonl").read_text())["output"]
    assert output == {str(number): number * 2 for number in range(50)}


def test_a_reused_agent_serves_all_cases_in_one_process_per_job(tmp_path: Path) -> None:
    """`agent_reuse` starts as many processes as jobs; a crash starts a new one."""
    agent = """
        while task := read():
            if task["input"]["q"] == "c2":
                sys.exit(1)
            send("final_output", output={"pid": os.getpid()})
    """
    suite = write_suite(tmp_path / "suite", agent, agent_reuse=True)
    for id in ("c1", "c2", "c3", "c4"):
        suite.case(id)
    done = runledger("run", "suite", "-j", "1", cwd=tmp_path)

    results = map(json.loads, (done.run / "results.jsonl").read_text().splitlines())
    pids = {line["id"]: line["output"]["pid"] for line in results if line["status"] == "passed"}
    assert done.failure_types("c2") == ["agent_exited_early"]
    assert pids["c3"] == pids["c4"] != pids["c1"]
    assert not list(survivors(suite.mark))


def test_a_lone_surrogate_and_a_huge_integer_are_recorded_and_shown(tmp_path: Path) -> None:
    """What JSON allows and UTF-8 does not is written escaped; every view stays valid."""
    agent = """
        read()
        print('{"type": "final_output", "output": {"a": "\\\\ud800", "n": ' + "9" * 30 + '}}')
    """
    suite = write_suite(tmp_path / "suite", agent)
    suite.case("a", assertions=[{"type": "equals", "path": "a", "value": "b"}])
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 1
    assert "9" * 30 in (done.run / "results.jsonl").read_text(encoding="utf-8")
    for file in done.run.iterdir():
        file.read_text(encoding="utf-8")


def test_a_case_of_one_suite_among_several_is_found(tmp_path: Path) -> None:
    """A name is unknown only if no suite has it; suites without it are left out."""
    echo_suite(tmp_path / "one", "a", suite_name="one")
    echo_suite(tmp_path / "two", "b", suite_name="two")
    done = runledger("run", "one", "two", "--case", "b", cwd=tmp_path)

    assert done.code == 0
    assert done.run.parent.name == "two"
    assert runledger("run", "one", "two", "--case", "c", cwd=tmp_path).code == 2


def test_a_flood_of_messages_costs_only_its_own_case(tmp_path: Path) -> None:
    """Thousands of lines, then a crash: the other cases run, and the run has its end."""
    agent = """
        task = read()
        if task["input"]["q"] == "a":
            sys.stdout.write('{"type":"log","message":""}\\n' * 20_000)
            sys.exit(1)
        send("final_output", output={})
    """
    write_suite(tmp_path / "suite", agent).case("a").case("b")
    done = runledger("run", "suite", "-j", "1", cwd=tmp_path)

    assert done.code == 1
    assert done.failure_types("a") == ["agent_exited_early"]
    assert done.case("b")["status"] == "passed"
    assert done.events[-1]["type"] == "run_end"


def test_talking_without_pause_does_not_stop_the_clock(tmp_path: Path) -> None:
    """An agent that always has a line ready still meets its deadline."""
    agent = """
        read()
        while True: send("log", message="still here"); time.sleep(0.001)
    """
    suite = write_suite(tmp_path / "suite", agent, grace_ms=100)
    suite.case("a", budgets={"max_wall_ms": 500})

    assert "timeout" in runledger("run", "suite", cwd=tmp_path).failure_types("a")


def test_a_result_that_cannot_be_printed_is_exit_3(tmp_path: Path) -> None:
    """A full disk behind standard output is not success."""
    echo_suite(tmp_path / "suite", "a")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("run", "suite", "--format", "json"),
            cwd=tmp_path,
            env=clean_environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 3
    assert b"could not print the result" in done.stderr


def test_the_kind_of_an_assertion_is_part_of_a_cases_hash(tmp_path: Path) -> None:
    """A changed case has a changed hash in the manifest."""
    hashes = set()
    for type in ("must_call", "must_not_call"):
        suite = write_suite(tmp_path / type / "suite", ECHO)
        suite.case("a", assertions=[{"type": type, "tools": ["search"]}])
        run = runledger("run", "suite", cwd=tmp_path / type).run
        hashes.add(json.loads((run / "manifest.json").read_text())["cases"][0]["sha256"])

    assert len(hashes) == 2


def test_fail_fast_starts_no_further_suite(tmp_path: Path) -> None:
    """After a failing suite the next one is not begun."""
    write_suite(tmp_path / "poor", ECHO, suite_name="poor").case("a")
    echo_suite(tmp_path / "good", "a", suite_name="good")
    done = runledger("run", "poor", "good", "--fail-fast", cwd=tmp_path)

    assert done.code == 1
    assert done.run.parent.name == "poor"


def test_a_failed_trial_decides_its_case_whatever_was_not_run(tmp_path: Path) -> None:
    """With --fail-fast and -k the case has failed; it is not merely unfinished."""
    write_suite(tmp_path / "suite", ECHO).case("a")
    done = runledger("run", "suite", "-k", "3", "--fail-fast", "-j", "1", cwd=tmp_path)

    assert done.case("a")["status"] == "failed"
    assert 'failures="1"' in (done.run / "junit.xml").read_text()


NUMBERS = {
    "infinite sum": 'send("usage", cost_usd=1e308); send("usage", cost_usd=1e308)',
    "huge tokens": 'send("usage", tokens_out=10**40)',
    "huge data": 'send("task_error", message="x", data=10**400)',
    "huge output": 'send("final_output", output={"a": 10**299})',
    "too huge output": 'send("final_output", output={"a": 10**400})',
}


@pytest.mark.parametrize("numbers", NUMBERS)
def test_no_number_of_an_agents_can_break_the_record(tmp_path: Path, numbers: str) -> None:
    """Whatever it counts or answers, every line is JSON and every view is made."""
    suite = write_suite(tmp_path / "suite", f"read(); {NUMBERS[numbers]}")
    suite.case("a", assertions=[{"type": "equals", "path": "a", "value": 1}])
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 1
    assert done.events[-1]["type"] == "run_end"
    assert "Infinity" not in (done.run / "run.jsonl").read_text()
    assert runledger("report", done.run, cwd=tmp_path).code == 0


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_change_nothing(tmp_path: Path, closed: str) -> None:
    """Without standard streams the run is the same, and its files are not written into."""
    echo_suite(tmp_path / "suite", "a")
    words = " ".join(map(shlex.quote, command("run", "suite")))
    done = subprocess.run(
        ["sh", "-c", f"{words} {closed}"], cwd=tmp_path, env=clean_environment(), check=False
    )
    (run,) = tmp_path.glob(".agentci/runs/demo/*")

    assert done.returncode == 0
    for name in ("run.jsonl", "results.jsonl"):
        for line in (run / name).read_text().splitlines():
            json.loads(line)


def test_what_a_reused_agent_said_late_is_not_the_next_answer(tmp_path: Path) -> None:
    """A second answer that waits in the pipe belongs to no later case."""
    agent = """
        while task := read():
            send("final_output", output={"for": task["task_id"]})
            if task["task_id"] == "a":
                time.sleep(0.1)
                send("final_output", output={"for": "b", "x": "stale"})
    """
    slow = 'import sys, time; time.sleep(0.6); print(\'{"pass": true, "score": 1}\')'
    suite = write_suite(tmp_path / "suite", agent, agent_reuse=True)
    suite.case("a", assertions=[{"type": "script", "command": ["{python}", "-c", slow]}])
    suite.case("b", assertions=[{"type": "required_fields", "fields": ["x"]}])
    done = runledger("run", "suite", "-j", "1", cwd=tmp_path)

    assert done.failure_types("b") == ["assertion_failed"]


def test_unused_recordings_are_noted_where_the_suite_wants_a_warning(tmp_path: Path) -> None:
    """`unused: warn` passes, and says so."""
    suite = write_suite(tmp_path / "suite", ECHO, cassettes={"unused": "warn"})
    suite.case("a", [entry("search", 1, q="a"), entry("search", 1, q="other")])
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 0
    assert "note: a: recorded answers were not used" in done.out


def test_costs_add_up_as_people_add_them(tmp_path: Path) -> None:
    """Ten cents and twenty cents are thirty cents."""
    agent = """
        read()
        send("usage", cost_usd=0.1)
        send("usage", cost_usd=0.2)
        send("final_output", output={})
    """
    write_suite(tmp_path / "suite", agent, budgets={"max_cost_usd": 0.3}).case("a")

    assert runledger("run", "suite", cwd=tmp_path).code == 0


def test_an_output_directory_that_leads_out_by_a_link_is_refused(tmp_path: Path) -> None:
    """A suite cannot write outside the directory it is run from."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here/link").symlink_to(tmp_path)
    echo_suite(tmp_path / "here/suite", "a", output_dir="link/out")
    done = runledger("run", "suite", cwd=tmp_path / "here")

    assert done.code == 2
    assert "output_dir" in done.err
    assert not (tmp_path / "out").exists()


def test_values_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    """Eight megabytes of empty lists are hundreds of megabytes once read."""
    agent = "read(); send('log', message='x', data=[[]] * 2_000_000); input()"
    write_suite(tmp_path / "suite", agent).case("a")
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.failure_types("a") == ["message_too_large"]


def test_a_long_complaint_is_cut_in_the_summary(tmp_path: Path) -> None:
    """A failure quotes what a person can read."""
    agent = "read(); send('task_error', message='x' * 1_000_000, data=['y' * 1_000_000])"
    write_suite(tmp_path / "suite", agent).case("a")
    done = runledger("run", "suite", cwd=tmp_path)

    assert (done.run / "summary.json").stat().st_size < 20_000
    assert (done.run / "run.jsonl").stat().st_size > 1_000_000


def test_a_suite_in_a_directory_of_any_name_runs(tmp_path: Path) -> None:
    """A name that is not UTF-8 is written escaped in the record."""
    name = os.fsdecode(b"caf\xe9")
    echo_suite(tmp_path / name, "a")
    done = runledger("run", name, cwd=tmp_path)

    assert done.code == 0
    manifest = json.loads((done.run / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["suite"]["directory"].endswith("caf\\udce9")
