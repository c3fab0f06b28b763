"""Turn a name into the thing it stands for: built-in, "package.module:attr", or an entry point."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from .errors import UnknownName, UsageError

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "agents": {
        "stdio": "runledger.agents.stdio:StdioDriver",
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
