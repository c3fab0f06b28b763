"""Usage and cost are read from answers, whatever API gave them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from proxies.model_kit import HELLO, HELLO_USAGE, JSON, SSE
from runledger.ledger.usage import Usage
from runledger.proxies.model import prices
from runledger.proxies.model.apis import anthropic, chat, gemini, responses
from runledger.proxies.model.apis.choice import api_of
from runledger.proxies.model.meter import usage_in
from runledger.proxies.model.prices import cost_of
from runledger.proxies.model.tokens import Tokens
from runledger.store.cassette.entry import ModelAnswer

CHAT = {
    "model": "gpt-4o-2024-08-06",
    "usage": {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 400},
    },
}
RESPONSE = {
    "model": "gpt-5-2025-08-07",
    "usage": {
        "input_tokens": 1000,
        "output_tokens": 100,
        "input_tokens_details": {"cached_tokens": 400},
    },
}
GEMINI = {
    "modelVersion": "gemini-2.5-flash",
    "usageMetadata": {
        "promptTokenCount": 1000,
        "cachedContentTokenCount": 400,
        "candidatesTokenCount": 60,
        "thoughtsTokenCount": 40,
    },
}


def body(value: Any) -> ModelAnswer:
    """Make an answer of one document."""
    return ModelAnswer(200, JSON, (json.dumps(value).encode(),))


def stream(*events: Any) -> ModelAnswer:
    """Make an answer of events."""
    frames = tuple(f"data: {json.dumps(one)}\n\n".encode() for one in events)
    return ModelAnswer(200, SSE, (*frames, b"data: [DONE]\n\n"))


@pytest.mark.parametrize(
    ("api", "answer", "usage"),
    [
        (anthropic, ModelAnswer(200, SSE, HELLO), HELLO_USAGE),
        (chat, body(CHAT), Usage(1000, 100, 0.003, "gpt-4o-2024-08-06")),
        (
            chat,
            stream({"model": "gpt-4o", "usage": None}, {**CHAT, "choices": []}),
            Usage(1000, 100, 0.003, "gpt-4o-2024-08-06"),
        ),
        (responses, body(RESPONSE), Usage(1000, 100, 0.0018, "gpt-5-2025-08-07")),
        (
            responses,
            stream({"type": "response.completed", "response": RESPONSE}),
            Usage(1000, 100, 0.0018, "gpt-5-2025-08-07"),
        ),
        (gemini, body(GEMINI), Usage(1000, 100, 0.000442, "gemini-2.5-flash")),
        (
            gemini,
            stream({"usageMetadata": {"promptTokenCount": 1}}, GEMINI),
            Usage(1000, 100, 0.000442, "gemini-2.5-flash"),
        ),
        (gemini, body([{}, GEMINI]), Usage(1000, 100, 0.000442, "gemini-2.5-flash")),
    ],
)
def test_usage_is_read_from_documents_and_streams(
    api: ModuleType, answer: ModelAnswer, usage: Usage
) -> None:
    """Tokens of a cache count as input, at their own price."""
    assert usage_in(answer, api) == usage


def test_caches_of_anthropic_count_as_input() -> None:
    """What is written to a cache or read from it was given to the model too."""
    usage = {
        "input_tokens": 10,
        "output_tokens": 1,
        "cache_creation_input_tokens": 300,
        "cache_read_input_tokens": 1000,
        "cache_creation": {"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 100},
    }
    found = usage_in(body({"model": "claude-haiku-4-5", "usage": usage}), anthropic)

    assert found is not None
    assert (found.tokens_in, found.tokens_out) == (1310, 1)
    assert found.cost_usd == pytest.approx((10 + 5 + 1000 * 0.1 + 200 * 1.25 + 100 * 2) / 1e6)


@pytest.mark.parametrize(
    "answer",
    [
        ModelAnswer(429, JSON, (json.dumps(CHAT).encode(),)),
        ModelAnswer(200, JSON, (json.dumps(CHAT).encode(),), partial=True),
        body({"input_tokens": 12}),
        body({"usage": "much"}),
        body("usage"),
        ModelAnswer(200, JSON, (b'{"usage": ',)),
        ModelAnswer(200, SSE, (b"data: usage\n\n", b": usage\n\n")),
        ModelAnswer(204, {}, ()),
    ],
)
def test_what_says_nothing_of_usage_tells_nothing(answer: ModelAnswer) -> None:
    """Errors, parts, counts of tokens and nonsense are no usage."""
    for api in (anthropic, chat, responses, gemini):
        assert usage_in(answer, api) is None


@pytest.mark.parametrize("nonsense", [-1, 10**15, "12", True, None, 1.5, []])
def test_a_figure_that_is_none_counts_as_nothing(nonsense: object) -> None:
    """A server cannot make a budget fail, or hold, by an absurd number."""
    usage = {"prompt_tokens": nonsense, "completion_tokens": 5}
    found = usage_in(body({"usage": usage}), chat)

    assert found == Usage(0, 5, None, None)


@pytest.mark.parametrize(
    ("model", "dollars"),
    [
        ("claude-sonnet-4-5", 18),
        ("claude-sonnet-4-5-20250929", 18),
        ("claude-sonnet-4-5@20250929", 18),
        ("claude-3-5-haiku-latest", 4.8),
        ("gpt-4o", 12.5),
        ("gpt-4o-2024-11-20", 12.5),
        ("gpt-4o-2024-05-13", 20),
        ("gemini-2.0-flash-001", 0.5),
        ("models/gemini-2.0-flash", 0.5),
        ("gpt-4o-audio", None),
        ("claude-sonnet-4-5-turbo", None),
        ("scripted", None),
        ("", None),
        (None, None),
    ],
)
def test_a_price_is_known_by_the_model_or_its_dated_name(
    model: str | None, dollars: float | None
) -> None:
    """A name that is only similar has no known price, which is not nothing."""
    million = Tokens(input=100_000, output=100_000)
    cost = cost_of(model, million)

    assert (None if cost is None else cost * 10) == pytest.approx(dollars)


def test_long_requests_have_prices_of_their_own() -> None:
    """Beyond a length, all of a request costs more."""
    assert cost_of("gemini-2.5-pro", Tokens(input=200_000)) == pytest.approx(0.25)
    assert cost_of("gemini-2.5-pro", Tokens(input=200_001)) == pytest.approx(0.5, rel=1e-3)


def test_a_cache_without_a_price_of_its_own_costs_as_input() -> None:
    """A model without a discount is not free."""
    assert cost_of("gpt-5-pro", Tokens(cache_read=1_000_000)) == 15


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/v1/messages", anthropic),
        ("/v1/messages?beta=true", anthropic),
        ("/v1/messages/count_tokens", anthropic),
        ("/anthropic/v1/messages", anthropic),
        ("/v1/chat/completions", chat),
        ("/v1/responses", responses),
        ("/backend-api/codex/responses", responses),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", gemini),
        ("/v1/models/gemini-2.5-pro:generateContent", gemini),
        ("/v1beta/openai/chat/completions", chat),
        ("/v1beta/openai/models", chat),
        ("/v1beta1/projects/p/locations/l/endpoints/openapi/chat/completions", chat),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c@1:streamRawPredict", anthropic),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict", anthropic),
        ("/v1/projects/p/locations/l/publishers/mistralai/models/m:streamRawPredict", chat),
        ("/v1/projects/p/locations/l/publishers/google/models/g:streamGenerateContent", gemini),
        ("/v1/models", chat),
        ("/", chat),
    ],
)
def test_the_path_tells_the_api(path: str, api: ModuleType) -> None:
    """What is not known is taken for one that speaks like OpenAI's."""
    assert api_of(path) is api


@pytest.mark.parametrize(
    ("api", "last", "other"),
    [
        (anthropic, {"type": "message_stop"}, {"type": "message_delta"}),
        (chat, "[DONE]", {"choices": [{"finish_reason": "stop"}]}),
        (responses, {"type": "response.completed"}, {"type": "response.output_text.done"}),
        (gemini, {"candidates": [{"finishReason": "STOP"}]}, {"candidates": [{"content": {}}]}),
    ],
)
def test_each_api_has_its_last_event(api: ModuleType, last: Any, other: Any) -> None:
    """A client that leaves then has all that it waits for."""
    assert api.is_last(last)
    assert not api.is_last(other)
    assert not api.is_last(None)


def test_the_table_of_prices_says_where_it_comes_from() -> None:
    """It has a date and sources, and every price is one."""
    table = json.loads((Path(prices.__file__).parent / "prices.json").read_text())

    assert (table["schema_version"], table["currency"]) == (1, "USD")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", table["date"])
    assert table["source"]
    for price in table["models"].values():
        for rates in (price, price.get("over", price)):
            assert 0 <= rates.get("cache_read", 0) <= rates["input"] < rates["output"]
