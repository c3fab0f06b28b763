"""Turn a name into the thing it stands for: built-in, "package.module:attr", or an entry point."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .errors import UnknownName, UsageError

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "agents": {
        "stdio": "runledger.agents.stdio:StdioDriver",
        "acp": "runledger.agents.acp:AcpDriver",
        "headless": "runledger.agents.headless:HeadlessDriver",
        "python": "runledger.agents.python:PythonDriver",
    },
    "graders": {
        "required_fields": "runledger.graders.output:required_fields",
        "json_schema": "runledger.graders.output:json_schema",
        "contains": "runledger.graders.output:contains",
        "regex": "runledger.graders.output:regex",
        "equals": "runledger.graders.output:equals",
        "must_call": "runledger.graders.calls:must_call",
        "must_not_call": "runledger.graders.calls:must_not_call",
        "call_order": "runledger.graders.calls:call_order",
        "call_count": "runledger.graders.calls:call_count",
        "tool_args": "runledger.graders.calls:tool_args",
        "script": "runledger.graders.script:ScriptGrader",
        "grader": "runledger.graders.custom:CustomGrader",
        "budgets": "runledger.graders.budgets:BudgetGrader",
    },
    "tools": {  # each only for a suite that names it
        "mock_search_docs": "runledger.tools.mock:mock_search_docs",
    },
    "executors": {
        "local": "runledger.executors.local:LocalExecutor",
    },
}


def find(shelf: str, name: str) -> Any:
    """Find the alternative of this name on a shelf."""
    address = BUILT_IN[shelf].get(name)
    if address:
        return load(address)
    if ":" in name:
        return load(name)
    return _plugin(shelf, name)


def load(address: str) -> Any:
    """Import what a "package.module:attr" address names."""
    module, _, attribute = address.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"cannot import {address!r}: {error}") from error


def _plugin(shelf: str, name: str) -> Any:
    from importlib.metadata import entry_points

    found = {point.name: point for point in entry_points(group=f"runledger.{shelf}")}
    if name not in found:
        raise UnknownName(f"name among {shelf}", name, [*BUILT_IN[shelf], *found])
    return found[name].load()
