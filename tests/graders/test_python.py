"""Python functions of the user's as graders, each in a real process."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from graders.trials import TASK, answering, calling, stopped
from runledger.graders import Judge, Place
from runledger.graders.custom import CustomGrader
from runledger.graders.hosts import Hosts
from runledger.ledger.grade import Failure, Grade
from runledger.ledger.question import Question
from runledger.ledger.value import Json
from runledger.process.supervisor import Supervisor


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Give a directory of the caller's, and hosts that last as long as the test."""
    with Supervisor() as supervisor, Hosts(supervisor, str(tmp_path)) as hosts:
        yield Place(str(tmp_path), supervisor, 30.0, caller=str(tmp_path), hosts=hosts)


def written(place: Place, code: str, name: str = "check.py") -> Judge:
    """Write a grader in Python and open it."""
    Path(place.caller, name).write_text(textwrap.dedent(code))
    return CustomGrader(name, place)


def about(output: Json, expected: Json = None) -> Question:
    """Ask about an answer."""
    return Question("q", output, expected)


def fault(grade: Grade) -> Failure:
    """Expect that the grader itself is at fault."""
    (failure,) = grade.failures
    assert failure.type == "grader_error"
    assert not grade.passed
    return failure


def test_a_function_judges_by_what_it_has_parameters_for(place: Place) -> None:
    """It is given its parameters by name; score, reasoning and outcome are kept."""
    judge = written(
        place,
        """
        def grade(expected, output):
            verdict = {"pass": expected in output, "score": 0.75}
            return {**verdict, "reasoning": "x", "outcome": {"n": 1}}
        """,
    )

    assert judge.judge(about("abc", "b")) == Grade("check.py", True, 0.75, (), "x", {"n": 1})


def test_a_function_sees_the_whole_trial(place: Place) -> None:
    """All of the protocol comes as keywords, and cwd is where the agent worked."""
    there = replace(place, workspace="/somewhere")
    Path(place.caller, "all.py").write_text(
        "def grade(**seen): return {'pass': True, 'score': 1, 'outcome': seen}"
    )
    grade = CustomGrader("all.py", there).grade(calling("open"))

    assert isinstance(grade.outcome, dict)
    steps = grade.outcome.pop("trajectory")
    assert [step["name"] for step in steps] == ["open"]
    assert grade.outcome == {
        "input": TASK.input,
        "output": {"done": True},
        "expected": TASK.expected,
        "metadata": {"n": 1},
        "cwd": "/somewhere",
    }


def test_a_function_may_be_async(place: Place) -> None:
    """It is awaited, each time in the same loop."""
    judge = written(
        place,
        """
        import asyncio
        loops = set()

        async def grade(output):
            await asyncio.sleep(0)
            loops.add(id(asyncio.get_running_loop()))
            return {"pass": True, "score": 1, "outcome": {"loops": len(loops)}}
        """,
    )

    assert [judge.judge(about("a")).outcome for _ in range(2)] == [{"loops": 1}] * 2


def test_a_failing_verdict_is_signed_with_the_name_of_the_file(place: Place) -> None:
    """The name and the reasoning are the message."""
    Path(place.caller, "deep").mkdir()
    judge = written(
        place,
        "def grade(): return {'pass': False, 'score': 0, 'reasoning': 'too terse'}",
        "deep/a.py",
    )
    (failure,) = judge.judge(about("a")).failures

    assert failure.type == "assertion_failed"
    assert failure.message == "a.py: too terse"


def test_what_a_grader_prints_does_no_harm(place: Place) -> None:
    """Its standard output is not ours."""
    judge = written(
        place,
        """
        import os, sys
        print("loading")

        def grade(output):
            print("judging")
            os.write(1, b"noise\\n")
            return {"pass": True, "score": 1}
        """,
    )

    assert judge.judge(about("a")).passed


def test_one_process_serves_many_questions(place: Place) -> None:
    """What is imported once is kept."""
    judge = written(
        place,
        """
        import os

        def grade():
            return {"pass": True, "score": 1, "outcome": {"pid": os.getpid()}}
        """,
    )
    pids = [judge.judge(about("a")).outcome for _ in range(3)]

    assert pids[0] == pids[1] == pids[2]


def test_each_job_has_a_process_of_its_own(place: Place) -> None:
    """Two questions at the same time meet at a barrier only if two processes serve them."""
    judge = written(
        place,
        """
        import os, pathlib, time

        def grade(output, cwd):
            pathlib.Path(cwd, output).touch()
            while len(list(pathlib.Path(cwd).glob("job-*"))) < 2:
                time.sleep(0.01)
            return {"pass": True, "score": 1, "outcome": {"pid": os.getpid()}}
        """,
    )
    questions = [replace(about(name), cwd=place.caller) for name in ("job-1", "job-2")]
    with ThreadPoolExecutor(2) as pool:
        outcomes = [grade.outcome for grade in pool.map(judge.judge, questions)]

    assert outcomes[0] != outcomes[1]


def test_a_grader_that_raises_is_at_fault_and_goes_on(place: Place) -> None:
    """The exception and its place in the user's file are told; the next question is judged."""
    judge = written(
        place,
        """
        def grade(output):
            return {"pass": True, "score": 1 / len(output)}
        """,
    )
    failure = fault(judge.judge(about("")))

    assert failure.message.startswith("check.py: ZeroDivisionError: division by zero")
    assert "check.py" in str(failure.details["stderr"])
    assert judge.judge(about("a")).passed


