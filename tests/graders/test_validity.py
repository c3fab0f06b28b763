"""Whether an attempt of an experiment counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graders.trials import trial
from runledger.graders.validity import Seen, standing_of
from runledger.ledger.attempt import COUNTS, Standing
from runledger.ledger.event import (
    Failed,
    FinalOutput,
    Happening,
    Message,
    Thought,
    ToolCall,
    ToolResult,
)
from runledger.ledger.experiment import Condition, Marks, Retries
from runledger.ledger.grade import Failure
from runledger.ledger.trajectory import Exit, Trajectory
from runledger.ledger.value import Json

ANY = Condition("without")
THRICE, ONCE = Retries(), Retries(max_attempts=1)
LIMITED = Retries(patterns=("(?i)rate limit", "overloaded"))


def judged(
    trajectory: Trajectory,
    *,
    condition: Condition = ANY,
    retries: Retries = THRICE,
    tries: int = 1,
) -> Standing:
    """Decide about an attempt of which the runner saw nothing special."""
    return standing_of(trajectory, condition, retries, Seen(("q",)), tries)


def failed(type: str, message: str = "it broke", **details: Json) -> Failed:
    """Make the event of a failure."""
    return Failed(Failure(type, message, details))


def test_an_answer_counts() -> None:
    """Whatever it says."""
    assert judged(trial(Message("42"), FinalOutput("42"))) == COUNTS


@pytest.mark.parametrize("type", ["spawn_failed", "internal_error"])
def test_a_run_that_never_started_is_discarded(type: str) -> None:
    """Seed 004 section 7: nothing can be said of an agent that was not there."""
    standing = judged(trial(failed(type, "no such program: claud")))

    assert standing == Standing("discarded", "not_started", "no such program: claud")


# ------------------------------------------------------------------ empty outputs


@pytest.mark.parametrize("output", ["", " \n\t", None])
def test_an_empty_output_is_tried_again(output: Json) -> None:
    """Seed 004 section 1: up to 3 attempts are made if the output is empty."""
    standings = [judged(trial(FinalOutput(output)), tries=tries) for tries in (1, 2)]

    assert [(one.state, one.cause) for one in standings] == [("retried", "empty_output")] * 2


def test_a_run_whose_output_stays_empty_is_discarded() -> None:
    """Seed 004 section 7: a run whose output is empty after 3 attempts is discarded."""
    standing = judged(trial(failed("agent_exited_early", "exited with status 1")), tries=3)

    assert (standing.state, standing.cause) == ("discarded", "empty_output")
    assert standing.message == (
        "the output is empty; last error: exited with status 1 (attempt 3 of 3)"
    )


def test_an_agent_that_worked_and_then_answered_nothing_is_tried_again() -> None:
    """It did not die: it ended well, with nothing to say."""
    standing = judged(trial(ToolCall("Read", "a", {}), ToolResult("a", True), FinalOutput("")))

    assert (standing.state, standing.cause) == ("retried", "empty_output")


def test_an_output_is_empty_below_the_bytes_that_are_wanted() -> None:
    """Bytes are counted, not characters; objects have those of their canonical text."""
    retries = Retries(min_bytes=6)

    assert judged(trial(FinalOutput("ééé")), retries=retries) == COUNTS
    assert judged(trial(FinalOutput({"a": 1})), retries=retries) == COUNTS
    assert judged(trial(FinalOutput(" 12345\n")), retries=retries).message == (
        "the output is of 5 bytes; last error: none was told"
    )


@pytest.mark.parametrize(
    ("exit", "error"),
    [
        (Exit(stderr="warming up\nno key\n"), "no key"),
        (Exit(signal="SIGKILL"), "the agent was ended by SIGKILL"),
        (Exit(code=4), "the agent exited with status 4"),
        (Exit(code=0), "none was told"),
    ],
)
def test_the_last_error_is_told(exit: Exit, error: str) -> None:
    """Where no failure tells it, the process does."""
    standing = judged(replace(trial(FinalOutput("")), exit=exit), retries=ONCE)

    assert standing.message == f"the output is empty; last error: {error} (attempt 1 of 1)"


# ------------------------------------------------------------------ crashes


@pytest.mark.parametrize(
    "work", [ToolCall("Read", "a", {}), Message("I look."), Thought("hm")], ids=lambda one: one.type
)
def test_an_agent_that_dies_in_its_work_is_discarded_at_once(work: Happening) -> None:
    """Seed 004 section 7: a run in which the agent crashes midway is discarded."""
    standing = judged(trial(work, failed("agent_exited_early", "was ended by SIGSEGV")))

    assert standing == Standing("discarded", "crashed", "it died in its work: was ended by SIGSEGV")


def test_the_last_words_of_an_agent_that_died_are_told() -> None:
    """They stand on its standard error."""
    died = failed("agent_exited_early", "exited with status 1", stderr="a\nout of memory\n")

    assert judged(trial(Message("I look."), died)).message == (
        "it died in its work: exited with status 1 (stderr: out of memory)"
    )


def test_an_agent_that_dies_before_it_says_anything_is_tried_again() -> None:
    """Seed 004 section 1: such an output is empty."""
    standing = judged(trial(failed("agent_exited_early", "exited with status 1")))

    assert (standing.state, standing.cause) == ("retried", "empty_output")


def test_an_answer_stands_though_the_agent_dies_after_it() -> None:
    """Its exit is on record."""
    answered = trial(Message("42"), FinalOutput("42"))

    assert judged(replace(answered, exit=Exit(code=1))) == COUNTS
    assert judged(trial(FinalOutput("42"), failed("agent_exited_early"))) == COUNTS


@pytest.mark.parametrize("type", ["protocol_error", "message_too_large", "task_error"])
def test_an_answer_that_something_broke_after_is_discarded(type: str) -> None:
    """Nobody knows which answer was meant."""
    standing = judged(trial(FinalOutput("42"), failed(type, "a second final output")))

    assert standing == Standing("discarded", "crashed", "after its answer: a second final output")


@pytest.mark.parametrize("type", ["assertion_failed", "grader_error"])
def test_what_graders_say_is_not_about_validity(type: str) -> None:
    """A wrong answer counts."""
    assert judged(trial(FinalOutput("41"), failed(type))) == COUNTS


# ------------------------------------------------------------------ out of time


@pytest.mark.parametrize("type", ["timeout", "budget_exceeded"])
def test_a_run_out_of_time_counts(type: str) -> None:
    """To discard it would hide a condition that makes the agent slow."""
    assert judged(trial(Message("I look."), failed(type)), tries=3) == COUNTS
    assert judged(trial(failed(type))) == COUNTS


def test_a_run_out_of_time_must_keep_to_its_condition() -> None:
    """But it is not blamed for tools that it had no time to use."""
    late = trial(ToolCall("Task", "a", {}), failed("timeout"))

    assert judged(late, condition=Condition("x", forbid=Marks(used=("Task",)))).cause == "violated"
    assert judged(late, condition=Condition("x", expect=Marks(used=("Read",)))) == COUNTS


# ------------------------------------------------------------------ patterns


@pytest.mark.parametrize(
    "trajectory",
    [
        trial(FinalOutput("Error: Rate Limit reached")),
        trial(FinalOutput({"error": "rate limit"})),
        trial(failed("task_error", "the agent gave up: 529 overloaded")),
        trial(failed("agent_exited_early", stderr="hit a rate limit")),
        trial(Message("You are over your rate limit."), failed("agent_exited_early")),
        replace(trial(FinalOutput("42")), exit=Exit(stderr="rate limit: slow down")),
        trial(Message("I look."), failed("timeout", "rate limit")),
    ],
    ids=["output", "object", "failure", "stderr of it", "message", "stderr", "timeout"],
)
def test_a_declared_pattern_has_an_attempt_repeated(trajectory: Trajectory) -> None:
    """Wherever the agent said it; when no attempt is left, the run is discarded."""
    first, last = (judged(trajectory, retries=LIMITED, tries=tries) for tries in (1, 3))

    assert (first.state, first.cause) == ("retried", "retry_pattern")
    assert (last.state, last.cause) == ("discarded", "retry_pattern")
    assert last.message.endswith("is in what it said (attempt 3 of 3)")


def test_patterns_that_match_nothing_change_nothing() -> None:
    """Odd details of a failure are no text to look into."""
    odd = trial(FinalOutput("42"), failed("assertion_failed", stderr=["rate limit"]))

    assert judged(odd, retries=LIMITED) == COUNTS


# ------------------------------------------------------------------ all together


def test_violations_are_told_all_at_once() -> None:
    """Seed 004 section 1: a WITHOUT run must have no trace of the injected context."""
    condition = Condition("without", forbid=Marks(prompt=("q",), used=("Task",)))
    standing = judged(trial(ToolCall("Task", "a", {}), FinalOutput("42")), condition=condition)

    assert standing == Standing(
        "discarded",
        "violated",
        'forbid.used has Task, and the agent used Task; forbid.prompt has "q", '
        "and the agent was told it",
    )


def test_a_huge_output_is_judged_and_not_quoted() -> None:
    """Messages stay short."""
    said = trial(FinalOutput("x" * 5_000_000 + "rate limit"))
    broken = trial(FinalOutput("42"), failed("protocol_error", "word " * 1_000_000))

    assert len(judged(said, retries=LIMITED).message) < 200
    assert len(judged(broken).message) < 1000
