"""The course of an experiment: what its attempts so far leave to be done, and in which order."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..ledger.attempt import Attempt, Block, PlannedRun, Slot
from ..ledger.settled import Round, Settled, settle
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
        self._attempts = list(attempts)
        self._tries = dict(tries or {})  # the last number of each slot, ended or not
        self._lock = threading.Lock()
        self._settled: Settled | None = None  # None: to be found out anew
        self._orders: dict[Block, list[str]] = {}
        for run in plan:
            block = Block(run.slot.task_id, run.slot.trial)
            self._orders.setdefault(block, []).append(run.slot.condition)
        self._conditions = sorted({run.slot.condition for run in plan})

    def settled(self) -> Settled:
        """Tell which attempts count so far."""
        with self._lock:
            if self._settled is None:
                self._settled = settle(self._attempts, self._conditions)
            return self._settled

    def blocks(self) -> list[Block]:
        """List the blocks that have a run left, in the planned order."""
        rounds = self.settled().rounds
        return [block for block in self._orders if self._left(rounds.get(block))]

    def left(self) -> int:
        """Count the runs that are left, as far as anybody can know."""
        rounds = self.settled().rounds
        return sum(self._left(rounds.get(block)) for block in self._orders)

    def spent_usd(self) -> float:
        """Add up what all attempts cost, as far as anybody knows."""
        with self._lock:
            return sum(one.usage.cost_usd or 0.0 for one in self._attempts)

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
        """Take note of an attempt that has ended."""
        with self._lock:
            self._attempts.append(attempt)
            self._settled = None
            self._tries[attempt.slot] = max(attempt.number, self._tries.get(attempt.slot, 0))

    def _left(self, last: Round | None) -> int:
        if last is None or last.void:
            return len(self._conditions)
        return len(last.left(self._conditions))

    def _round(self, block: Block) -> tuple[int, list[str]]:
        """Give the number of the round that a block is in, and its order."""
        last = self.settled().rounds.get(block)
        number = 1 if last is None else last.number + last.void
        if number == 1:
            return 1, self._orders[block]
        return number, order_again(block, self._conditions, number, self._seed)

    def _ended(self, block: Block, number: int, condition: str) -> bool:
        last = self.settled().rounds.get(block)
        if last is None or last.number != number or condition not in last.last:
            return False
        return last.last[condition].standing.state != "retried"

    def _is_void(self, block: Block, number: int) -> bool:
        last = self.settled().rounds.get(block)
        return last is not None and last.number == number and last.void

    def _turn(self, slot: Slot, round: int, place: int) -> Turn:
        with self._lock:
            before = sum(one.slot == slot and one.round == round for one in self._attempts)
            return Turn(slot, self._tries.get(slot, 0) + 1, round, place, before + 1)
