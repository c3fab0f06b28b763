"""Settle what a suite asks for: its agent's command and environment, its tools, its secrets."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from .. import registry
from ..agents import Driver, Post
from ..ledger.adapter import Adapter
from ..ledger.suite import AgentSettings, Suite
from ..ledger.value import Json
from ..process.sandbox import Sandbox
from ..process.supervisor import Supervisor
from ..store.redact.environment import reads_like_a_name, secrets_below, secrets_in
from ..store.redact.memory import Memory

if TYPE_CHECKING:
    from ..tools.toolbox import Toolbox

NO_ADAPTER = Adapter("")
ALWAYS_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR")


def sandbox_for(suite: Suite, supervisor: Supervisor) -> Sandbox | None:
    """Try the sandbox that a suite asks for; replay needs no network, so that there is none."""
    if suite.agent.sandbox == "none":
        return None
    from ..process.sandbox.trying import open_sandbox

    return open_sandbox(supervisor, network=suite.mode != "replay")


def driver_for(suite: Suite, supervisor: Supervisor, sandbox: Sandbox | None = None) -> Driver:
    """Make the driver that starts the suite's agent, in a sandbox if the suite asks for one."""
    if (suite.agent.sandbox == "none") != (sandbox is None):
        raise AssertionError("nobody tried the sandbox that the suite asks for")
    env = agent_environment(_closed(suite), os.environ)
    make = registry.find("agents", suite.agent.protocol)
    return cast(Driver, make(Post(supervisor, suite.agent, env, suite.directory, sandbox)))


def _closed(suite: Suite) -> AgentSettings:
    """Let in only what the suite names, where its agent is to ask the same again elsewhere.

    A model or a configuration that one caller has in the environment, another has not.
    """
    adapter = suite.agent.adapter
    if adapter is None or suite.mode == "live" or not suite.proxies.models:
        return suite.agent
    return replace(suite.agent, adapter=replace(adapter, env_pass=()))


def agent_environment(agent: AgentSettings, caller: Mapping[str, str]) -> dict[str, str]:
    """Build an agent's environment: what everyone gets, what the suite passes and sets, no more."""
    adapter = agent.adapter or NO_ADAPTER
    passed = {*ALWAYS_PASSED, *adapter.env_pass, *agent.env_pass}
    kept = {k: v for k, v in caller.items() if k in passed or k.startswith("LC_")}
    return {**adapter.env_set, **kept, **agent.env_set}


def secrets_of(suite: Suite, caller: Mapping[str, str]) -> tuple[str, ...]:
    """List the values that may not leave: passed to the agent, or telling by their names."""
    adapter = suite.agent.adapter or NO_ADAPTER
    keys = [one.key_env for one in suite.proxies.models if one.key_env is not None]
    more = [name for name in adapter.env_pass if not reads_like_a_name(caller.get(name, ""))]
    return _secrets(suite, caller, [*suite.agent.env_pass, *keys, *more])


def cleaner_for(suite: Suite) -> Callable[[Json], Json]:
    """Give the function that takes out of a value what a record of this suite may not hold."""
    return Memory(secrets_of(suite, os.environ)).clean


def secrets_of_cassettes(suite: Suite, caller: Mapping[str, str]) -> tuple[str, ...]:
    """List the same without passed values that read like a name: replayed agents need those."""
    keys = [one.key_env for one in suite.proxies.models if one.key_env is not None]
    passed = [one for one in suite.agent.env_pass if not reads_like_a_name(caller.get(one, ""))]
    return _secrets(suite, caller, [*passed, *keys])


def _secrets(suite: Suite, caller: Mapping[str, str], names: Sequence[str]) -> tuple[str, ...]:
    passed = {name: caller[name] for name in names if name in caller}
    written = [
        suite.agent.env_set,
        (suite.agent.adapter or NO_ADAPTER).env_set,
        *(server.env for server in suite.tools.servers.values()),
        *(server.env for server in suite.agent.servers),
        *(server.env for server in suite.proxies.servers),
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
