"""Settle what a suite asks for: its agent's command and environment, its source of answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from .. import registry
from ..agents import Driver, Post
from ..errors import CassetteError
from ..ledger.adapter import Adapter
from ..ledger.suite import AgentSettings, Suite, record_command
from ..ledger.task import Task
from ..ledger.value import Json
from ..process.supervisor import Supervisor
from ..store.redact.environment import reads_like_a_name, secrets_below, secrets_in
from ..store.redact.memory import Memory
from ..suite.tree import label_of
from ..tools import ToolSource

if TYPE_CHECKING:
    from ..tools.toolbox import Toolbox

NO_ADAPTER = Adapter("")
ALWAYS_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR")


def driver_for(suite: Suite, supervisor: Supervisor) -> Driver:
    """Make the driver that starts the suite's agent."""
    env = agent_environment(suite.agent, os.environ)
    make = registry.find("agents", suite.agent.protocol)
    return cast(Driver, make(Post(supervisor, suite.agent, env, suite.directory)))


def agent_environment(agent: AgentSettings, caller: Mapping[str, str]) -> dict[str, str]:
    """Build an agent's environment: what everyone gets, what the suite passes and sets, no more."""
    adapter = agent.adapter or NO_ADAPTER
    passed = {*ALWAYS_PASSED, *adapter.env_pass, *agent.env_pass}
    kept = {k: v for k, v in caller.items() if k in passed or k.startswith("LC_")}
    return {**adapter.env_set, **kept, **agent.env_set}


def secrets_of(suite: Suite, caller: Mapping[str, str]) -> tuple[str, ...]:
    """List the values that may not leave: passed to the agent, or telling by their names."""
    adapter = suite.agent.adapter or NO_ADAPTER
    more = [name for name in adapter.env_pass if not reads_like_a_name(caller.get(name, ""))]
    return _secrets(suite, caller, [*suite.agent.env_pass, *more])


def cleaner_for(suite: Suite) -> Callable[[Json], Json]:
    """Give the function that takes out of a value what a record of this suite may not hold."""
    return Memory(secrets_of(suite, os.environ)).clean


def _secrets_of_cassettes(suite: Suite, caller: Mapping[str, str]) -> tuple[str, ...]:
    """List the same without passed values that read like a name: replayed agents need those."""
    passed = [one for one in suite.agent.env_pass if not reads_like_a_name(caller.get(one, ""))]
    return _secrets(suite, caller, passed)


def _secrets(suite: Suite, caller: Mapping[str, str], names: Sequence[str]) -> tuple[str, ...]:
    passed = {name: caller[name] for name in names if name in caller}
    written = [
        suite.agent.env_set,
        (suite.agent.adapter or NO_ADAPTER).env_set,
        *(server.env for server in suite.tools.servers.values()),
        *(server.env for server in suite.agent.servers),
    ]
    known = [one for values in (caller, *written) for one in secrets_in(passed, values)]
    return (*dict.fromkeys(known), *secrets_below(task.input for task in suite.tasks))


def toolbox_for(suite: Suite, supervisor: Supervisor) -> Toolbox | None:
    """Try the tools that answer outside replay, or say what is wrong with them."""
    if suite.mode == "replay":
        return None
    from ..tools.toolbox import check_tools
    from ..tools.workplace import Workplace  # replay does not pay for it

    return check_tools(suite.tools, Workplace(supervisor, suite.directory, dict(os.environ)))


def source_for(suite: Suite, toolbox: Toolbox | None) -> Callable[[Task], ToolSource]:
    """Give the function that opens the answers of a task: recorded, real, or being recorded."""
    if toolbox is None:
        return partial(_replay, suite, _secrets_of_cassettes(suite, os.environ))
    if suite.mode == "record":
        return partial(_record, suite, toolbox, _secrets_of_cassettes(suite, os.environ))
    return lambda task: toolbox.open()


def _replay(suite: Suite, secrets: Sequence[str], task: Task) -> ToolSource:
    from ..store.cassette import load_cassette  # agents with tools of their own pay nothing for it
    from ..store.masking import mask_for
    from ..tools.replay import Replay

    file, shown = _cassette_of(suite, task)
    cassette = load_cassette(file, shown)
    command = record_command(label_of(Path(suite.directory)), task.id)
    return Replay(cassette, suite.cassettes, command, mask_for(secrets, cassette))


def _record(suite: Suite, toolbox: Toolbox, secrets: Sequence[str], task: Task) -> ToolSource:
    from ..store.masking import masking_for
    from ..store.recording import Recorder, salt_of
    from ..tools.record import Record

    file, shown = _cassette_of(suite, task)
    masking = masking_for(secrets, salt_of(file) or os.urandom(8).hex())
    return Record(toolbox.open(), Recorder(file, shown, masking))


def _cassette_of(suite: Suite, task: Task) -> tuple[Path, str]:
    if task.cassette is None:  # which a suite loaded for replay or record cannot lack
        raise CassetteError(task.id, None, "the case has no cassette")
    return Path(suite.directory, task.cassette), task.cassette
