"""How far the judges of an experiment agree, two by two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TypeAlias

from ...ledger.attempt import Slot
from ...ledger.experiment import Word
from ...ledger.findings import Agreement, BenchRecord, Disagreement
from ..kappa import kappa_of
from .scores import verdicts_given
from .sides import Outcomes

Words: TypeAlias = Mapping[tuple[Slot, str], Word]  # of the criteria of each run


def agreements_of(outcomes: Outcomes) -> Iterator[Agreement]:
    """Compare every two judges over the criteria of runs that count and that both judged."""
    words = _by_judge(outcomes)
    for a, b in combinations(_in_order(outcomes.record, words), 2):
        both = [question for question in words[a] if question in words[b]]
        if not both:
            continue
        said = [(words[a][one], words[b][one]) for one in both]
        found = kappa_of(said, outcomes.record.experiment.level)
        differ = tuple(
            Disagreement(slot, criterion, word_a, word_b)
            for (slot, criterion), (word_a, word_b) in zip(both, said, strict=True)
            if word_a != word_b
        )
        yield Agreement(a, b, len(both), len(both) - len(differ), found.value, found.ci, differ)


def _by_judge(outcomes: Outcomes) -> Mapping[str, Words]:
    given = verdicts_given(outcomes.record)
    words: dict[str, dict[tuple[Slot, str], Word]] = {}
    for run in outcomes.runs:
        for criterion in run.run.points:
            question = (run.attempt.slot, run.attempt.number, criterion)
            for one in given.get(question, ()):
                if one.verdict is not None:
                    words.setdefault(one.judge, {})[one.slot, criterion] = one.verdict
    return words


def _in_order(record: BenchRecord, words: Mapping[str, Words]) -> list[str]:
    """List the judges as the experiment does, then the others."""
    known = [one.id for one in record.experiment.scoring.judges if one.id in words]
    return [*known, *sorted(words.keys() - {*known})]
