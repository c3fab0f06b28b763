"""runledger trials, on real agents of ours: k trials a prompt, and what they come to."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from cli.asked import Desk

FLAKY = """
task = read()
count = len(open("asked.txt").read().split()) if os.path.exists("asked.txt") else 0
with open("asked.txt", "a") as file:
    file.write(task["task_id"] + "\\n")
send("final_output", output={"said": "good" if task["input"] != "odd" or count % 2 else "bad"})
"""
GRADER = """
def grade(output):
    return {"pass": output["said"] == "good", "score": 1.0 if output["said"] == "good" else 0.0}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give two prompts, of which the agent answers one well every other time."""
    made = Desk(tmp_path).prompts("even", "odd").agent(FLAKY)
    made.file("grader.py", GRADER)
    return made


def test_a_prompt_has_one_line_with_all_its_trials(desk: Desk) -> None:
    """In the seed's words and formulas, with estimates beside them."""
    done = desk.trials("-k", "4", "-g", "grader.py", "-o", "out.jsonl")

    even, odd = desk.lines()
    assert done.code == 0, done.err
    assert (even["k"], even["passRate"], even["passAtK"], even["passExpK"]) == (4, 1.0, 1.0, 1.0)
    assert (odd["passRate"], odd["passAtK"], odd["passExpK"]) == (0.5, 0.9375, 0.0625)
    assert [entry["trialNum"] for entry in odd["trials"]] == [1, 2, 3, 4]
    assert {"output", "trajectory", "duration", "pass", "score"} <= odd["trials"][0].keys()
    assert [one["k"] for one in odd["estimates"]] == [1, 2, 3, 4]
    assert odd["estimates"][1]["passAtK"] == pytest.approx(1 - 1 / 6)


def test_the_end_tells_pass_at_k_and_names_flaky_prompts(desk: Desk) -> None:
    """On standard error, so that standard output stays data."""
    done = desk.trials("-k", "2", "-g", "grader.py")

    assert "pass@k" in done.err
    assert "pass^k" in done.err
    assert "p2" in done.err
    assert len(done.out.splitlines()) == 2


def test_without_a_grader_there_is_no_rate(desk: Desk) -> None:
    """Only the trials."""
    desk.trials("-k", "2", "-o", "out.jsonl")

    assert all(not {"passRate", "estimates"} & line.keys() for line in desk.lines())


def test_step_ids_name_the_trial(desk: Desk) -> None:
    """So that every step of a file has one of its own."""
    desk.agent("""
        task = read()
        send("tool_call", name="a", call_id="c1", args={})
        send("final_output", output={})
    """)

    desk.trials("-k", "2", "-o", "out.jsonl")

    steps = [entry["trajectory"][0]["stepId"] for entry in desk.lines()[0]["trials"]]
    assert steps == ["p1-t1-step-1", "p1-t2-step-1"]


def test_a_crash_counts_as_a_failing_trial(desk: Desk) -> None:
    """And the exit code says that an agent failed."""
    desk.prompts("x").agent("read()\nsys.exit(3)\n")

    done = desk.trials("-k", "2", "-g", "grader.py", "-o", "out.jsonl")

    (line,) = desk.lines()
    assert done.code == 1
    assert line["passRate"] == 0.0
    assert "exited with status 3" in line["trials"][0]["reasoning"]


def test_a_kill_between_two_trials_loses_neither(desk: Desk) -> None:
    """Trials that were finished are not tried again, though their prompt had no line yet."""
    desk.prompts("x").agent("""
        read()
        count = len(os.listdir("tries"))
        open(f"tries/{count}", "w").close()
        while count == 2 and not os.path.exists("go"):
            time.sleep(0.01)
        send("final_output", output={"said": "good"})
    """)
    (desk.path / "tries").mkdir()
    process = desk.begin("trials", "-k", "4", "-o", "out.jsonl")
    desk.until("tries/2")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    (desk.path / "go").touch()

    done = desk.trials("-k", "4", "-o", "out.jsonl", "--append")

    (line,) = desk.lines()
    assert done.code == 0, done.err
    assert [entry["trialNum"] for entry in line["trials"]] == [1, 2, 3, 4]
    assert len(list((desk.path / "tries").iterdir())) == 5  # four, and the one in flight


def test_another_number_of_trials_cannot_go_on_with_a_file(desk: Desk) -> None:
    """Its lines would mean something else."""
    desk.trials("-k", "1", "-o", "out.jsonl")

    done = desk.trials("-k", "2", "-o", "out.jsonl", "--append")

    assert done.code == 2
    assert "this prompt had 1 trials, not 2" in done.err
