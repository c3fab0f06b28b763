"""What the command line says about an agent, made into the settings of one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import SpawnFailed, UnknownName, UsageError
from ..ledger.adapter import Adapter
from ..ledger.strict_json import NotJson, loads
from ..ledger.suite import AgentProtocol, AgentSettings, McpServer, Suite
from ..ledger.value import Json
from ..suite.permissions import permissions_named
from .furnish import agent_environment

SERVER_KEYS = frozenset({"name", "command", "args", "env"})


@dataclass(frozen=True, slots=True)
class AgentWords:
    """An agent as the command line names it."""

    command: Sequence[str] = ()
    protocol: AgentProtocol | None = None
    adapter: str | None = None
    env: Sequence[str] = ()  # NAME or NAME=VALUE
    permissions: str | None = None
    fs: bool = False
    terminal: bool = False
    servers: Sequence[str] = ()  # each a JSON object


def agent_from(words: AgentWords) -> AgentSettings:
    """Make the settings of an agent, or say what does not fit together."""
    protocol = words.protocol or ("acp" if words.adapter is None else "headless")
    adapter = _adapter(words, protocol)
    command = tuple(words.command) or _program_of(adapter)
    if not command:
        raise UsageError("which agent? name its command after the prompts")
    _refuse_foreign(words, protocol)
    passed, given = _variables(words.env)
    return AgentSettings(
        command=command,
        protocol=protocol,
        env_pass=passed,
        env_set=given,
        adapter=adapter,
        permissions=permissions_named(words.permissions),
        fs=words.fs,
        terminal=words.terminal,
        servers=tuple(_server(text) for text in words.servers),
    )


def found_from_here(agent: AgentSettings, directory: str) -> AgentSettings:
    """Name the program, and a script that it is to run, so that they are found from anywhere.

    They were written for the directory of the caller, and the agent may work in another.
    """
    if Path(directory).resolve() == Path.cwd():
        return agent
    program, *words = agent.command
    script = next((place for place, word in enumerate(words) if not word.startswith("-")), None)
    if script is not None:
        words[script] = _absolute(words[script])
    if "/" in program:  # of a name alone, the PATH decides
        program = _absolute(program)
    return replace(agent, command=(program, *words))


def require_program(agent: AgentSettings, directory: str) -> None:
    """Raise SpawnFailed if there is no such program, before anything else is done."""
    program = agent.command[0]
    if "{" in program or agent.protocol == "python":
        return
    path = agent_environment(agent, os.environ).get("PATH", os.defpath)
    there = Path(directory, program) if "/" in program else None
    if not shutil.which(program if there is None else str(there), path=path):
        raise SpawnFailed(f"could not start {program!r}: {_why_not(there)}", {"command": program})


def refuse_unfit(suite: Suite) -> None:
    """Raise UsageError for tasks that the agent cannot be given, before it is started."""
    if suite.agent.protocol != "headless":
        return
    from ..agents.headless import problem_with  # the others pay nothing for it

    found = [(task.id, problem_with(task, suite.agent)) for task in suite.tasks]
    problems = [f"{id}: {problem}" for id, problem in found if problem is not None]
    if problems:
        raise UsageError("\n".join(problems))


def _why_not(there: Path | None) -> str:
    if there is None:
        return "no program of this name is on the PATH"
    if not there.exists():
        return "No such file or directory"
    return "it is a directory" if there.is_dir() else "Permission denied (is it executable?)"


def _absolute(word: str) -> str:
    # a link stays one: the python of a virtual environment is a link, and more than its target
    return str(Path(word).absolute()) if not word.startswith("-") and Path(word).is_file() else word


def _adapter(words: AgentWords, protocol: AgentProtocol) -> Adapter | None:
    if protocol != "headless":
        if words.adapter is not None:
            raise UsageError(f"--adapter goes with --protocol headless, not with {protocol}")
        return None
    from ..suite.adapter import BUILT_IN, load_adapter  # the others pay nothing for it

    if words.adapter is not None:
        return load_adapter(words.adapter)
    name = Path(words.command[0]).name if words.command else ""
    if name in BUILT_IN:
        return load_adapter(name)
    known = ", ".join(sorted(BUILT_IN))
    raise UsageError(f"--protocol headless needs --adapter (known: {known}, or a file)")


def _program_of(adapter: Adapter | None) -> tuple[str, ...]:
    return (adapter.program,) if adapter is not None and adapter.program else ()


def _refuse_foreign(words: AgentWords, protocol: AgentProtocol) -> None:
    """Refuse what only means something to agents of another kind."""
    if protocol == "acp":
        return
    given = {"--permissions": words.permissions, "--fs": words.fs, "--terminal": words.terminal}
    wrong = [flag for flag, value in given.items() if value]
    wrong += ["--mcp-server"] if words.servers and protocol != "headless" else []
    if wrong:
        raise UsageError(
            f"{wrong[0]} goes with --protocol acp, not with {protocol}; "
            "give the agent flags of its own after --"
        )


def _variables(words: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Tell variables that are passed on from those that are set."""
    passed, given = [], {}
    for word in words:
        name, equals, value = word.partition("=")
        if not name:
            raise UsageError(f"--env {word!r} names no variable: write NAME or NAME=VALUE")
        if equals:
            given[name] = value
        else:
            passed.append(name)
    return tuple(passed), given


def _server(text: str) -> McpServer:
    try:
        found = loads(text)
    except NotJson as reason:
        raise _bad_server(text, str(reason)) from None
    if not isinstance(found, Mapping):
        raise _bad_server(text, "it is not an object")
    for key in found.keys() - SERVER_KEYS:
        raise UnknownName("key of --mcp-server", str(key), SERVER_KEYS)
    name, command = found.get("name"), found.get("command")
    if not isinstance(name, str) or not isinstance(command, str) or not name or not command:
        raise _bad_server(text, "name and command must be texts")
    return McpServer(name, command, _words(text, found.get("args")), _env(text, found.get("env")))


def _words(text: str, found: Json) -> tuple[str, ...]:
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise _bad_server(text, "args must be a list of texts")
    return tuple(found)


def _env(text: str, found: Json) -> Mapping[str, str]:
    if found is None:
        return {}
    if not isinstance(found, Mapping) or not all(isinstance(one, str) for one in found.values()):
        raise _bad_server(text, "env must be an object of texts")
    return {str(name): str(value) for name, value in found.items()}


def _bad_server(text: str, reason: str) -> UsageError:
    example = json.dumps({"name": "fs", "command": "mcp-server-filesystem", "args": ["."]})
    return UsageError(f"--mcp-server {text[:200]!r}: {reason}; an example: {example}")
