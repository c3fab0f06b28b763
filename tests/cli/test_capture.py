"""runledger capture, on real agents of ours: prompts in, results out, and on with it later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from cli.asked import ECHO, NOTED_ECHO, Desk
from kit import clean_environment, command, runledger, survivors, write_suite

GRADER = """
def grade(output, expected):
    return {"pass": output["said"] == expected, "score": 1.0, "outcome": {"seen": True}}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give a directory with three prompts and an agent that echoes them."""
    return Desk(tmp_path).prompts("one", "two", "three").agent(ECHO)


# --- results ---


def test_a_result_has_the_published_shape(desk: Desk) -> None:
    """A line for each prompt, in the seed's words and those that were added."""
    desk.prompts({"id": "a", "input": "one", "expected": "1", "metadata": {"category": "ui"}})

    done = desk.capture("-o", "out.jsonl")

    (line,) = desk.lines()
    assert done.code == 0, done.err
    assert list(line) == [
        *("id", "input", "output", "expected", "trajectory", "metadata", "timing"),
        *("toolErrors", "toolErrorsDerived", "usage", "exitInfo"),
    ]
    assert line["metadata"] == {"agent": "python3 agent.py", "category": "ui"}
    assert line["timing"]["start"] <= line["timing"]["end"]
    assert line["exitInfo"]["exitCode"] == 0


def test_results_go_to_standard_output_without_a_file(desk: Desk) -> None:
    """So that commands compose; all else is on standard error."""
    done = desk.capture("--progress")

    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["p1", "p2", "p3"]
    assert "[3/3] done" in done.err


def test_prompts_are_not_overwritten_by_their_results(desk: Desk) -> None:
    """A slip of the fingers must not cost them."""
    before = (desk.path / "prompts.jsonl").read_text()

    done = desk.capture("-o", "prompts.jsonl")

    assert done.code == 2
    assert "holds the prompts" in done.err
    assert (desk.path / "prompts.jsonl").read_text() == before


def test_a_file_of_dots_has_its_run_below_the_output_directory(desk: Desk) -> None:
    """Where `latest` looks for it."""
    (desk.path / "prompts.jsonl").rename(desk.path / "...jsonl")

    done = runledger(
        "capture", "...jsonl", "--protocol", "stdio", "python3", "agent.py", cwd=desk.path
    )

    assert done.run.parent.name == "prompts"


def test_prompts_come_from_standard_input(desk: Desk) -> None:
    """For `-`."""
    done = subprocess.run(
        command("capture", "-", "--protocol", "stdio", "python3", "agent.py"),
        input=(desk.path / "prompts.jsonl").read_bytes(),
        cwd=desk.path,
        env=clean_environment(),
        capture_output=True,
        check=False,
    )

    assert len(done.stdout.splitlines()) == 3, done.stderr
    assert (desk.path / ".agentci/runs/stdin").is_dir()


def test_a_capture_is_a_run_too(desk: Desk) -> None:
    """It has a record, of which every view can be made."""
    done = desk.capture("-o", "out.jsonl")

    assert done.summary["totals"]["cases"] == 3
    assert done.run.parent.name == "prompts"
    assert runledger("report", "latest", cwd=desk.path).code == 0
    assert str(done.run.name) in runledger("report", "out.jsonl", cwd=desk.path).out
    desk.file("other.jsonl", "{}\n")
    assert "is of no run" in runledger("report", "other.jsonl", cwd=desk.path).err
    results = [json.loads(line) for line in (done.run / "results.jsonl").read_text().splitlines()]
    assert {line["status"] for line in results} == {"passed"}
    assert [line["id"] for line in desk.lines()] == [line["id"] for line in results]


def test_a_suite_can_be_captured_with_its_own_agent(tmp_path: Path) -> None:
    """Its cases, its tools and its mode are its own."""
    assert runledger("init", ".", cwd=tmp_path).code == 0
    (suite,) = (path.parent for path in tmp_path.rglob("suite.yaml"))

    done = runledger("capture", suite, "-o", "out.jsonl", cwd=tmp_path)

    assert done.code == 0, done.err
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["trajectory"]


