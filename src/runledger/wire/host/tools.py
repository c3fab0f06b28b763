"""Run a user's Python tools, which are loaded at the first request and kept to the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .inspection import Inspection
from .loading import import_from
from .serving import Loop, serve
from .telling import Failed, beginning

if TYPE_CHECKING:
    from types import ModuleType

WHAT = "the tool's result"


def main(address: str) -> None:
    """Answer requests for the tools at an address until there are none."""
    host = Host(address)
    serve({"load": host.load, "check": host.check, "call": host.call}, WHAT)


class Tool:
    """A tool as we call it: a function of the arguments, and maybe their schema."""

    def __init__(self, name: str, call: Callable[[Any], Any], schema: object) -> None:
        self.name = name
        self.call = call
        self._schema = schema

    @cached_property
    def check(self) -> Callable[[Any], None] | None:
        """Make the check of the arguments, when it is needed: the library is slow to import."""
        return _checker(self.name, self._schema) if self._schema is not None else None


class Host:
    """The tools of one module, loaded at the first request and kept to the end."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._tools: dict[str, Tool] = {}
        self._loop = Loop()

    def load(self) -> list[str]:
        """Import the module and list the names of its tools."""
        module = import_from(self._address)
        self._tools = {tool.name: tool for tool in _tools_of(module, self._address)}
        return list(self._tools)

    def check(self) -> None:
        """Look at every schema, which a call does only with its own."""
        for tool in self._tools.values():
            _ = tool.check

    def call(self, name: str, args: dict[str, Any]) -> Any:
        """Call a tool and give its result, which is JSON."""
        tool = self._tools.get(name)
        if tool is None:
            raise Failed(f"unknown tool {name!r} (known: {', '.join(self._tools) or 'none'})")
        if tool.check:
            tool.check(args)
        result = self._loop.waited(tool.call(args))
        Inspection(WHAT).look(result)
        return result


def _tools_of(module: ModuleType, address: str) -> Iterator[Tool]:
    found = getattr(module, "TOOLS", None)
    if found is None:
        raise Failed(f"{address} has no TOOLS; add TOOLS = {{'name': function}}")
    named: list[tuple[object, object]]
    if isinstance(found, Mapping):
        named = list(found.items())
    elif isinstance(found, (list, tuple)):
        named = [(_name_of(tool), tool) for tool in found]
    else:
        raise Failed(f"TOOLS must be a mapping or a list, found {type(found).__name__}")
    seen = set()
    for name, tool in named:
        if not isinstance(name, str) or not name:
            found_name, its_tool = beginning(repr(name), 100), beginning(repr(tool), 100)
            raise Failed(f"a tool's name must be a text, found {found_name} for {its_tool}")
        if name in seen:
            raise Failed(f"TOOLS has two tools named {beginning(repr(name), 100)}")
        seen.add(name)
        yield Tool(name, _callable(name, tool), getattr(tool, "schema", None))


def _name_of(tool: object) -> object:
    return getattr(tool, "name", None) or getattr(tool, "__name__", None)


def _callable(name: str, tool: object) -> Callable[[Any], Any]:
    if isinstance(tool, type):
        raise Failed(f"the tool {name!r} is a class; put an object there: {tool.__name__}()")
    call = getattr(tool, "call", tool)
    if not callable(call):
        raise Failed(
            f"the tool {name!r} must be a function, or an object with call(args); "
            f"found {type(tool).__name__}"
        )
    return call


def _checker(name: str, schema: Any) -> Callable[[Any], None]:
    """Make the check of a tool's arguments; the user's own schema, at the user's own cost."""
    from jsonschema import SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry

    if not isinstance(schema, dict):
        raise Failed(f"the schema of {name!r} must be a dict, found {type(schema).__name__}")
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
    except SchemaError as fault:
        raise Failed(f"the schema of {name!r} is not a JSON Schema: {fault.message}") from None
    validator = kind(schema, registry=Registry())

    def check(args: Any) -> None:
        faults = sorted(validator.iter_errors(args), key=lambda fault: list(map(str, fault.path)))
        if faults:
            raise Failed("\n".join(_violation(name, fault) for fault in faults[:5]))

    return check


def _violation(name: str, fault: Any) -> str:
    where = "".join(f".{part}" for part in fault.absolute_path)
    wanted = f"{fault.validator}: {beginning(json.dumps(fault.validator_value), 80)}"
    found = beginning(json.dumps(fault.instance), 80)
    return f"wrong arguments for {name}: at ${where}: expected {wanted}, found {found}"
