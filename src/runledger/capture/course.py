"""The course of an experiment: what its attempts so far leave to be done, and in which order."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..ledger.attempt import Attempt, Block, PlannedRun, Slot
from ..ledger.settled import Round, Settling
from .plan import order_again


class Turn(NamedTuple):
    """Which attempt is due: at which slot, its number, and where in its round it stands."""

    slot: Slot
    number: int  # over all rounds
    round: int
    place: int  # in its block
    tries: int  # in this round, this one included


class Course:
    """All attempts so far, the rounds they make up, and the turns that are left.

    Threads share it, but each block is in the hands of one of them.
    """

    def __init__(
        self,
        plan: Sequence[PlannedRun],
        seed: int,
        attempts: Sequence[Attempt] = (),
        tries: Mapping[Slot, int] | None = None,
    ) -> None:
        self._seed = seed
        self._settling = Settling()
        self._made: Counter[tuple[Slot, int]] = Counter()  # attempts, by slot and round
        self._tries = dict(tries or {})  # the last number of each slot, ended or not
        self._spent_usd = 0.0
        self._lock = threading.Lock()
        self._orders: dict[Block, list[str]] = {}
        for run in plan:
            block = Block(run.slot.task_id, run.slot.trial)
            self._orders.setdefault(block, []).append(run.slot.condition)
        self._conditions = sorted({run.slot.condition for run in plan})
        for one in attempts:
            self.add(one)

    def discards(self) -> int:
        """Count the attempts that were discarded, without their partners."""
        with self._lock:
            return len(self._settling.discards)

    def tasks(self) -> list[list[Block]]:
        """List the blocks that have a run left, in the planned order, task by task.

        Those of one task are not to be run side by side.
        """
        by_task: dict[str, list[Block]] = {}
        for block in self._orders:
            if self._left(block):
                by_task.setdefault(block.task_id, []).append(block)
        return list(by_task.values())

    def left(self) -> int:
        """Count the runs that are left, as far as anybody can know."""
        return sum(map(self._left, self._orders))

    def spent_usd(self) -> float:
        """Add up what all attempts cost, as far as anybody knows."""
        return self._spent_usd

    def turns(self, block: Block) -> Iterator[Turn]:
        """Yield the turns of a block's round: each after the attempt before it was added.

        Once a run is discarded the others of the round are not run: the block begins again.
        """
        number, order = self._round(block)
        for place, condition in enumerate(order, start=1):
            slot = Slot(block.task_id, condition, block.trial)
            while not self._ended(block, number, condition):
                yield self._turn(slot, number, place)
            if self._is_void(block, number):
                return

    def add(self, attempt: Attempt) -> None:
        """Take note of an attempt that has ended; what it said is not kept."""
        slot = attempt.slot
        if slot.condition not in self._orders.get(Block(slot.task_id, slot.trial), ()):
            raise AssertionError(f"{slot} is not in the plan")
        with self._lock:
            self._settling.add(replace(attempt, output=None))
            self._made[slot, attempt.round] += 1
            self._tries[slot] = max(attempt.number, self._tries.get(slot, 0))
            self._spent_usd += attempt.usage.cost_usd or 0.0

    def _last(self, block: Block) -> Round | None:
        with self._lock:
            return self._settling.rounds.get(block)

    def _left(self, block: Block) -> int:
        last = self._last(block)
        if last is None or last.void:
            return len(self._conditions)
        return len(last.left(self._conditions))

    def _round(self, block: Block) -> tuple[int, list[str]]:
        """Give the number of the round that a block is in, and its order."""
        last = self._last(block)
        number = 1 if last is None else last.number + last.void
        if number == 1:
            return 1, self._orders[block]
        return number, order_again(block, self._conditions, number, self._seed)

    def _ended(self, block: Block, number: int, condition: str) -> bool:
        last = self._last(block)
        if last is None or last.number != number or condition not in last.last:
            return False
        return last.last[condition].standing.state != "retried"

    def _is_void(self, block: Block, number: int) -> bool:
        last = self._last(block)
        return last is not None and last.number == number and last.void

    def _turn(self, slot: Slot, round: int, place: int) -> Turn:
        with self._lock:
            tries = self._made[slot, round] + 1
            return Turn(slot, self._tries.get(slot, 0) + 1, round, place, tries)
