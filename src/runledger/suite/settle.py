"""Turn checked documents into the nouns that the rest of the house knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..ledger import assertion as noun
from ..ledger.adapter import Adapter
from ..ledger.proxy import Fault, McpProxy, ModelProxy, Proxies, Template
from ..ledger.suite import (
    OUTPUT_DIR,
    OWN_TOOLS,
    AgentSettings,
    CassetteRules,
    MatchRule,
    ServerSettings,
    Suite,
    Thresholds,
    ToolSettings,
)
from ..ledger.task import Task
from ..ledger.usage import Limits
from . import document as spec
from .check_cases import CaseRules
from .permissions import permissions_named
from .schemas import SchemaShelf


def settle_suite(suite: spec.SuiteConfig, tasks: tuple[Task, ...], directory: str) -> Suite:
    """Make the suite of its document and its tasks."""
    return Suite(
        name=suite.suite_name,
        directory=directory,
        agent=_settle_agent(suite, directory),
        tasks=tasks,
        mode=suite.mode,
        tools=_settle_tools(suite),
        cassettes=_settle_cassettes(suite.cassettes),
        proxies=_settle_proxies(suite.proxies, directory),
        workspace=_settle_workspace(suite.workspace),
        thresholds=_settle_thresholds(suite.regression),
        baseline_path=suite.baseline_path,
        output_dir=suite.output_dir or OUTPUT_DIR,
    )


def case_rules(suite: spec.SuiteConfig, schemas: SchemaShelf) -> CaseRules:
    """Give what a suite says about all its cases."""
    return CaseRules(
        mode=suite.mode,
        protocol=suite.agent_protocol,
        tools=tuple(suite.tool_registry or ()),
        assertions=_settle_assertions(suite.assertions, schemas),
        limits=_settle_limits(suite.budgets, Limits()),
        faults=settle_faults(suite.inject),
    )


def settle_case(case: spec.CaseConfig, rules: CaseRules, schemas: SchemaShelf) -> Task:
    """Make the task of a case: its own assertions after the suite's, its budgets over them.

    A timeout of its own stands in for the suite's budget of time.
    """
    limits, timeout = rules.limits, case.timeout
    if case.budgets is not None and "max_wall_ms" in case.budgets.model_fields_set:
        timeout = None
    elif timeout is not None:
        limits = replace(limits, max_wall_ms=None)
    return Task(
        id=case.id,
        input=case.input,
        expected=case.expected,
        description=case.description,
        metadata=case.metadata or {},
        tags=tuple(case.tags or ()),
        cassette=case.cassette,
        assertions=rules.assertions + _settle_assertions(case.assertions, schemas),
        limits=_settle_limits(case.budgets, limits),
        reference=case.reference,
        faults=rules.faults + settle_faults(case.inject),
        timeout_ms=timeout,
    )


def settle_faults(specs: Sequence[spec.InjectSpec] | None) -> tuple[Fault, ...]:
    """Make the faults that are put in on purpose."""
    return tuple(_settle_fault(each.on, each.do) for each in specs or ())


def _settle_fault(on: spec.InjectOnSpec, do: spec.InjectDoSpec) -> Fault:
    return Fault(
        kind=on.kind,
        nth=on.nth,
        status=do.status,
        delay_ms=do.delay_ms,
        reset=bool(do.reset),
        cut_after_frames=do.cut_after_frames,
        malformed=bool(do.malformed),
    )


def _settle_limits(budgets: spec.BudgetSpec | None, under: Limits) -> Limits:
    """Lay budgets over limits, key by key; a key that is written as null lifts the limit."""
    if budgets is None:
        return under
    return replace(under, **{key: getattr(budgets, key) for key in budgets.model_fields_set})


def _settle_assertions(
    specs: Sequence[spec.AssertionSpec] | None, schemas: SchemaShelf
) -> tuple[noun.Assertion, ...]:
    """Make the assertions, each with its schema where it has one."""
    return tuple(_settle_assertion(each, schemas) for each in specs or ())


def _settle_agent(suite: spec.SuiteConfig, directory: str) -> AgentSettings:
    """Make the settings of the agent."""
    env = suite.env or spec.EnvSpec()
    return AgentSettings(
        command=tuple(suite.agent_command),
        protocol=suite.agent_protocol,
        reuse=suite.agent_reuse,
        env_pass=tuple(env.pass_ or ()),
        env_set=env.set or {},
        grace_ms=suite.grace_ms,
        adapter=_settle_adapter(suite.adapter, directory),
        permissions=permissions_named(suite.permissions, directory),
        sandbox=suite.sandbox,
    )


def _settle_adapter(name: str | None, directory: str) -> Adapter | None:
    """Make the adapter that a suite names: a built-in one, or a file of the suite's."""
    if name is None:
        return None
    from .adapter import load_adapter  # most suites pay nothing for it

    return load_adapter(name, Path(directory))


