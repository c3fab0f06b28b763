"""The agent of an experiment: how it is started, what it can be told, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Finding, SuiteError, UnknownName
from ..ledger.adapter import Adapter
from ..ledger.strict_json import loads
from ..ledger.suite import AgentSettings
from ..ledger.value import Json
from ..store.lines import encode
from .adapter import BUILT_IN, find_adapter, is_adapter_file, read_adapter
from .check import names_function
from .check_command import check_command
from .document import EnvSpec
from .draft import Draft
from .experiment_document import ExperimentAgentSpec, ExperimentConfig
from .experiment_written import Written, file_problem
from .source import decode, point

_ADAPTER = ("agent", "adapter")


@dataclass(frozen=True, slots=True)
class FoundAdapter:
    """An adapter, and what its file says."""

    adapter: Adapter
    content: Mapping[str, Json]


def find_its_adapter(
    draft: Draft[ExperimentConfig], written: Written, findings: list[Finding]
) -> FoundAdapter | None:
    """Find the adapter of a headless agent; that there is none where one is due is a finding."""
    agent = draft.config.agent
    if "agent" in draft.broken or agent.protocol != "headless":
        return None
    kept = None if written.protocol is None else written.protocol.adapter
    if kept is not None:
        return FoundAdapter(read_adapter(encode(kept), f"{written.label} (adapter)"), kept)
    program = Path(agent.command[0]).name
    name = agent.adapter or (program if program in BUILT_IN else None)
    problem = _adapter_problem(name, written)
    if name is None or problem is not None:
        findings.append(point(draft.source, _ADAPTER, problem or ""))
        return None
    return _read(draft, name, written, findings)


def check_agent(draft: Draft[ExperimentConfig], written: Written) -> Iterator[Finding]:
    """Find what an agent cannot be started by."""
    agent, source = draft.config.agent, draft.source
    if "agent" in draft.broken:
        return
    yield from check_command(source, ("agent", "command"), agent.command)
    if agent.protocol == "python" and not names_function(agent.command):
        message = "must be one module:function for protocol python"
        yield point(source, ("agent", "command"), message)
    if agent.adapter is not None and agent.protocol != "headless":
        message = f"goes with protocol headless only, not with {agent.protocol}; remove it"
        yield point(source, _ADAPTER, message)
    if written.to_run and not Path(working_directory(agent, written)).is_dir():
        place = agent.cwd or written.tree.directory
        message = f"there is no directory {place}, where the agent is to work"
        yield point(source, ("agent", "cwd"), message)


def working_directory(agent: ExperimentAgentSpec, written: Written) -> str:
    """Give the directory where the agent works; it may lie outside the experiment's."""
    return str(Path(written.tree.directory, agent.cwd or ".").resolve())


def settle_agent(
    agent: ExperimentAgentSpec, written: Written, found: FoundAdapter | None
) -> AgentSettings:
    """Make the settings of the agent."""
    env = agent.env or EnvSpec()
    return AgentSettings(
        command=_found_from_anywhere(agent, written.tree.directory),
        protocol=agent.protocol,
        env_pass=tuple(env.pass_ or ()),
        env_set=env.set or {},
        adapter=None if found is None else found.adapter,
    )


def _found_from_anywhere(agent: ExperimentAgentSpec, directory: str) -> tuple[str, ...]:
    """Name the program, and a script that it is to run, so that any directory will do.

    They were written for the directory of the experiment, and the agent works in another.
    """
    program, *words = agent.command
    script = next((place for place, word in enumerate(words) if not word.startswith("-")), None)
    if script is not None:
        words[script] = _absolute(words[script], directory)
    if "/" in program:  # of a name alone, the PATH decides
        program = _absolute(program, directory)
    return (program, *words)


def _absolute(word: str, directory: str) -> str:
    # a link stays one: the python of a virtual environment is a link, and more than its target
    there = Path(directory, word)
    return str(there) if there.is_file() else word


def _adapter_problem(name: str | None, written: Written) -> str | None:
    if name is None:
        known = ", ".join(BUILT_IN)
        return f"is missing, and protocol headless needs it (known: {known}, or a file)"
    return file_problem(name, written.tree) if is_adapter_file(name) else None


def _read(
    draft: Draft[ExperimentConfig], name: str, written: Written, findings: list[Finding]
) -> FoundAdapter | None:
    try:
        raw, label = find_adapter(name, Path(written.tree.directory))
        adapter = read_adapter(raw, label)
    except UnknownName as error:
        findings.append(point(draft.source, _ADAPTER, str(error)))
        return None
    except SuiteError as error:
        findings.extend(error.findings)
        return None
    content = loads(decode(raw, label))
    assert isinstance(content, dict)
    return FoundAdapter(adapter, content)