def test_a_suite_keeps_its_own_agent(tmp_path: Path) -> None:
    """A file of the same name where the command is called is another one; so are flags."""
    suite = write_suite(tmp_path / "suite", 'read()\nsend("final_output", output={"own": True})')
    suite.case("a")
    (tmp_path / "agent.py").write_text("raise SystemExit(1)")

    done = runledger("capture", "suite", "-o", "out.jsonl", cwd=tmp_path)

    assert done.code == 0, done.err
    assert json.loads((tmp_path / "out.jsonl").read_text())["output"] == {"own": True}
    for flags in (["--env", "A=b"], ["--permissions", "reject"], ["-c", "suite"]):
        refused = runledger("capture", "suite", *flags, cwd=tmp_path)
        assert refused.code == 2
        assert flags[0] in refused.err


def test_a_script_is_found_from_any_workspace(desk: Desk) -> None:
    """Also behind flags of the interpreter."""
    words = ("capture", "prompts.jsonl", "--protocol", "stdio", "--workspace-dir", "w")

    done = runledger(*words, "--", "python3", "-u", "agent.py", cwd=desk.path)

    assert done.code == 0, done.err


def test_what_an_adapter_passes_on_is_hidden_too(desk: Desk) -> None:
    """As what the command line passes on."""
    desk.file("mine.json", '{"schema_version": 1, "name": "mine", "env": {"pass": ["MY_HEADERS"]}}')
    secret = "X-Proxy: 8c1f0a4be2d94d7d"

    done = runledger(
        "capture", "prompts.jsonl", "--adapter", "./mine.json", "sh", "-o", "out.jsonl",
        "--", "-c", 'echo "$MY_HEADERS"', cwd=desk.path, env={"MY_HEADERS": secret},
    )  # fmt: skip

    assert done.code == 0, done.err
    assert secret not in (desk.path / "out.jsonl").read_text()


def test_many_jobs_capture_each_prompt_once(desk: Desk) -> None:
    """Whatever the order in which they end."""
    desk.prompts(*map(str, range(20)))

    done = desk.capture("-o", "out.jsonl", "-j", "4")

    assert done.code == 0
    assert sorted(line["id"] for line in desk.lines()) == sorted(f"p{n}" for n in range(1, 21))


def test_a_secret_of_the_environment_is_in_no_file(desk: Desk) -> None:
    """The agent gets it, says it, and no file tells it."""
    desk.agent("""
        read()
        send("final_output", output={"key": os.environ["MY_API_KEY"]})
    """)
    secret = "sk-ant-0123456789abcdefghijkl"

    done = desk.capture("-o", "out.jsonl", "--env", "MY_API_KEY", env={"MY_API_KEY": secret})

    assert done.code == 0, done.err
    written = "".join(path.read_text() for path in desk.path.rglob("*") if path.is_file())
    assert secret not in written + done.out + done.err
    assert "[REDACTED" in json.dumps(desk.lines())


# --- faults of agents ---


def test_a_crash_is_told_and_costs_no_other_prompt(desk: Desk) -> None:
    """The exit code says that an agent failed."""
    desk.agent("""
        task = read()
        if task["task_id"] == "p2":
            print("out of cheese", file=sys.stderr)
            sys.exit(7)
        send("final_output", output={})
    """)

    done = desk.capture("-o", "out.jsonl")

    first, second, third = desk.lines()
    assert done.code == 1
    assert "exited with status 7" in second["errors"][0]
    assert second["exitInfo"]["exitCode"] == 7
    assert second["output"] == ""
    assert "errors" not in first
    assert "errors" not in third
    assert "exited with status 7 before its final output (stderr: out of cheese)" in done.err


def test_a_prompts_own_timeout_goes_over_the_flag(desk: Desk) -> None:
    """And it is no budget, which nobody wrote."""
    desk.prompts({"id": "a", "input": "x", "timeout": 300}).agent("read()\ntime.sleep(1000)\n")

    done = desk.capture("-o", "out.jsonl", "-t", "60000")

    (line,) = desk.lines()
    assert done.code == 1
    assert line["errors"] == [
        "case timeout waiting for agent message: over 300 ms (timeout)",
    ]
    assert line["exitInfo"]["timedOut"]


def test_the_flag_limits_prompts_without_a_timeout(desk: Desk) -> None:
    """In milliseconds."""
    desk.prompts("x").agent("read()\ntime.sleep(1000)\n")

    desk.capture("-o", "out.jsonl", "-t", "250")

    assert "over 250 ms" in desk.lines()[0]["errors"][0]