def _settle_tools(suite: spec.SuiteConfig) -> ToolSettings:
    """Make the settings of the tools that the runner answers."""
    if suite.agent_protocol in OWN_TOOLS:
        return ToolSettings()
    servers = {
        name: ServerSettings(tuple(server.command), server.env or {})
        for name, server in (suite.mcp_tools or {}).items()
    }
    names = tuple(suite.tool_registry or ())
    return ToolSettings(names, suite.tool_module, suite.tool_timeout_s, servers)


def _settle_cassettes(cassettes: spec.CassettesSpec | None) -> CassetteRules:
    """Make the rules of cassettes, with one for each tool that has its own."""
    if cassettes is None:
        return CassetteRules()
    rules = {tool: _settle_match(rule) for tool, rule in (cassettes.match or {}).items()}
    return CassetteRules(order=cassettes.order, unused=cassettes.unused, match=rules)


def _settle_proxies(proxies: spec.ProxiesSpec | None, directory: str) -> Proxies:
    """Make what stands between the agent and the world, each model API with its profile."""
    if proxies is None:
        return Proxies()
    return Proxies(
        models=tuple(_settle_model(model, directory) for model in proxies.model or ()),
        servers=tuple(
            McpProxy(name, tuple(server.command), server.env or {})
            for name, server in (proxies.mcp or {}).items()
        ),
    )


def _settle_model(model: spec.ModelProxySpec, directory: str) -> ModelProxy:
    from .profile import load_profile  # most suites pay nothing for it

    return ModelProxy(
        env=model.env,
        upstream=model.upstream.rstrip("/"),  # paths of requests begin with one
        profile=load_profile(model.profile, Path(directory)),
        key_env=model.key_env,
        latency=model.latency,
    )


def _settle_workspace(workspace: spec.WorkspaceSpec | None) -> Template | None:
    if workspace is None:
        return None
    return Template(workspace.from_, fresh_home=workspace.home == "fresh")


def _settle_thresholds(regression: spec.RegressionSpec | None) -> Thresholds | None:
    """Make the thresholds of the gate, where the suite has one."""
    return None if regression is None else Thresholds(**dict(regression))


def _settle_match(rule: spec.MatchSpec) -> MatchRule:
    return MatchRule(tuple(rule.ignore or ()), rule.replace or {}, rule.match)


def _settle_assertion(each: spec.AssertionSpec, schemas: SchemaShelf) -> noun.Assertion:
    if isinstance(each, spec.ScriptSpec):
        return noun.Script(tuple(each.command))
    if isinstance(each, spec.OutputSpec):
        return _about_output(each, schemas)
    return _about_calls(each, schemas)


def _about_output(each: spec.OutputSpec, schemas: SchemaShelf) -> noun.Assertion:
    match each:
        case spec.RequiredFieldsSpec():
            return noun.RequiredFields(tuple(each.fields))
        case spec.JsonSchemaSpec():
            return noun.JsonSchema(each.schema_path, schemas[each.schema_path])
        case spec.ContainsSpec():
            return noun.Contains(each.text, each.path)
        case spec.RegexSpec():
            return noun.Regex(each.pattern, each.path)
        case spec.EqualsSpec():
            return noun.Equals(each.path, each.value)


def _about_calls(each: spec.CallSpec, schemas: SchemaShelf) -> noun.Assertion:
    match each:
        case spec.MustCallSpec():
            return noun.MustCall(tuple(each.tools))
        case spec.MustNotCallSpec():
            return noun.MustNotCall(tuple(each.tools))
        case spec.CallOrderSpec():
            return noun.CallOrder(tuple(each.order))
        case spec.CallCountSpec():
            return noun.CallCount(each.tool, each.min, each.max)
        case spec.ToolArgsSpec():
            schema = True if each.schema_path is None else schemas[each.schema_path]
            return noun.ToolArgs(each.tool, each.schema_path, schema, each.equals, each.contains)
