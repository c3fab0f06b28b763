"""Answering by the tools that come with RunLedger."""

from __future__ import annotations

import pytest

from runledger.ledger.event import ToolCall
from runledger.ledger.value import Json
from runledger.tools.built_in import BuiltIn
from runledger.tools.conformance import check_tool_source
from runledger.tools.mock import mock_search_docs
from tools.bench import error


def test_the_built_in_tools_are_a_tool_source() -> None:
    """They keep every promise of the shelf."""
    calls = [ToolCall("mock_search_docs", "c1", {"q": "password"})]

    check_tool_source(BuiltIn, calls)


def test_every_built_in_tool_says_that_it_is_a_mock() -> None:
    """Nobody takes made-up answers for real ones."""
    assert all(name.startswith("mock_") for name in BuiltIn().names())


def test_the_best_document_comes_first() -> None:
    """Documents are ordered by the words they share with the question."""
    found = mock_search_docs({"q": "How do I reset my password in the settings?"})

    assert isinstance(found, dict)
    assert found["hits"][0]["title"] == "Resetting a password"


def test_a_question_without_a_document_finds_nothing() -> None:
    """An empty list is an answer."""
    assert mock_search_docs({"q": "xyzzy"}) == {"hits": []}


@pytest.mark.parametrize("args", [{}, {"q": 7}, {"query": "x"}])
def test_wrong_arguments_are_a_tool_error(args: dict[str, Json]) -> None:
    """The error names what is missing."""
    assert error(BuiltIn(), "mock_search_docs", **args).startswith('ValueError: "q" must be a text')
