"""Which attempts of an experiment count: a function of what was recorded, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .attempt import Attempt, Block, Slot, Standing
from .findings import Discard


@dataclass(frozen=True, slots=True)
class Round:
    """One go at a block: the last attempt at each of its runs, by condition."""

    number: int
    last: Mapping[str, Attempt]

    @property
    def void(self) -> bool:
        """Say whether the block has to be run again as a whole."""
        return any(one.standing.state == "discarded" for one in self.last.values())

    def left(self, order: Sequence[str]) -> list[str]:
        """List the conditions that have no run that counts yet, in this order."""
        return [name for name in order if not self.has(name)]

    def has(self, condition: str) -> bool:
        """Say whether a condition's run has ended and counts."""
        found = self.last.get(condition)
        return found is not None and found.standing.state == "counts"


@dataclass(frozen=True, slots=True)
class Settled:
    """What the attempts so far come to."""

    counting: Mapping[Slot, Attempt] = field(default_factory=dict)  # of whole blocks only
    discards: tuple[Discard, ...] = ()
    rounds: Mapping[Block, Round] = field(default_factory=dict)  # the last one of each block


def settle(attempts: Iterable[Attempt], conditions: Sequence[str]) -> Settled:
    """Tell which attempts count; one of another model than the first is a discard, too."""
    judged = _of_one_model(attempts)
    last: dict[Block, Round] = {}
    for one in judged:
        block = Block(one.slot.task_id, one.slot.trial)
        before = last.get(block)
        kept = before.last if before is not None and before.number == one.round else {}
        last[block] = Round(one.round, {**kept, one.slot.condition: one})
    whole = [one for one in last.values() if not one.left(conditions)]
    return Settled(
        counting={one.slot: one for round in whole for one in round.last.values()},
        discards=tuple(_discard(one) for one in judged if one.standing.state == "discarded"),
        rounds=last,
    )


def _of_one_model(attempts: Iterable[Attempt]) -> list[Attempt]:
    """Discard what another model or version of the agent did than the first that was told."""
    first = _Told()
    return [first.judge(one) for one in attempts]


class _Told:
    """The model and the version that were told first."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def judge(self, attempt: Attempt) -> Attempt:
        if attempt.standing.state != "counts":
            return attempt
        for what, told in (("model", attempt.model), ("agent's version", attempt.version)):
            known = self._known.setdefault(what, told) if told is not None else None
            if told is not None and known != told:
                message = f"the {what} was {told}, and {known} in the runs before"
                return replace(attempt, standing=Standing("discarded", "model_changed", message))
        return attempt


def _discard(attempt: Attempt) -> Discard:
    cause = attempt.standing.cause
    assert cause is not None
    return Discard(attempt.slot, attempt.number, cause, attempt.standing.message)
