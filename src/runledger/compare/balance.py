"""How prompts are spread over the categories of one key of their metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..ledger.fingerprint import canonical_dumps
from ..ledger.path import find
from ..ledger.value import Absent, Json

MOST = 50  # percent: a category that has more than this speaks for all the others
FEWEST = 3  # prompts of a category from which anything can be told
SMALLEST = 20  # prompts in all


@dataclass(frozen=True, slots=True)
class Category:
    """One value of the key, and how many prompts have it."""

    name: str
    count: int
    percentage: float  # of all prompts


@dataclass(frozen=True, slots=True)
class Balance:
    """The categories of a key, the most frequent first."""

    key: str
    threshold: float  # percent of an even share
    total: int
    categories: Sequence[Category]
    missing: int  # prompts that lack the key

    @property
    def underrepresented(self) -> tuple[str, ...]:
        """Name the categories that have less than the threshold of an even share."""
        counted = self.total - self.missing
        # Whole numbers, so that exactly the threshold is never less than it.
        return tuple(
            one.name
            for one in self.categories
            if one.count * len(self.categories) * 100 < self.threshold * counted
        )


def balance_of(records: Iterable[Mapping[str, Json]], key: str, threshold: float) -> Balance:
    """Count the prompts, each given by its metadata, by the value of a key; dotted ones lead in."""
    names = [_name(metadata, key) for metadata in records]
    counts = Counter(name for name in names if name is not None)
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    categories = [Category(name, n, round(100 * n / len(names), 1)) for name, n in ordered]
    return Balance(key, threshold, len(names), categories, names.count(None))


def suggestions_for(balance: Balance) -> list[str]:
    """Say what would make the prompts speak for more than they do."""
    return list(_suggestions(balance)) or ["the prompts are well balanced"]


def _suggestions(balance: Balance) -> Iterator[str]:
    if balance.missing:
        yield f"{balance.missing} of {balance.total} prompts have no {balance.key}: give them one"
    if balance.underrepresented:
        yield f"add prompts for: {', '.join(balance.underrepresented)}"
    for one in balance.categories:
        if one.percentage > MOST and len(balance.categories) > 1:
            yield f"{one.name} has {one.percentage:g}% of the prompts: add others"
    few = [one.name for one in balance.categories if one.count < FEWEST]
    if few:
        yield f"fewer than {FEWEST} prompts tell little: {', '.join(few)}"
    if balance.total < SMALLEST:
        yield f"{balance.total} prompts are few: from {SMALLEST} on, rates begin to mean something"


def _name(metadata: Mapping[str, Json], key: str) -> str | None:
    found = metadata[key] if key in metadata else find(metadata, key)
    if found is None or isinstance(found, Absent):
        return None
    return found if isinstance(found, str) else canonical_dumps(found)