def test_nothing_that_an_agent_started_survives(desk: Desk) -> None:
    """Whatever way it ends."""
    desk.agent("""
        read()
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        send("final_output", output={})
    """)

    desk.capture("-o", "out.jsonl", "--env", "RL_MARK=mark-of-this-capture-7431")

    assert not list(survivors("mark-of-this-capture-7431"))


# --- bad input ---


def test_a_bad_prompt_is_named_before_any_agent_starts(desk: Desk) -> None:
    """With its line; what was captured before is untouched."""
    desk.agent(NOTED_ECHO).capture("-o", "out.jsonl")
    before = (desk.path / "out.jsonl").read_bytes()
    with (desk.path / "prompts.jsonl").open("a") as file:
        file.write('{"id": "x", "inptu": "y"}\nnot json\n')

    done = desk.capture("-o", "out.jsonl")

    assert done.code == 2
    assert "prompts.jsonl:4: inptu: unknown key; did you mean input?" in done.err
    assert "prompts.jsonl:5: not JSON" in done.err
    assert (desk.path / "out.jsonl").read_bytes() == before
    assert len(desk.asked()) == 3


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--protocol", "stdio", "no-such-agent"], 3, "no program of this name is on the PATH"),
        (["--protocol", "stdio", "./missing"], 3, "No such file or directory"),
        ([], 2, "which agent? name its command after the prompts"),
        (["--protocol", "headless", "x"], 2, "needs --adapter (known: "),
        (["--adapter", "claud"], 2, "did you mean claude?"),
        (["x", "--mcp-server", "{"], 2, "--mcp-server '{': "),
        (["x", "--mcp-server", '{"nam": "a"}'], 2, "did you mean name?"),
        (["x", "--env", "=1"], 2, "names no variable"),
        (["x", "--append"], 2, "--append goes on with a file: name it with -o"),
        (["--protocol", "stdio", "python3", "--fs"], 2, "--fs goes with --protocol acp"),
        (["x", "-c", "nowhere"], 2, "there is no directory nowhere"),
        (["x", "-g", "nowhere.py"], 2, "there is no file nowhere.py"),
        (["x", "--fail-under", "0.5"], 2, "--fail-under needs a grader"),
        (["x", "--permissions", "nowhere.yaml"], 2, "nowhere.yaml: cannot be read"),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_done(
    desk: Desk, words: list[str], code: int, told: str
) -> None:
    """With its exit code, and without a run."""
    done = runledger("capture", "prompts.jsonl", *words, cwd=desk.path)

    assert (done.code, done.runs) == (code, [])
    assert told in done.err


def test_flags_of_the_agent_are_told_their_place(desk: Desk) -> None:
    """They are easily taken for ours."""
    done = runledger("capture", "prompts.jsonl", "claude", "--model", "sonnet", cwd=desk.path)

    assert done.code == 2
    assert "flags of the agent itself go after --" in done.err


def test_a_missing_file_of_prompts_is_named(desk: Desk) -> None:
    """As any file."""
    done = runledger("capture", "nowhere.jsonl", "python3", cwd=desk.path)

    assert done.code == 2
    assert "nowhere.jsonl: cannot be read" in done.err


# --- going on ---


def test_append_asks_only_what_is_not_there(desk: Desk) -> None:
    """Same id and same input is finished; a changed input is another prompt."""
    desk.agent(NOTED_ECHO).capture("-o", "out.jsonl")
    desk.prompts("one", "TWO", "three", "four")

    done = desk.capture("-o", "out.jsonl", "--append")

    assert done.code == 0
    assert desk.asked() == ["p1", "p2", "p3", "p2", "p4"]
    assert [line["id"] for line in desk.lines()] == ["p1", "p2", "p3", "p2", "p4"]
    assert "2 were there already" in done.err


