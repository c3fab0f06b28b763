"""The course of an experiment: which attempt is due next, whatever came before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from runledger.capture.course import Course, Turn
from runledger.capture.plan import order_again, plan_runs
from runledger.ledger.attempt import COUNTS, Attempt, Block, Slot, Standing

EMPTY = Standing("retried", "empty_output", "it said nothing")
GONE = Standing("discarded", "crashed", "it crashed")
PLAN = plan_runs(["t1", "t2"], ["a", "b"], 1, 4)


def attempted(turn: Turn, standing: Standing = COUNTS, model: str | None = None) -> Attempt:
    """Make the attempt that a turn asks for."""
    return Attempt(
        turn.slot, turn.number, turn.round, turn.place, standing, "text", 1.0, model=model
    )


def run(
    course: Course, block: Block, standing: Callable[[Turn], Standing] = lambda _: COUNTS
) -> list[Turn]:
    """Run a block to the end of its round."""
    turns = []
    for turn in course.turns(block):
        course.add(attempted(turn, standing(turn)))
        turns.append(turn)
    return turns


def test_a_block_is_run_in_the_planned_order() -> None:
    """The first round of a block is the plan's."""
    course = Course(PLAN, 4)
    block = course.tasks()[0][0]

    turns = run(course, block)

    planned = [one.slot for one in PLAN if one.slot.task_id == block.task_id]
    assert [turn.slot for turn in turns] == planned
    assert [(turn.number, turn.round, turn.place, turn.tries) for turn in turns] == [
        (1, 1, 1, 1),
        (1, 1, 2, 1),
    ]
    assert course.left() == 2


def test_a_retried_attempt_is_followed_by_another() -> None:
    """Seed 004 section 1: an empty output is tried again, within the same place of the order."""
    course = Course(PLAN, 4)

    turns = run(course, course.tasks()[0][0], lambda turn: EMPTY if turn.tries < 3 else COUNTS)

    assert [(turn.place, turn.number) for turn in turns] == [
        (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3),
    ]  # fmt: skip


def test_a_discarded_run_sends_its_block_to_the_next_round() -> None:
    """Seed 004 section 7: the pair is rerun as a pair, in fresh order; its partner is not run."""
    course = Course(PLAN, 4)
    block = course.tasks()[0][0]

    first = run(course, block, lambda turn: GONE)
    second = run(course, block)

    assert len(first) == 1
    assert [turn.round for turn in second] == [2, 2]
    assert [turn.slot.condition for turn in second] == order_again(block, ["a", "b"], 2, 4)
    numbers = {turn.slot: turn.number for turn in second}
    assert numbers[first[0].slot] == 2
    assert course.tasks() == [one for one in Course(PLAN, 4).tasks() if one != [block]]


def test_a_finished_partner_is_run_again_with_its_pair() -> None:
    """What counted in a void round counts no more: both are run again."""
    course = Course(PLAN, 4)
    block = course.tasks()[0][0]

    run(course, block, lambda turn: GONE if turn.place == 2 else COUNTS)

    assert course.left() == 4
    assert len(run(course, block)) == 2
    assert course.left() == 2


def test_nothing_finished_runs_twice() -> None:
    """A course that is taken up again goes on after the last attempt that has ended."""
    course = Course(PLAN, 4)
    block = course.tasks()[0][0]
    turns = course.turns(block)
    done = attempted(next(turns))

    again = Course(PLAN, 4, [done], {done.slot: 1})
    left = run(again, block)

    assert [turn.slot for turn in left] == [
        Slot(block.task_id, "b" if done.slot.condition == "a" else "a", 1)
    ]


def test_an_attempt_that_never_ended_keeps_its_number() -> None:
    """The attempt that a kill broke off is followed by one with the next number."""
    slot = PLAN[0].slot
    course = Course(PLAN, 4, [], {slot: 2})

    turn = next(iter(course.turns(Block(slot.task_id, 1))))

    assert (turn.slot, turn.number, turn.tries) == (slot, 3, 1)


def test_retries_are_counted_on_when_a_course_is_taken_up_again() -> None:
    """Two empty attempts before a kill leave one of three."""
    slot = PLAN[0].slot
    before = [attempted(Turn(slot, number, 1, 1, number), EMPTY) for number in (1, 2)]
    course = Course(PLAN, 4, before, {slot: 2})

    turn = next(iter(course.turns(Block(slot.task_id, 1))))

    assert (turn.number, turn.tries) == (3, 3)


def test_another_model_voids_the_pair() -> None:
    """Seed 004 section 7: a model that changes between conditions is a discard."""
    course = Course(PLAN, 4)
    block = course.tasks()[0][0]
    for number, turn in enumerate(course.turns(block)):
        course.add(attempted(turn, model=f"model-{number}"))

    assert course.discards() == 1
    assert [block] in course.tasks()


def test_trials_of_one_task_are_one_piece_of_work() -> None:
    """What shares a workspace and a prefix is not run side by side."""
    plan = plan_runs(["t1", "t2", "t3"], ["a", "b"], 2, 4)

    pieces = Course(plan, 4).tasks()

    assert sorted(sorted({block.task_id for block in piece}) for piece in pieces) == [
        ["t1"],
        ["t2"],
        ["t3"],
    ]
    assert [len(piece) for piece in pieces] == [2, 2, 2]


def test_an_attempt_that_nobody_planned_is_a_fault() -> None:
    """A slot that the plan does not know would be due for ever."""
    stranger = attempted(Turn(Slot("t1", "[REDACTED]", 1), 1, 1, 1, 1))

    with pytest.raises(AssertionError):
        Course(PLAN, 4).add(stranger)


def test_what_was_spent_is_added_up_over_all_attempts() -> None:
    """Discarded and retried attempts cost money, too."""
    from dataclasses import replace

    from runledger.ledger.usage import Usage

    slot = PLAN[0].slot
    made = attempted(Turn(slot, 1, 1, 1, 1), GONE)
    paid = [replace(made, usage=Usage(cost_usd=cost)) for cost in (0.5, None, 0.25)]

    assert Course(PLAN, 4, paid).spent_usd() == 0.75
