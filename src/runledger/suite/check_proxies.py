"""Check what is put between an agent and the world: addresses, variables, profiles, servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from ..errors import Finding, SuiteError, UsageError, did_you_mean
from ..ledger.path import find
from ..ledger.proxy import Kind
from ..ledger.suite import OWN_TOOLS
from .check_command import check_command
from .document import McpServerSpec, ModelProxySpec, SuiteConfig
from .draft import Draft
from .source import Source, Steps, point
from .tree import SuiteTree

_CONFIG = "{mcp_config}"
_SERVER_PLACEHOLDERS = ("python", "suite", "workspace")


def proxied(config: SuiteConfig) -> frozenset[Kind]:
    """Name the kinds of requests that ours stand in the way of."""
    if config.proxies is None:
        return frozenset()
    given: dict[Kind, object] = {"model": config.proxies.model, "mcp": config.proxies.mcp}
    return frozenset(kind for kind, servers in given.items() if servers)


def check_proxies(draft: Draft[SuiteConfig], tree: SuiteTree) -> Iterator[Finding]:
    """Find everything in proxies that is well formed and cannot work all the same."""
    if "proxies" in draft.broken:
        return
    models = list(_models(draft.source, draft.config))
    for steps, model in models:
        if (told := _upstream_problem(model.upstream)) is not None:
            yield point(draft.source, (*steps, "upstream"), told)
    yield from _check_profiles(draft.source, models, tree)
    yield from _check_variables(draft.source, draft.config, models)
    yield from _check_servers(draft, tree)


def _models(source: Source, config: SuiteConfig) -> Iterator[tuple[Steps, ModelProxySpec]]:
    """Yield each model API with its place, as its author wrote it: alone, or in a list."""
    models = (config.proxies.model if config.proxies else None) or []
    listed = isinstance(find(source.value, "proxies.model"), list)
    for index, model in enumerate(models):
        alone: Steps = ("proxies", "model")
        yield (*alone, index) if listed else alone, model


def _upstream_problem(url: str) -> str | None:
    """Say why requests cannot be passed on to an address; one with secrets is not shown."""
    try:
        parts = urlsplit(url)
        found = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        found = None
    if not found or not url.isprintable() or " " in url:
        return "must be a URL, such as https://api.anthropic.com"
    if "@" in parts.netloc:
        return "may not hold a user or a password; name the variable of the key in key_env"
    if "?" in url or "#" in url:
        return "must end with its path, without ? or #"
    return None


def _check_profiles(
    source: Source, models: list[tuple[Steps, ModelProxySpec]], tree: SuiteTree
) -> Iterator[Finding]:
    """Find profiles that are not there, and what is wrong in those that are."""
    first = {model.profile: steps for steps, model in reversed(models)}  # a file is read once
    for name, steps in first.items():
        from .profile import is_profile_file, read_profile_file  # most suites have none

        told = _profile_problem(name, tree)
        if told is not None:
            yield point(source, (*steps, "profile"), told)
        elif is_profile_file(name):
            try:
                read_profile_file(name, tree)
            except SuiteError as error:
                yield from error.findings


def _profile_problem(name: str, tree: SuiteTree) -> str | None:
    """Say why there is no profile of a name."""
    from .profile import BUILT_IN, is_profile_file

    if is_profile_file(name):
        spot = tree.look(name)
        missing = None if spot.is_file else f"there is no file {tree.label_of(name)}"
        return spot.refused or missing
    if name in BUILT_IN:
        return None
    known = f"(known: {', '.join(BUILT_IN)}, or a file such as ./mine.json)"
    return f"unknown profile {name}{did_you_mean(name, BUILT_IN)} {known}"


def _check_variables(
    source: Source, config: SuiteConfig, models: list[tuple[Steps, ModelProxySpec]]
) -> Iterator[Finding]:
    """Find variables that would have two values."""
    addresses: dict[str, Steps] = {}
    for steps, model in models:
        if addresses.setdefault(model.env, steps) is not steps:
            told = f"{model.env} is used by another API already; an agent needs one for each"
            yield point(source, (*steps, "env"), told)
    for steps, model in models:
        if model.key_env in addresses:
            told = f"{model.key_env} gets the address of an API, so it cannot hold a key"
            yield point(source, (*steps, "key_env"), told)
    keys = {model.key_env for _, model in models if model.key_env is not None}
    for steps, name in named_variables(config):
        if name in addresses or name in keys:
            yield point(source, steps, f"{name} is set by proxies.model; leave it out here")


def named_variables(config: SuiteConfig) -> Iterator[tuple[Steps, str]]:
    """Yield the variables that a suite gives its agent, each with its place."""
    if config.env is None:
        return
    for index, name in enumerate(config.env.pass_ or ()):
        yield ("env", "pass", index), name
    for name in config.env.set or {}:
        yield ("env", "set", name), name


def _check_servers(draft: Draft[SuiteConfig], tree: SuiteTree) -> Iterator[Finding]:
    """Find servers that could not be started, or that the agent would never hear of."""
    source, config = draft.source, draft.config
    servers: dict[str, McpServerSpec] = (config.proxies.mcp if config.proxies else None) or {}
    for name, server in servers.items():
        steps = ("proxies", "mcp", name, "command")
        yield from check_command(source, steps, server.command, _SERVER_PLACEHOLDERS)
    if "agent_protocol" in draft.broken:
        return
    if servers and (told := _why_unheard(config, tree)) is not None:
        yield point(source, ("proxies", "mcp"), told)
    headless = config.agent_protocol == "headless"
    for index, word in enumerate(config.agent_command):
        if _CONFIG in word and not (headless and servers):
            told = f"{_CONFIG} goes with agent_protocol headless and proxies.mcp only"
            yield point(source, ("agent_command", index), told)


def _why_unheard(config: SuiteConfig, tree: SuiteTree) -> str | None:
    """Say why there is no way to tell an agent of its servers."""
    if config.agent_protocol not in OWN_TOOLS:
        return (
            "is offered to agents of protocol acp and headless only; an agent of protocol "
            f"{config.agent_protocol} asks the runner: name the servers in mcp_tools"
        )
    if config.agent_protocol == "acp" or any(_CONFIG in word for word in config.agent_command):
        return None
    return _why_not_passed(config.adapter, tree)


def _why_not_passed(name: str | None, tree: SuiteTree) -> str | None:
    """Say that an adapter knows no way; what is wrong with the adapter itself is told elsewhere."""
    if name is None:
        return None
    from .adapter import load_adapter

    try:
        adapter = load_adapter(name, Path(tree.directory))
    except UsageError:
        return None
    if "mcp_config" in adapter.options:
        return None
    return (
        f"the adapter {adapter.name} has no options.mcp_config that says how an MCP server is "
        f"passed; put {_CONFIG} in agent_command"
    )