def test_append_repairs_a_torn_line_and_erases_nothing(desk: Desk) -> None:
    """The torn one is asked again."""
    desk.agent(NOTED_ECHO).capture("-o", "out.jsonl")
    whole = (desk.path / "out.jsonl").read_bytes()
    (desk.path / "out.jsonl").write_bytes(whole[:-20])

    done = desk.capture("-o", "out.jsonl", "--append")

    assert "out.jsonl:3: the last line is torn" in done.err
    assert desk.asked()[3:] == ["p3"]
    assert (desk.path / "out.jsonl").read_bytes().startswith(b"\n".join(whole.splitlines()[:2]))
    assert [line["id"] for line in desk.lines()] == ["p1", "p2", "p3"]


def test_a_prompt_that_could_not_begin_has_no_line_and_is_asked_again(desk: Desk) -> None:
    """A broken interpreter is nobody's answer."""
    agent = desk.file("agent.sh", "#!/no/such/interpreter\n")
    agent.chmod(0o755)
    first = runledger(
        "capture", "prompts.jsonl", "--protocol", "stdio", "./agent.sh", "-o", "out.jsonl",
        cwd=desk.path,
    )  # fmt: skip
    agent.write_text("#!/bin/sh\nexec python3 agent.py\n")
    second = runledger(
        "capture", "prompts.jsonl", "--protocol", "stdio", "./agent.sh", "-o", "out.jsonl",
        "--append", cwd=desk.path,
    )  # fmt: skip

    assert (first.code, second.code) == (3, 0), second.err
    assert "is the interpreter in its first line there?" in first.err
    assert [line["id"] for line in desk.lines()] == ["p1", "p2", "p3"]


def test_a_kill_loses_only_what_was_in_flight(desk: Desk) -> None:
    """Going on continues the same run; nothing that was finished is asked again."""
    desk.prompts(*map(str, range(6))).agent("""
        task = read()
        with open("asked.txt", "a") as file:
            file.write(task["task_id"] + "\\n")
        while task["task_id"] == "p4" and not os.path.exists("go"):
            time.sleep(0.01)
        send("final_output", output={})
    """)
    process = desk.begin("capture", "-o", "out.jsonl")
    desk.until("asked.txt", "p4\n")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (desk.path / "go").touch()

    done = desk.capture("-o", "out.jsonl", "--append")

    assert done.code == 0, done.err
    assert desk.asked() == ["p1", "p2", "p3", "p4", "p4", "p5", "p6"]
    assert [line["id"] for line in desk.lines()] == [f"p{n}" for n in range(1, 7)]
    assert done.summary["totals"]["passed"] == 6  # all in the one run
    endings = [event for event in done.events if event["type"] == "case_end"]
    assert [(one["case_id"], one["attempt"]) for one in endings][3] == ("p4", 2)
    assert [event["seq"] for event in done.events] == [*range(1, len(done.events) + 1)]


def test_an_agent_that_was_edited_begins_a_new_run_and_says_so(desk: Desk) -> None:
    """Results of two agents never share a record, and what changed is named."""
    desk.agent(NOTED_ECHO).capture("-o", "out.jsonl")
    (run,) = desk.path.glob(".agentci/runs/*/*")
    log = (run / "run.jsonl").read_bytes().splitlines(keepends=True)
    (run / "run.jsonl").write_bytes(b"".join(log[:-1]))  # no run_end
    (desk.path / "out.jsonl").write_bytes(b"")

    done = desk.agent(NOTED_ECHO + "# edited\n").capture("-o", "out.jsonl", "--append")

    assert done.code == 0
    assert f"{run.name} is not gone on with: since it began, agent.py" in done.err
    assert "was edited" in done.err
    assert len(done.runs) == 2


def test_a_result_that_did_not_reach_the_file_is_taken_from_the_run(desk: Desk) -> None:
    """When the kill came between the two."""
    desk.agent(NOTED_ECHO).capture("-o", "out.jsonl")
    (run,) = desk.path.glob(".agentci/runs/*/*")
    log = (run / "run.jsonl").read_bytes().splitlines(keepends=True)
    (run / "run.jsonl").write_bytes(b"".join(log[:-1]))  # no run_end
    lines = (desk.path / "out.jsonl").read_bytes().splitlines(keepends=True)
    (desk.path / "out.jsonl").write_bytes(lines[0])

    done = desk.capture("-o", "out.jsonl", "--append")

    assert done.code == 0
    assert desk.asked() == ["p1", "p2", "p3"]
    assert (desk.path / "out.jsonl").read_bytes().splitlines(keepends=True) == lines


