"""Which attempts of an experiment count: a function of what was recorded, and of nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .attempt import Attempt, Block, Slot, Standing
from .findings import BenchRecord, Discard


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
    settling = Settling()
    for one in attempts:
        settling.add(one)
    whole = [one for one in settling.rounds.values() if not one.left(conditions)]
    counting = {one.slot: one for round in whole for one in round.last.values()}
    return Settled(counting, tuple(settling.discards), settling.rounds)


def settled_in(record: BenchRecord) -> Settled:
    """Tell which attempts of a run count."""
    return settle(record.attempts, [one.name for one in record.experiment.conditions])


class Settling:
    """The rounds that attempts make up, as one after the other ends."""

    def __init__(self) -> None:
        self.rounds: dict[Block, Round] = {}  # the last one of each block
        self.discards: list[Discard] = []
        self._told: dict[str, str] = {}  # the model and the version that were told first

    def add(self, attempt: Attempt) -> None:
        """Let one more attempt take its place in its round."""
        one = self._of_one_model(attempt)
        block = Block(one.slot.task_id, one.slot.trial)
        before = self.rounds.get(block)
        kept = before.last if before is not None and before.number == one.round else {}
        self.rounds[block] = Round(one.round, {**kept, one.slot.condition: one})
        standing = one.standing
        if standing.state == "discarded" and standing.cause is not None:
            self.discards.append(Discard(one.slot, one.number, standing.cause, standing.message))

    def _of_one_model(self, attempt: Attempt) -> Attempt:
        """Discard what another model, or another version of the agent, did than the first."""
        if attempt.standing.state != "counts":
            return attempt
        for what, told in (("model", attempt.model), ("agent's version", attempt.version)):
            if told is not None and (known := self._told.setdefault(what, told)) != told:
                message = f"the {what} was {told}, and {known} in the runs before"
                return replace(attempt, standing=Standing("discarded", "model_changed", message))
        return attempt
