"""Settle what a suite asks for: its agent's command and environment, its source of answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

from .. import registry
from ..agents import Driver
from ..errors import CassetteError
from ..ledger.suite import AgentSettings, Suite, fill_in, record_command
from ..ledger.task import Task
from ..process.supervisor import Launch, Supervisor
from ..store.cassette import load_cassette
from ..suite.tree import label_of
from ..tools import ToolSource
from ..tools.replay import Replay

ALWAYS_PASSED = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR")


def driver_for(suite: Suite, supervisor: Supervisor) -> Driver:
    """Make the driver that starts the suite's agent."""
    launch = Launch(
        argv=fill_in(suite.agent.command, python=sys.executable, suite=suite.directory),
        cwd=suite.directory,
        env=agent_environment(suite.agent, os.environ),
    )
    grace_s = suite.agent.grace_ms / 1000
    make = registry.find("agents", suite.agent.protocol)
    return cast(Driver, make(supervisor, launch, grace_s, reuse=suite.agent.reuse))


def agent_environment(agent: AgentSettings, caller: Mapping[str, str]) -> dict[str, str]:
    """Build an agent's environment: what everyone gets, what the suite passes and sets, no more."""
    passed = {*ALWAYS_PASSED, *agent.env_pass}
    kept = {k: v for k, v in caller.items() if k in passed or k.startswith("LC_")}
    return {**kept, **agent.env_set}


def source_for(suite: Suite) -> Callable[[Task], ToolSource]:
    """Give the function that opens the recorded answers of a task."""
    place = label_of(Path(suite.directory))

    def open_tools(task: Task) -> ToolSource:
        if task.cassette is None:  # which a suite loaded for replay cannot lack
            raise CassetteError(task.id, None, "the case has no cassette")
        cassette = load_cassette(Path(suite.directory, task.cassette), task.cassette)
        return Replay(cassette, suite.cassettes, record_command(place, task.id))

    return open_tools