def test_a_capture_that_is_still_going_on_is_left_alone(desk: Desk) -> None:
    """Two processes never write one record."""
    desk.prompts("x").agent("""
        read()
        open("begun", "w").close()
        while not os.path.exists("go"):
            time.sleep(0.01)
        send("final_output", output={})
    """)
    process = desk.begin("capture", "-o", "out.jsonl")
    desk.until("begun")

    done = desk.capture("-o", "out.jsonl", "--append")
    (desk.path / "go").touch()

    assert process.wait() == 0
    assert done.code == 3
    assert "is being written by another process" in done.err


def test_going_on_does_not_make_good_what_went_wrong(desk: Desk) -> None:
    """The exit code tells of all that the file holds."""
    desk.prompts("x").agent("sys.exit(1)")
    assert desk.capture("-o", "out.jsonl").code == 1
    assert desk.capture("-o", "out.jsonl", "--append").code == 1

    desk.agent(ECHO).file("grader.py", "def grade(output):\n    raise RuntimeError\n")
    assert desk.capture("-o", "new.jsonl", "-g", "grader.py").code == 3
    done = desk.capture("-o", "new.jsonl", "-g", "grader.py", "--append")
    assert done.code == 3
    assert "to judge again: runledger grade new.jsonl -g grader.py" in done.err


def test_only_a_file_can_be_gone_on_with(desk: Desk) -> None:
    """A pipe would be read for ever, and notes are no results."""
    os.mkfifo(desk.path / "pipe")
    desk.file("notes.txt", "important notes of mine")

    for name, told in (
        ("pipe", "--append goes on with a file, and pipe is none"),
        ("notes.txt", "notes.txt:1: this is no file of results"),
        ("nowhere/out.jsonl", "there is no directory nowhere"),
    ):
        done = desk.capture("-o", name, "--append")
        assert done.code == 2
        assert told in done.err
    assert (desk.path / "notes.txt").read_text() == "important notes of mine"


def test_a_limit_beyond_all_clocks_is_one(desk: Desk) -> None:
    """It is as long as anybody may wait."""
    desk.prompts({"id": "a", "input": "x", "timeout": 10**19})

    assert desk.capture("-o", "out.jsonl").code == 0
    assert desk.prompts("x").capture("-t", "99999999999999").code == 0


def test_an_output_of_another_kind_is_not_appended_to(desk: Desk) -> None:
    """A capture and trials have lines of their own."""
    desk.trials("-k", "1", "-o", "out.jsonl")

    done = desk.capture("-o", "out.jsonl", "--append")

    assert done.code == 2
    assert "out.jsonl:1: this is a line of trials; choose another -o" in done.err


def test_ctrl_c_keeps_what_is_captured(desk: Desk) -> None:
    """And going on finishes the rest."""
    desk.prompts("one", "two").agent("""
        task = read()
        while task["task_id"] == "p2" and not os.path.exists("go"):
            open("begun", "w").close()
            time.sleep(0.01)
        send("final_output", output={})
    """)
    process = desk.begin("capture", "-o", "out.jsonl")
    desk.until("begun")
    process.send_signal(signal.SIGINT)

    assert process.wait() == 130
    assert [line["id"] for line in desk.lines()] == ["p1"]
    (desk.path / "go").touch()
    assert desk.capture("-o", "out.jsonl", "--append").code == 0
    assert [line["id"] for line in desk.lines()] == ["p1", "p2"]


# --- graders ---


def test_a_grader_gives_each_result_a_score(desk: Desk) -> None:
    """A grade never changes the exit code, unless --fail-under asks for more."""
    desk.prompts(
        {"id": "a", "input": "x", "expected": "x"}, {"id": "b", "input": "x", "expected": "y"}
    ).file("grader.py", GRADER)

    done = desk.capture("-o", "out.jsonl", "-g", "grader.py")

    good, bad = desk.lines()
    assert done.code == 0
    assert good["score"] == {"pass": True, "score": 1.0}
    assert good["outcome"] == {"seen": True}
    assert bad["score"]["pass"] is False
    assert "1 of 2 passed" in done.err
    assert desk.capture("-g", "grader.py", "--fail-under", "0.5").code == 0
    assert desk.capture("-g", "grader.py", "--fail-under", "0.6").code == 1