def test_a_grader_that_hangs_is_at_fault_and_is_replaced(place: Place) -> None:
    """It is ended at its time limit, and the next question has a new process."""
    quick = replace(place, timeout_s=1.0)
    judge = written(
        quick,
        """
        import time

        def grade(output):
            time.sleep(600 if output == "hang" else 0)
            return {"pass": True, "score": 1}
        """,
    )

    assert "timed out after 1 s" in fault(judge.judge(about("hang"))).message
    assert judge.judge(about("a")).passed


def test_a_grader_that_dies_is_at_fault_and_is_replaced(place: Place) -> None:
    """How it ended is told, and the next question has a new process."""
    judge = written(
        place,
        """
        import os

        def grade(output):
            if output == "die":
                os._exit(7)
            return {"pass": True, "score": 1}
        """,
    )

    assert "exited with status 7" in fault(judge.judge(about("die"))).message
    assert judge.judge(about("a")).passed


def test_a_grader_that_calls_exit_is_at_fault(place: Place) -> None:
    """sys.exit(0) is no verdict."""
    judge = written(place, "import sys\ndef grade(): sys.exit(0)")

    assert "sys.exit(0)" in fault(judge.judge(about("a"))).message


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("True", "must be a dict with pass and score; found True"),
        ("None", "must be a dict with pass and score; found None"),
        ("{'pass': 'yes', 'score': 1}", '"pass" must be true or false, found "yes"'),
        ("{'pass': 1, 'score': 1}", '"pass" must be true or false, found 1'),
        ("{'score': 1}", '"pass" must be true or false, found nothing'),
        ("{'pass': True}", '"score" must be a number from 0 to 1, found nothing'),
        ("{'pass': True, 'score': 1.5}", '"score" must be a number from 0 to 1, found 1.5'),
        ("{'pass': True, 'score': True}", '"score" must be a number from 0 to 1, found true'),
        ("{'pass': True, 'score': float('nan')}", "not JSON: nan at $.score"),
        ("{'pass': True, 'score': 1, 'outcome': {1}}", "a value of type set at $.outcome"),
        ("{'pass': True, 'score': 1, 'reasoning': 3}", '"reasoning" must be text, found 3'),
    ],
)
def test_a_grader_that_returns_rubbish_is_at_fault(place: Place, answer: str, reason: str) -> None:
    """What was found is told."""
    judge = written(place, f"def grade(): return {answer}")

    assert reason in fault(judge.judge(about("a"))).message


def test_a_trial_nested_too_deep_cannot_be_handed_over(place: Place) -> None:
    """It is said, and the next question is judged."""
    deep: Json = "x"
    for _ in range(100_000):
        deep = [deep]
    judge = written(place, "def grade(): return {'pass': True, 'score': 1}")

    assert "nested too deep" in fault(judge.judge(about(deep))).message
    assert judge.judge(about("a")).passed


def test_a_big_answer_and_odd_text_reach_the_grader(place: Place) -> None:
    """Megabytes and half a surrogate pair arrive as they are."""
    judge = written(
        place, "def grade(output): return {'pass': output[-2:] == '\\ud800b', 'score': 1}"
    )

    assert judge.judge(about("x" * 9_000_000 + "\ud800b")).passed


def test_many_answers_do_not_wear_a_host_out(place: Place) -> None:
    """Nothing that a host said before counts against what it says now."""
    judge = written(
        place,
        """
        def grade(output):
            return {"pass": True, "score": 1, "outcome": {"x": "y" * 7_000_000}}
        """,
    )

    assert all(judge.judge(about("a")).passed for _ in range(16))


def test_a_trial_that_was_stopped_is_not_given_to_the_function(place: Place) -> None:
    """A grader that expects an answer would crash, and the run would not be valid."""
    judge = written(place, "def grade(): raise ValueError")
    grade = judge.grade(stopped("cassette_miss"))

    assert [failure.type for failure in grade.failures] == ["assertion_failed"]


def test_without_a_pool_each_question_has_a_process(place: Place) -> None:
    """A place without hosts will do, at a price."""
    judge = written(
        replace(place, hosts=None),
        """
        import os
        def grade(): return {"pass": True, "score": 1, "outcome": {"pid": os.getpid()}}
        """,
    )
    trial = answering("a")

    assert judge.grade(trial).outcome != judge.grade(trial).outcome


def test_hosts_leave_nothing_behind(tmp_path: Path) -> None:
    """When the pool is closed, its processes are gone."""
    with Supervisor() as supervisor, Hosts(supervisor, str(tmp_path)) as hosts:
        place = Place(str(tmp_path), supervisor, caller=str(tmp_path), hosts=hosts)
        judge = written(
            place,
            """
            import os
            def grade(): return {"pass": True, "score": 1, "outcome": {"pid": os.getpid()}}
            """,
        )
        outcome = judge.judge(about("a")).outcome
        hosts.close()

        assert isinstance(outcome, dict)
        assert not Path(f"/proc/{outcome['pid']}").exists()
