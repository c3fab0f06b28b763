"""Check the directory that cases get copies of, and what is looked for in a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..errors import Finding
from .check_proxies import named_variables
from .document import SuiteConfig
from .draft import Draft
from .source import Steps, point
from .tree import SuiteTree


def check_workspace(draft: Draft[SuiteConfig], tree: SuiteTree) -> Iterator[Finding]:
    """Find why agents could not work in copies of a template."""
    config = draft.config
    if config.workspace is None or "workspace" in draft.broken:
        return
    template = config.workspace.from_
    problem = _template_problem(template, config, tree)
    if problem is not None:
        yield point(draft.source, ("workspace", "from"), problem)
        return
    for steps, name in named_variables(config):
        if name == "HOME" and config.workspace.home == "fresh":
            told = (
                "HOME is a fresh directory beside workspace; to choose it, add home: caller there"
            )
            yield point(draft.source, steps, told)
    for steps, command in _commands(config):
        for index, word in _lost(command, template, tree):
            told = (
                f"{word} is in the suite, and {template}, of which the agent works in a copy, "
                f"has none: write {{suite}}/{word.removeprefix('./')}"
            )
            yield point(draft.source, (*steps, index), told)


def _template_problem(path: str, config: SuiteConfig, tree: SuiteTree) -> str | None:
    spot = tree.look(path)
    if spot.refused is not None:
        return spot.refused
    if not spot.is_directory:
        return f"there is no directory {tree.label_of(path)}"
    real = tree.real(path)
    if real == tree.directory:
        return "must be a directory below the suite's own, which changes with every run"
    cases = tree.real(config.cases_path)
    if cases == real or cases.startswith(f"{real}/"):
        return f"{path} holds the cases, and the agent would read what is expected of it"
    return None


def _commands(config: SuiteConfig) -> Iterator[tuple[Steps, Sequence[str]]]:
    """Yield the commands that are started in a copy."""
    if config.agent_protocol != "python":  # whose module is found in the suite
        yield ("agent_command",), config.agent_command
    servers = (config.proxies.mcp if config.proxies else None) or {}
    for name, server in servers.items():
        yield ("proxies", "mcp", name, "command"), server.command


def _lost(command: Sequence[str], template: str, tree: SuiteTree) -> Iterator[tuple[int, str]]:
    """Yield the files of the suite that a command would not find in a copy of the template."""
    for index, word in enumerate(command):
        if word.startswith("-") or (index == 0 and "/" not in word):
            continue  # a flag; a program that the PATH knows
        if tree.look(word).is_file and tree.look(f"{template}/{word}").mode is None:
            yield index, word
