"""What a condition makes of an experiment's agent and of its tasks."""

from __future__ import annotations

from dataclasses import replace

from ..ledger.adapter import option_words
from ..ledger.experiment import Condition, Experiment
from ..ledger.prompts import with_affixes
from ..ledger.suite import AgentSettings, Suite
from ..ledger.task import Task


def suite_under(experiment: Experiment, condition: Condition) -> Suite:
    """Give the experiment as one of its conditions sees it: its agent, told what it may not use."""
    return Suite(
        name=experiment.name,
        directory=experiment.directory,
        agent=_agent_under(experiment.agent, condition),
        tasks=experiment.tasks,
        mode="live",
        sha256=experiment.protocol.sha256,
    )


def asked_under(task: Task, condition: Condition, before: str) -> Task:
    """Give a task as the agent is asked it: with what comes before the prompt, and after it."""
    return replace(task, input=with_affixes(task.input, before, condition.suffix))


def _agent_under(agent: AgentSettings, condition: Condition) -> AgentSettings:
    if agent.adapter is None:
        return agent
    words = option_words(agent.adapter, "disallowed_tools", condition.disallowed_tools)
    return replace(agent, command=(*agent.command, *words))