def test_a_grader_that_fails_costs_no_output(desk: Desk) -> None:
    """It is neither pass nor fail, and the exit code is 3."""
    desk.file("grader.py", "def grade(output):\n    raise RuntimeError('no judge here')\n")

    done = desk.capture("-o", "out.jsonl", "-g", "grader.py")

    assert done.code == 3
    for line in desk.lines():
        assert "score" not in line
        assert "no judge here" in line["errors"][0]
        assert line["output"]["said"]


def test_an_agent_that_gave_nothing_fails_the_grade(desk: Desk) -> None:
    """A crash is a failing trial, not one that nobody judged."""
    desk.prompts("x").agent("sys.exit(1)").file("grader.py", GRADER)

    desk.capture("-o", "out.jsonl", "-g", "grader.py")

    assert desk.lines()[0]["score"]["pass"] is False


# --- workspaces ---

WRITER = """
task = read()
before = sorted(os.listdir("."))
with open("made.txt", "w") as file:
    file.write(task["task_id"])
send("final_output", output={"before": before, "cwd": os.getcwd()})
"""


def test_each_prompt_gets_an_empty_workspace(desk: Desk) -> None:
    """Made in the directory that is named, and gone afterwards; --keep leaves it."""
    desk.agent(WRITER)

    done = desk.capture("-o", "out.jsonl", "--workspace-dir", "w", "-j", "2")

    assert done.code == 0, done.err
    assert all(line["output"]["before"] == [] for line in desk.lines())
    assert not list((desk.path / "w").glob("p*"))
    desk.capture("-o", "out.jsonl", "--workspace-dir", "w", "--keep")
    assert (desk.path / "w/p2/made.txt").read_text() == "p2"


def test_each_prompt_gets_a_copy_of_a_template(desk: Desk) -> None:
    """A directory with files in it is what workspaces are copies of."""
    desk.agent(WRITER).file("template/a.txt", "a")

    desk.capture("-o", "out.jsonl", "--workspace-dir", "template")

    assert all(line["output"]["before"] == ["a.txt"] for line in desk.lines())
    assert sorted(path.name for path in (desk.path / "template").iterdir()) == ["a.txt"]
    assert not any(Path(line["output"]["cwd"]).exists() for line in desk.lines())


def test_the_working_directory_is_a_template_too(desk: Desk) -> None:
    """With -c, workspaces are made in one directory from another."""
    desk.agent(WRITER).file("template/a.txt", "a")

    desk.capture("-o", "out.jsonl", "-c", "template", "--workspace-dir", "w", "--keep")

    assert all(line["output"]["before"] == ["a.txt"] for line in desk.lines())
    assert (desk.path / "w/p1/made.txt").exists()
    assert not (desk.path / "template/made.txt").exists()


def test_a_grader_sees_what_the_agent_did_to_the_files(desk: Desk) -> None:
    """Its cwd is the workspace, as long as it judges."""
    desk.agent(WRITER).file(
        "grader.py",
        """
        from pathlib import Path

        def grade(cwd, input):
            return {"pass": (Path(cwd) / "made.txt").exists(), "score": 1.0}
        """,
    )

    desk.capture("-o", "out.jsonl", "--workspace-dir", "w", "-g", "grader.py")

    assert all(line["score"]["pass"] for line in desk.lines())


# --- cost ---


def test_nothing_new_starts_once_the_money_is_spent(desk: Desk) -> None:
    """The exit code says that the run is not whole, and going on is possible."""
    desk.agent("""
        read()
        send("usage", tokens_in=10, tokens_out=5, cost_usd=0.5)
        send("final_output", output={})
    """)

    done = desk.capture("-o", "out.jsonl", "--max-total-cost-usd", "0.7")

    assert done.code == 3
    assert [line["usage"]["costUsd"] for line in desk.lines()] == [0.5, 0.5]
    assert "1 not finished" in done.err
    assert "--max-total-cost-usd" in done.err
    again = desk.capture("-o", "out.jsonl", "--append", "--max-total-cost-usd", "0.7")
    assert (again.code, len(desk.lines())) == (3, 2)  # it is a total
    assert desk.capture("-o", "out.jsonl", "--append").code == 0
    assert len(desk.lines()) == 3
