"""What tokens cost, by a table of public prices; a model that is not in it has no known price."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TypedDict

import orjson

from .tokens import Tokens

PER = 1_000_000

# A dated or pinned name of a model that is priced under its plain one.
_VARIANT = re.compile(r"([-@]20\d{6}|-20\d\d-\d\d-\d\d|-latest|-0\d\d)$")


class Price(TypedDict, total=False):
    """US dollars per million tokens; `over` says from how many tokens of input others hold."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_1h: float
    over: LongPrice


class LongPrice(Price):
    """Prices of a request with more tokens of input than these."""

    tokens: int


def cost_of(model: str | None, tokens: Tokens) -> float | None:
    """Give what an answer cost in US dollars, or None for a model whose price is not known."""
    price = _price_of(model or "")
    if price is None:
        return None
    long = price.get("over")
    return _sum(long if long and tokens.all_input > long["tokens"] else price, tokens)


def _price_of(model: str) -> Price | None:
    known = _prices()
    plain = model.removeprefix("models/")
    return known.get(plain) or known.get(_VARIANT.sub("", plain))


def _sum(price: Price, tokens: Tokens) -> float:
    plain = price["input"]
    written = price.get("cache_write", plain)
    whole = (
        tokens.input * plain
        + tokens.output * price["output"]
        + tokens.cache_read * price.get("cache_read", plain)
        + tokens.cache_write * written
        + tokens.cache_write_1h * price.get("cache_write_1h", written)
    )
    return round(whole / PER, 9)


@cache
def _prices() -> Mapping[str, Price]:
    table = orjson.loads((files(__package__) / "prices.json").read_bytes())
    found: dict[str, Price] = table["models"]
    return found
