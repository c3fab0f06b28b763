"""Run a user's Python tools: a program of its own, since a thread cannot be killed.

It is started as a script, in the suite's directory, with the address of the module of the tools,
and imports nothing of ours. It speaks JSON-RPC on descriptors that it keeps to itself: what tools
print goes to standard error.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

if TYPE_CHECKING:
    from asyncio import Runner
    from types import ModuleType

MOST_BYTES = 8 * 1024 * 1024 - 1024  # the runner reads lines of 8 MiB; the rest is the envelope
MOST_LEVELS = 195  # in an envelope, or in a cassette, it is a few more; readers take 200
MOST_DIGITS = 300
LARGEST: int = 10**MOST_DIGITS
MOST_TEXT = 4000
FAILED = -32000
WORD = r"[^\s\"'`(){}\[\]<>,]"


class Failed(Exception):
    """Say what is wrong with a tool, or with what it was given or gave."""


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
        self._runner: Runner | None = None

    def load(self) -> list[str]:
        """Import the module and list the names of its tools."""
        module = _import(self._address)
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
        result = tool.call(args)
        if isinstance(result, Awaitable):
            result = self._waited(result)
        Inspection().look(result)
        return result

    def _waited(self, result: Awaitable[Any]) -> Any:
        """Run an async tool; all share one loop, since clients and locks belong to theirs."""
        if self._runner is None:
            from asyncio import Runner

            self._runner = Runner()
        return self._runner.run(_outcome(result))


async def _outcome(result: Awaitable[Any]) -> Any:
    return await result


def main() -> None:
    """Answer requests until there are none."""
    questions, answers = _private_streams()
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 (the suite's directory)
    host = Host(sys.argv[1])
    ours = os.getpid()
    for line in questions:
        answer = _answer(host, json.loads(line))
        if os.getpid() != ours:  # a tool forked, and its copy returned too
            os._exit(0)
        with suppress(Exception):  # a tool may have closed it
            sys.stdout.flush()
        answers.write(answer)
        answers.flush()


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output to ourselves: tools read nothing and print to stderr."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    return questions, answers


def _answer(host: Host, question: dict[str, Any]) -> bytes:
    methods: dict[str, Callable[..., Any]] = {
        "load": host.load,
        "check": host.check,
        "call": host.call,
    }
    try:
        result = methods[question["method"]](**question.get("params", {}))
        return _line({"id": question["id"], "result": result})
    except BaseException as fault:  # sys.exit and Ctrl-C too: nothing a tool does ends its trial
        error = {"code": FAILED, "message": _told(fault), "data": _trace(fault)}
        return _line({"id": question["id"], "error": error})


def _line(message: dict[str, Any]) -> bytes:
    whole = {"jsonrpc": "2.0", **message}
    try:
        line = json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        line = json.dumps(whole, separators=(",", ":")).encode()
    if len(line) > MOST_BYTES:
        raise Failed(f"the tool's result is too large: over {MOST_BYTES // 2**20 + 1} MiB")
    return line + b"\n"


# -------------------------------------------------------------------- what went wrong


def _told(fault: BaseException) -> str:
    if isinstance(fault, SystemExit):
        return f"SystemExit: the tool called sys.exit({_beginning(repr(fault.code), 100)})"
    try:
        text = _beginning(str(fault), MOST_TEXT)
    except Exception:
        text = "its message cannot be shown"
    if isinstance(fault, Failed):
        return text
    name = type(fault).__name__
    return f"{name}: {text}" if text else name


def _trace(fault: BaseException) -> str:
    """Print a traceback for the user, from the user's own code on, and give its last lines."""
    if isinstance(fault, (Failed, SystemExit)):
        return ""
    from traceback import format_exception

    trace = fault.__traceback__
    while trace and trace.tb_frame.f_code.co_filename.startswith((__file__, "<frozen ")):
        trace = trace.tb_next
    try:
        text = _ending("".join(format_exception(type(fault), fault, trace)), MOST_TEXT)
        sys.stderr.write(text)
    except Exception:
        return ""
    return "\n".join(text.splitlines()[-6:])


def _beginning(text: str, width: int) -> str:
    """Drop the word at the cut: half a token is a secret that no rule of the runner's knows."""
    if len(text) <= width:
        return text
    return re.sub(rf"(?<!{WORD}){WORD}++\Z", "", text[: width - 1]) + "…"


def _ending(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    kept = text[len(text) - width + 1 :]
    return "…" + re.sub(rf"\A(?:.*\n(?=\s*\S)|{WORD}*)", "", kept)


# -------------------------------------------------------------------- loading


def _import(address: str) -> ModuleType:
    if address.endswith(".py") or "/" in address:
        return _import_file(address)
    from importlib import import_module

    return import_module(address)


def _import_file(path: str) -> ModuleType:
    """Import a file under its own name, so that what it defines can be pickled."""
    from importlib.util import module_from_spec, spec_from_file_location

    stem = os.path.basename(path).removesuffix(".py")  # noqa: PTH119
    name = f"suite_{stem}" if stem in sys.modules else stem
    spec = spec_from_file_location(name, os.path.abspath(path))  # noqa: PTH100
    if spec is None or spec.loader is None:
        raise Failed(f"{path} is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


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
            found_name, its_tool = _beginning(repr(name), 100), _beginning(repr(tool), 100)
            raise Failed(f"a tool's name must be a text, found {found_name} for {its_tool}")
        if name in seen:
            raise Failed(f"TOOLS has two tools named {_beginning(repr(name), 100)}")
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


# -------------------------------------------------------------------- checking


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
    wanted = f"{fault.validator}: {_beginning(json.dumps(fault.validator_value), 80)}"
    found = _beginning(json.dumps(fault.instance), 80)
    return f"wrong arguments for {name}: at ${where}: expected {wanted}, found {found}"


class Inspection:
    """One look through a result, for anything in it that is not JSON."""

    def __init__(self) -> None:
        self._trail: list[object] = []  # the keys and indices down to where we are
        self._left = MOST_BYTES // 2  # each value takes two bytes at least

    def look(self, value: Any) -> None:
        """Raise Failed for what is not JSON, naming it and its place."""
        self._left -= 1
        if self._left < 0:
            raise Failed("the tool's result is too large: too many values")
        if _is_scalar(value):
            return
        if len(self._trail) >= MOST_LEVELS:
            raise Failed(f"the tool's result is nested too deeply, over {MOST_LEVELS} levels")
        if isinstance(value, dict):
            self._look_below(value.items())
        elif isinstance(value, (list, tuple)):
            self._look_below(enumerate(value))
        else:
            self._refuse(_foreign(value))
        if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
            self._refuse("an object with a key that is not a text")

    def _look_below(self, items: Iterable[tuple[object, Any]]) -> None:
        for key, item in items:
            self._trail.append(key)
            self.look(item)
            self._trail.pop()

    def _refuse(self, what: str) -> NoReturn:
        where = ".".join(["$", *map(str, self._trail)])
        raise Failed(f"the tool's result is not JSON: {what} at {_beginning(where, 300)}")


def _is_scalar(value: object) -> bool:
    if isinstance(value, int):
        return -LARGEST < value < LARGEST
    if isinstance(value, float):
        return isfinite(value)
    return value is None or isinstance(value, str)


def _foreign(value: object) -> str:
    if isinstance(value, int):
        return f"an integer of over {MOST_DIGITS} digits"
    return str(value) if isinstance(value, float) else f"a value of type {type(value).__name__}"


if __name__ == "__main__":
    main()
