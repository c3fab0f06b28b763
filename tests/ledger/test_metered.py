"""What an agent tells that it used, beside what is seen of it."""

from __future__ import annotations

from runledger.ledger.event import UsageReport
from runledger.ledger.trajectory import Metered
from runledger.ledger.usage import Usage


def metered(*reports: UsageReport) -> Usage:
    """Add reports up."""
    whole = Metered()
    for report in reports:
        whole = whole.with_report(report)
    return whole.usage


def seen(tokens: int, cost: float | None) -> UsageReport:
    """Make a report that was read from a model's answer."""
    return UsageReport(Usage(tokens, tokens, cost, "m"), {"source": "model"})


def told(tokens: int, cost: float | None) -> UsageReport:
    """Make a report of an agent's own."""
    return UsageReport(Usage(tokens, tokens, cost))


def test_what_is_seen_stands_in_for_what_is_told() -> None:
    """Both tell of the same tokens, so that only one of them counts."""
    assert metered(seen(10, 0.1), told(30, 0.5), seen(20, 0.2)).tokens_out == 30
    assert metered(seen(10, 0.25), told(30, 0.5), seen(20, 0.5)).cost_usd == 0.75


def test_without_a_proxy_the_agent_is_believed() -> None:
    """Reports of an agent add up."""
    assert metered(told(10, 0.25), told(5, None)) == Usage(15, 15, 0.25)


def test_a_price_that_is_not_known_for_all_is_not_known() -> None:
    """A sum over some of the answers is no cost; what the agent says of it is better."""
    assert metered(seen(10, 0.25), seen(10, None)).cost_usd is None
    assert metered(seen(10, 0.25), seen(10, None), told(0, 0.5)).cost_usd == 0.5
