"""Programs of the user's as graders, each a real process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from graders.trials import TASK, answering, calling, stopped, trial
from runledger.graders import Place, grader_for
from runledger.ledger.assertion import Script
from runledger.ledger.grade import Failure, Grade
from runledger.ledger.trajectory import Trajectory
from runledger.ledger.value import Json
from runledger.process.supervisor import Supervisor


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Give a suite directory of its own."""
    with Supervisor() as supervisor:
        yield Place(str(tmp_path), supervisor, timeout_s=30.0)


def judged(place: Place, *command: str, trajectory: Trajectory | None = None) -> Grade:
    """Judge a trial by a command."""
    return grader_for(Script(command), place).grade(trajectory or answering({"kind": "account"}))


def judged_by_sh(place: Place, text: str) -> Grade:
    """Judge a trial by a program in sh, with its file in the suite."""
    script = Path(place.directory, "grade.sh")
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o755)
    return judged(place, "./grade.sh")


def fault(grade: Grade) -> Failure:
    """Expect that the grader itself is at fault."""
    (failure,) = grade.failures
    assert failure.type == "grader_error"
    assert not grade.passed
    return failure


def test_a_grader_in_sh_can_pass_a_trial(place: Place) -> None:
    """Score, reasoning and outcome are kept."""
    verdict = '{"pass": true, "score": 0.75, "reasoning": "fine", "outcome": {"n": 1}}'
    grade = judged_by_sh(place, f"cat > /dev/null; echo '{verdict}'")

    assert grade == Grade("script", True, 0.75, (), "fine", {"n": 1})


def test_a_grader_in_python_sees_the_whole_trial(place: Place) -> None:
    """All of the protocol is on its standard input; {python} and {suite} are filled in."""
    code = (
        "import json, sys, os; seen = json.load(sys.stdin); seen['suite'] = sys.argv[1];"
        "print(json.dumps({'pass': True, 'score': 1, 'outcome': seen}))"
    )
    grade = judged(place, "{python}", "-c", code, "{suite}", trajectory=calling(("open", {"n": 1})))
    seen = grade.outcome

    assert isinstance(seen, dict)
    assert seen["trajectory"] == [
        {
            "type": "tool_call",
            "name": "open",
            "status": "completed",
            "input": {"n": 1},
            "output": {},
            "duration": 1,
            "timestamp": 0,
            "stepId": "t1-step-1",
        }
    ]
    del seen["trajectory"]
    assert seen == {
        "input": TASK.input,
        "output": {"done": True},
        "expected": TASK.expected,
        "metadata": {"n": 1},
        "cwd": place.directory,
        "suite": place.directory,
    }


def test_a_trial_without_an_answer_is_judged_with_an_empty_one(place: Place) -> None:
    """A grader may still judge what the agent did."""
    code = (
        "import json, sys; seen = json.load(sys.stdin)['output'];"
        "print(json.dumps({'pass': True, 'score': 1, 'outcome': seen}))"
    )

    assert judged(place, "{python}", "-c", code, trajectory=trial()).outcome == ""


def test_a_trial_that_was_stopped_is_not_given_to_the_program(place: Place) -> None:
    """A grader that expects an answer would crash, and the run would not be valid."""
    grade = judged(place, "false", trajectory=stopped("cassette_miss"))

    assert [failure.type for failure in grade.failures] == ["assertion_failed"]
    assert "no final output; it was stopped by cassette_miss" in grade.failures[0].message


def test_text_that_is_not_quite_unicode_reaches_the_grader(place: Place) -> None:
    """A lone surrogate travels as an escape."""
    code = (
        "import json, sys; seen = json.load(sys.stdin)['output'];"
        "print(json.dumps({'pass': len(seen) == 2, 'score': 1}))"
    )

    assert judged(place, "{python}", "-c", code, trajectory=answering("\ud800b")).passed


def test_a_trial_that_fails_says_why(place: Place) -> None:
    """The command and its reasoning are the message; the score is the grader's own."""
    grade = judged_by_sh(
        place, """echo '{"pass": false, "score": 0.2, "reasoning": "too terse"}'"""
    )

    assert (grade.passed, grade.score, grade.reasoning) == (False, 0.2, "too terse")
    (failure,) = grade.failures
    assert failure.type == "assertion_failed"
    assert failure.message == "script: ./grade.sh: too terse"
    assert failure.details["assertion"] == "script"


