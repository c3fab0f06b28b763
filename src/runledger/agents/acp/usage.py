"""What an ACP agent reports of tokens and cost, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from ...ledger.figure import LARGEST, clamped
from ...ledger.usage import Usage, add_usage
from ...ledger.value import Json
from .shapes import as_list, as_object, text_at

Tokens: TypeAlias = tuple[int | None, int | None]


class Meter:
    """Know what the turns of a session used so far, and tell what the last one did."""

    def __init__(self) -> None:
        self.model: str | None = None
        self._pieces: Usage | None = None
        self._cost: float | None = None
        self._told: float | None = None

    def take(self, update: Mapping[str, Json]) -> None:
        """Note what an update tells: the session's cost so far, or what one request used."""
        used = as_object(as_object(update.get("_meta")).get("usage"))  # qwen, on empty messages
        if used:
            self._pieces = add_usage(self._pieces or Usage(), Usage(*_tokens(used)))
        cost = as_object(update.get("cost"))
        amount = _amount(cost.get("amount"))
        if amount is not None and cost.get("currency", "USD") == "USD":
            self._cost = amount

    def turn(self, response: Json) -> Usage | None:
        """Tell what a turn used, from its response and the cost since the last one."""
        pieces, self._pieces = self._pieces or Usage(), None
        told = _told(as_object(response)) or (pieces.tokens_in, pieces.tokens_out)
        used = Usage(*told, cost_usd=self._new_cost())
        return None if used == Usage() else replace(used, model=self.model)

    def late(self) -> Usage | None:
        """Tell of cost that was named after the last turn had ended."""
        cost = self._new_cost()
        return None if cost is None else Usage(cost_usd=cost, model=self.model)

    def _new_cost(self) -> float | None:
        if self._cost is None or self._cost == self._told:
            return None
        since, self._told = max(0.0, self._cost - (self._told or 0.0)), self._cost
        return since


def model_in(session: Json) -> str | None:
    """Find the model that a new session says it uses."""
    known = as_object(session)
    if found := text_at(known.get("models"), "currentModelId"):
        return found
    options = as_list(known.get("configOptions"))
    values = (text_at(one, "currentValue") for one in options if text_at(one, "id") == "model")
    return next(values, "") or None


def _told(response: Mapping[str, Json]) -> Tokens | None:
    """Find the tokens of a turn in its response, where ACP says, or where gemini does."""
    if usage := as_object(response.get("usage")):
        return _tokens(usage)
    quota = as_object(as_object(response.get("_meta")).get("quota"))
    counted = as_object(quota.get("token_count"))
    found = _count(counted.get("input_tokens")), _count(counted.get("output_tokens"))
    return None if found == (None, None) else found


def _tokens(usage: Mapping[str, Json]) -> Tokens:
    """Give tokens in, what was cached among them, and tokens out."""
    given, out = _count(usage.get("inputTokens")), _count(usage.get("outputTokens"))
    cached = sum(_count(usage.get(f"cached{way}Tokens")) or 0 for way in ("Read", "Write"))
    total = _count(usage.get("totalTokens"))
    # OpenAI counts cached tokens among the input, Anthropic beside it: the total tells which
    if given is not None and (total is None or total >= given + (out or 0) + cached):
        given = clamped(given + cached)
    return given, out


def _amount(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= LARGEST else None


def _count(value: Json) -> int | None:
    amount = _amount(value)
    return int(amount) if amount is not None and amount.is_integer() else None
