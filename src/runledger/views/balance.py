"""How prompts are spread over categories: as a JSON document, and as a table to look at."""

from __future__ import annotations

from collections.abc import Iterator

from ..compare.balance import Balance, Category, suggestions_for
from ..ledger.printable import columns, one_line
from ..ledger.value import Json

SCHEMA_VERSION = 1
NAME_CHARS = 40
ROWS = 50
BAR = 20  # columns of a bar of 100 percent


def balance_fields(balance: Balance) -> dict[str, Json]:
    """Write a balance as its document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "key": balance.key,
        "threshold": balance.threshold,
        "totalCases": balance.total,
        "categories": [_fields(one) for one in balance.categories],
        "missing": balance.missing,
        "underrepresented": list(balance.underrepresented),
        "suggestions": list(suggestions_for(balance)),
    }


def render_balance(balance: Balance) -> str:
    """Show a balance in a terminal."""
    return "\n".join(_lines(balance)) + "\n"


def _fields(category: Category) -> dict[str, Json]:
    return {
        "name": category.name,
        "count": category.count,
        "percentage": category.percentage,
    }


def _lines(balance: Balance) -> Iterator[str]:
    yield f"{balance.total} prompts by {one_line(balance.key, NAME_CHARS)}"
    shown = balance.categories[:ROWS]
    width = max((columns(_shown(one)) for one in shown), default=0)
    few = frozenset(balance.underrepresented)
    for one in shown:
        name = _shown(one) + " " * (width - columns(_shown(one)))
        mark = "  underrepresented" if one.name in few else ""
        bar = "#" * round(one.percentage * BAR / 100)
        yield f"  {name}  {one.count:>5}  {one.percentage:>5.1f}%  {bar:<{BAR}}{mark}".rstrip()
    if len(balance.categories) > ROWS:
        yield f"  … and {len(balance.categories) - ROWS} more"
    yield from (f"- {one_line(text, 400)}" for text in suggestions_for(balance))


def _shown(category: Category) -> str:
    return one_line(category.name, NAME_CHARS)