def test_a_grader_that_crashes_is_at_fault(place: Place) -> None:
    """Its exit status and the end of its stderr are told, and no verdict is taken from it."""
    failure = fault(
        judged_by_sh(place, """echo '{"pass": true, "score": 1}'; echo oh no >&2; exit 3""")
    )

    assert failure.message == (
        "script: ./grade.sh: it exited with status 3\n"
        r'printed: "{\"pass\": true, \"score\": 1}"' + "\n"
        "stderr: oh no"
    )
    assert failure.details["code"] == 3


def test_a_grader_that_is_killed_is_at_fault(place: Place) -> None:
    """The signal has its name."""
    assert "it was ended by SIGKILL" in fault(judged_by_sh(place, "kill -9 $$")).message


def test_a_grader_that_hangs_is_at_fault(place: Place) -> None:
    """It is ended at its time limit."""
    quick = Place(place.directory, place.supervisor, timeout_s=0.5)

    assert "it did not finish within 0.5 s" in fault(judged_by_sh(quick, "exec sleep 600")).message


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ("all good!", "its output is not one JSON object"),
        ("", "its output is not one JSON object"),
        ("[1]", "its output is not a JSON object"),
        ('{"pass": true, "score": 1}{}', "its output is not one JSON object"),
        ('{"pass": "yes", "score": 1}', '"pass" must be true or false, found "yes"'),
        ('{"score": 1}', '"pass" must be true or false, found nothing'),
        ('{"pass": true, "score": 7}', '"score" must be a number from 0 to 1, found 7'),
        ('{"pass": true, "score": -0.1}', '"score" must be a number from 0 to 1, found -0.1'),
        ('{"pass": true, "score": NaN}', "NaN is not JSON"),
        ('{"pass": true, "score": true}', '"score" must be a number from 0 to 1, found true'),
        ('{"pass": true}', '"score" must be a number from 0 to 1, found nothing'),
        ('{"pass": true, "score": 1, "reasoning": [1]}', '"reasoning" must be text, found [1]'),
    ],
)
def test_a_grader_that_prints_rubbish_is_at_fault(place: Place, printed: str, reason: str) -> None:
    """What is wrong is named, and what was printed is kept."""
    failure = fault(judged_by_sh(place, f"cat <<'END'\n{printed}\nEND"))

    assert reason in failure.message
    assert str(failure.details["stdout"]).strip() == printed


def test_a_grader_that_floods_stderr_still_judges(place: Place) -> None:
    """Megabytes of logging neither block nor blame it."""
    code = (
        "import sys; sys.stderr.write('x' * 20_000_000);"
        """print('{"pass": true, "score": 1}')"""
    )

    assert judged(place, "{python}", "-c", code).passed


def test_a_flood_before_a_crash_leaves_a_short_message(place: Place) -> None:
    """Only the end of stderr is kept."""
    code = "import sys; sys.stderr.write('x' * 20_000_000 + '\\nthe end'); sys.exit(1)"
    failure = fault(judged(place, "{python}", "-c", code))

    assert failure.message.endswith("\nthe end")
    assert len(failure.message) < 1000
    assert len(json.dumps(dict(failure.details))) < 5000


def test_a_grader_that_prints_without_end_is_at_fault(place: Place) -> None:
    """It is ended when it has printed too much."""
    assert "it printed more than" in fault(judged(place, "yes")).message


def test_a_grader_that_never_reads_still_judges(place: Place) -> None:
    """A big trial does not block a grader that ignores its input."""
    big: Json = "x" * 5_000_000
    script = Path(place.directory, "grade.sh")
    script.write_text("""#!/bin/sh\necho '{"pass": true, "score": 1}'\n""")

    assert judged(place, "sh", "grade.sh", trajectory=answering(big)).passed


def test_a_grader_that_is_not_there_is_at_fault(place: Place) -> None:
    """The system's own words say why it could not start."""
    assert "No such file or directory" in fault(judged(place, "./none.py")).message


def test_a_grader_has_the_callers_environment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the user's own code, unlike the agent."""
    monkeypatch.setenv("JUDGE_KEY", "k1")
    grade = judged_by_sh(
        place, """printf '{"pass": true, "score": 1, "reasoning": "%s"}' $JUDGE_KEY"""
    )

    assert grade.reasoning == "k1"


def test_a_trial_nested_too_deep_cannot_be_handed_over(place: Place) -> None:
    """It is said, without a crash."""
    deep: Json = "x"
    for _ in range(100_000):
        deep = [deep]

    assert "nested too deep" in fault(judged(place, "cat", trajectory=answering(deep))).message
