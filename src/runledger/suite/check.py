"""Check what the keys of suite.yaml mean beside each other and on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from .. import registry
from ..errors import Finding
from ..ledger.pattern import pattern_problem
from ..ledger.suite import OWN_TOOLS, Mode
from .check_command import check_command
from .check_inject import check_inject
from .check_proxies import check_proxies, proxied
from .check_workspace import check_workspace
from .document import SuiteConfig
from .draft import Draft
from .source import Source, Steps, point
from .tree import SuiteTree

_FUNCTION = re.compile(r"[^\s:]+:[^\W\d]\w*(\.[^\W\d]\w*)*")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def check_suite(
    draft: Draft[SuiteConfig], tree: SuiteTree, override: Mode | None
) -> Iterator[Finding]:
    """Find everything in suite.yaml that is well formed and cannot work all the same."""
    source, config = draft.source, draft.config
    yield from check_command(source, ("agent_command",), config.agent_command)
    yield from _check_agent(source, config, tree)
    yield from _check_reuse(source, config)
    yield from _check_rules(source, config)
    yield from _check_paths(source, config, tree)
    yield from check_proxies(draft, tree)
    yield from check_workspace(draft, tree)
    if not draft.broken & {"inject", "proxies"}:
        yield from check_inject(source, config.inject, proxied(config))
    if "mode" not in draft.broken or override is not None:
        yield from _check_mode(draft, tree, override)


def is_module_file(tool_module: str) -> bool:
    """Tell a file of the suite from the dotted name of a module."""
    return tool_module.endswith(".py") or "/" in tool_module


def _check_agent(source: Source, config: SuiteConfig, tree: SuiteTree) -> Iterator[Finding]:
    """Check what an agent's protocol asks for, and what only other protocols know."""
    if config.agent_protocol == "python" and not names_function(config.agent_command):
        message = "must be one module:function for agent_protocol python"
        yield point(source, ("agent_command",), message)
    if config.agent_protocol == "headless" and config.adapter is None:
        yield point(source, ("adapter",), "is missing, and agent_protocol headless needs it")
    for key, protocol in (("adapter", "headless"), ("permissions", "acp")):
        if getattr(config, key) is not None and config.agent_protocol != protocol:
            yield point(source, (key,), f"goes with agent_protocol {protocol} only")
    if (problem := _permissions_problem(config.permissions, tree)) is not None:
        yield point(source, ("permissions",), problem)


def names_function(command: Sequence[str]) -> bool:
    """Say whether a command is one `module:function`."""
    return len(command) == 1 and bool(_FUNCTION.fullmatch(command[0]))


def _permissions_problem(permissions: str | None, tree: SuiteTree) -> str | None:
    if permissions in (None, "allow", "reject"):
        return None
    spot = tree.look(permissions)
    if spot.refused is None and not spot.is_file:
        return f"must be allow, reject or a file; there is no file {tree.label_of(permissions)}"
    return spot.refused


def _check_reuse(source: Source, config: SuiteConfig) -> Iterator[Finding]:
    if not config.agent_reuse:
        return
    if config.agent_protocol != "stdio":
        message = f"works with agent_protocol stdio only, not with {config.agent_protocol}"
        yield point(source, ("agent_reuse",), message)
    for key in ("workspace", "proxies"):
        if getattr(config, key) is not None:
            yield point(source, ("agent_reuse",), f"cannot be used beside {key}")


def _check_rules(source: Source, config: SuiteConfig) -> Iterator[Finding]:
    rules = config.cassettes.match if config.cassettes else None
    for tool, rule in (rules or {}).items():
        if rule.match == "subset" and _is_of_models(tool):
            steps = ("cassettes", "match", tool, "match")
            yield point(source, steps, "must be exact: requests to a model are compared whole")
        for pattern in rule.replace or {}:
            problem = pattern_problem(pattern)
            if problem is not None:
                yield point(source, ("cassettes", "match", tool, "replace", pattern), problem)


def _is_of_models(name: str) -> bool:
    """Say whether a rule is for requests to a model: all of them, or those of a path."""
    return name == "model" or name.startswith("/") or " /" in name


def _check_paths(source: Source, config: SuiteConfig, tree: SuiteTree) -> Iterator[Finding]:
    for steps, problem in _path_problems(config, tree):
        if problem is not None:
            yield point(source, steps, problem)


def _path_problems(config: SuiteConfig, tree: SuiteTree) -> Iterator[tuple[Steps, str | None]]:
    if config.tool_module is not None:
        yield ("tool_module",), _module_problem(config.tool_module, tree)
    if config.output_dir is not None:
        yield ("output_dir",), output_problem(config.output_dir)
    if config.baseline_path is not None and "\0" in config.baseline_path:
        yield ("baseline_path",), "holds a NUL character"


def _module_problem(tool_module: str, tree: SuiteTree) -> str | None:
    if is_module_file(tool_module):
        return tree.look(tool_module).refused
    if _MODULE.fullmatch(tool_module):
        return None
    return f"must be a .py file or a dotted module name; found {tool_module}"


def output_problem(path: str) -> str | None:
    """Say why runs cannot be kept at a path: they stay below the caller's directory."""
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or "\0" in path:
        return f"must be below the directory you run from: no absolute path, no ..; found {path}"
    here = Path.cwd().resolve()
    if not (here / path).resolve().is_relative_to(here):
        return f"must be below the directory you run from; {path} leads out of it by a link"
    return None


def _check_mode(
    draft: Draft[SuiteConfig], tree: SuiteTree, override: Mode | None
) -> Iterator[Finding]:
    mode = override or draft.config.mode
    protocol = draft.config.agent_protocol
    if protocol in OWN_TOOLS:
        if mode != "live" and not proxied(draft.config) and "proxies" not in draft.broken:
            message = f"an agent of protocol {protocol} calls tools of its own: use mode: live"
            more = f"or proxies, which record its model and its MCP servers (mode {mode})"
            yield point(draft.source, ("mode",), f"{message}, {more}")
        return
    missing = _missing_tools(draft.config, tree) if mode != "replay" else None
    if missing is not None and not draft.broken & {"tool_module", "tool_registry", "mcp_tools"}:
        yield point(draft.source, ("tool_module",), f"{missing} (mode {mode})")


def _missing_tools(config: SuiteConfig, tree: SuiteTree) -> str | None:
    """Say which tools nobody could call, in a mode that calls them."""
    module = config.tool_module
    own = set(config.tool_registry or ()) - registry.BUILT_IN["tools"].keys()
    if module is None and own and not config.mcp_tools:
        return "is missing; add the file that has the tools, such as tool_module: tools.py"
    if module is None or not is_module_file(module):
        return None
    spot = tree.look(module)
    if spot.refused is None and not spot.is_file:
        return f"there is no file {tree.label_of(module)}"
    return None
