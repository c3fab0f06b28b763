"""The documents take what formats.md shows, and nothing that only looks like it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from runledger.suite.document import CaseConfig, SuiteConfig

SMALL: dict[str, Any] = {"suite_name": "s", "agent_command": ["a"], "cases_path": "cases"}

FULL: dict[str, Any] = {
    "suite_name": "support-triage",
    "agent_command": ["{python}", "agent.py"],
    "agent_protocol": "stdio",
    "agent_reuse": False,
    "mode": "replay",
    "cases_path": "cases",
    "tool_registry": ["search_docs", "create_issue"],
    "tool_module": "tools.py",
    "env": {"pass": ["MY_FLAG"], "set": {"MODE": "test"}},
    "assertions": [{"type": "json_schema", "schema_path": "schema.json"}],
    "budgets": {
        "max_wall_ms": 20000,
        "max_tool_calls": 10,
        "max_tool_errors": 0,
        "max_tokens_out": 4000,
        "max_cost_usd": 0.10,
    },
    "cassettes": {
        "order": "none",
        "unused": "fail",
        "match": {"search_docs": {"ignore": ["$.request_id"]}},
    },
    "regression": {
        "min_success_rate": 1.0,
        "max_avg_wall_ms_delta_pct": 25,
        "max_p95_wall_ms_delta_pct": 50,
    },
    "baseline_path": "baselines/support-triage.json",
    "output_dir": ".agentci/runs",
}

LATER: dict[str, Any] = {
    "adapter": "claude",
    "permissions": "allow",
    "sandbox": "bwrap",
    "grace_ms": 2000,
    "tool_timeout_s": 30,
    "mcp_tools": {"fs": {"command": ["mcp-fs"], "env": {"A": "b"}}},
    "proxies": {
        "model": {
            "env": "ANTHROPIC_BASE_URL",
            "upstream": "https://api.anthropic.com",
            "profile": "claude-code",
        },
        "mcp": {"fs": {"command": ["mcp-server-filesystem", "{workspace}"]}},
    },
    "workspace": {"from": "fixtures/repo", "home": "caller"},
    "inject": [{"on": {"kind": "model", "nth": 2}, "do": {"status": 429}}],
}


def test_the_suite_of_the_formats_is_valid() -> None:
    """Section 2 of the formats, as a plain object."""
    suite = SuiteConfig.model_validate(FULL)

    assert suite.env is not None
    assert suite.env.pass_ == ["MY_FLAG"]
    assert suite.regression is not None
    assert suite.regression.max_avg_wall_ms_delta_pct == 25.0


def test_the_further_keys_are_known() -> None:
    """Keys of later versions have their shape already."""
    suite = SuiteConfig.model_validate(FULL | LATER)

    assert suite.workspace is not None
    assert suite.workspace.from_ == "fixtures/repo"
    assert suite.proxies is not None
    assert suite.proxies.model is not None
    assert suite.proxies.model[0].latency == "off"


def test_several_model_proxies_may_be_given() -> None:
    """One object or a list of them."""
    proxy = {"env": "A_URL", "upstream": "https://a.example"}
    suite = SuiteConfig.model_validate(SMALL | {"proxies": {"model": [proxy, proxy]}})

    assert suite.proxies is not None
    assert suite.proxies.model is not None
    assert len(suite.proxies.model) == 2


@pytest.mark.parametrize(
    "case_input", [{"ticket": "x"}, {}, "a prompt", ["first turn", "second turn"]]
)
def test_an_input_is_an_object_a_text_or_texts(case_input: Any) -> None:
    """The protocol decides later which of them fits."""
    assert CaseConfig.model_validate({"id": "t1", "input": case_input}).input == case_input


def test_a_prompts_line_is_a_case() -> None:
    """A line of prompts.jsonl has its own keys beside id and input."""
    line = {
        "id": "test-001",
        "input": "Create a primary button",
        "expected": "a button",
        "reference": "<button/>",
        "metadata": {"category": "ui"},
        "timeout": 90000,
    }

    assert CaseConfig.model_validate(line).timeout == 90000


@pytest.mark.parametrize(
    "assertion",
    [
        {"type": "required_fields", "fields": ["a", "b.c"]},
        {"type": "json_schema", "schema_path": "s.json"},
        {"type": "must_call", "tools": ["a"]},
        {"type": "must_not_call", "tools": ["a"]},
        {"type": "call_order", "order": ["a", "b"]},
        {"type": "tool_args", "tool": "a", "equals": {"q": 1}},
        {"type": "call_count", "tool": "a", "min": 1, "max": 2},
        {"type": "contains", "text": "x"},
        {"type": "regex", "path": "a.b", "pattern": "^x"},
        {"type": "equals", "path": "a", "value": None},
        {"type": "script", "command": ["./judge.py"]},
    ],
)
def test_every_assertion_type_is_known(assertion: dict[str, Any]) -> None:
    """Each of the eleven types has a document of its own."""
    case = CaseConfig.model_validate({"id": "t", "input": {}, "assertions": [assertion]})

    assert case.assertions is not None
    assert case.assertions[0].type == assertion["type"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"suite_name": 12},
        {"suite_name": ""},
        {"suite_name": "."},
        {"suite_name": ".."},
        {"suite_name": "a/b"},
        {"suite_name": "a b"},
        {"suite_name": "a\n"},
        {"suite_name": "x" * 101},
        {"agent_command": "agent"},
        {"agent_command": []},
        {"agent_command": ["a\0b"]},
        {"agent_reuse": 1},
        {"agent_reuse": "true"},
        {"mode": "Replay"},
        {"grace_ms": "12"},
        {"grace_ms": True},
        {"grace_ms": 1.0},
        {"grace_ms": -1},
        {"tool_timeout_s": 0},
        {"tool_timeout_s": float("nan")},
        {"tool_timeout_s": float("inf")},
        {"tool_timeout_s": True},
        {"tool_timeout_s": "30"},
        {"budgets": {"max_cost_usd": -0.1}},
        {"budgets": {"max_cost_usd": float("nan")}},
        {"regression": {"min_success_rate": 1.01}},
        {"env": {"pass": ["A=B"]}},
        {"env": {"set": {"": "x"}}},
        {"env": {"set": {"A": 1}}},
        {"assertions": [{"type": "must_call", "tools": []}]},
        {"assertions": [{"type": "required_fields", "fields": []}]},
        {"assertions": [{"type": "call_order", "order": []}]},
        {"assertions": [{"type": "equals", "path": "a"}]},
        {"assertions": [{"type": "contains", "text": "x", "more": 1}]},
        {"proxies": {"mcp": {"a.b": {"command": ["x"]}}}},
        {"proxies": {"mcp": {"": {"command": ["x"]}}}},
        {"proxies": {"mcp": {"x" * 101: {"command": ["x"]}}}},
        {"proxies": {"mcp": {"fs": {"command": []}}}},
        {"proxies": {"model": {"env": "A=B", "upstream": "https://a.example"}}},
        {"proxies": {"model": {"env": "A", "upstream": "https://a.example", "latency": "slow"}}},
        {"workspace": {"home": "fresh"}},
        {"workspace": {"from": "a", "home": "mine"}},
        {"inject": [{"on": {"kind": "tool"}, "do": {"status": 429}}]},
        {"inject": [{"on": {"kind": "model", "nth": 0}, "do": {"status": 429}}]},
        {"inject": [{"on": {"kind": "model"}, "do": {"status": 200}}]},
        {"inject": [{"on": {"kind": "model"}, "do": {"status": 600}}]},
        {"inject": [{"on": {"kind": "model"}, "do": {"cut_after_frames": -1}}]},
        {"unknown": 1},
    ],
)
def test_nothing_is_coerced_and_nothing_unknown_is_taken(wrong: dict[str, Any]) -> None:
    """A value of the wrong kind, out of its range or under an unknown key is refused."""
    with pytest.raises(ValidationError):
        SuiteConfig.model_validate(SMALL | wrong)


def test_a_whole_number_does_where_a_number_is_due() -> None:
    """25 percent need not be written as 25.0."""
    suite = SuiteConfig.model_validate(SMALL | {"budgets": {"max_cost_usd": 1}})

    assert suite.budgets is not None
    assert suite.budgets.max_cost_usd == 1.0


def test_an_empty_optional_key_is_as_good_as_none() -> None:
    """A key whose lines are all commented out is null in YAML."""
    empty = dict.fromkeys(("assertions", "budgets", "tool_registry", "env", "regression"))

    assert SuiteConfig.model_validate(SMALL | empty).assertions is None
