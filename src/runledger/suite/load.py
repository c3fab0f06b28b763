"""Load a suite, or its cases alone: read, check everything, then settle it into nouns."""

from __future__ import annotations

import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from ..errors import Finding, SuiteError
from ..ledger.suite import OUTPUT_DIR, OWN_TOOLS, AgentProtocol, Mode, Suite
from ..ledger.task import Task
from .cases import cases_problem, lines_of, read_cases
from .check import check_suite
from .check_assertions import Surroundings, check_assertions
from .check_cases import NO_RULES, CaseRules, check_cases
from .check_proxies import proxied
from .document import CaseConfig, SuiteConfig
from .draft import Draft, draft_case, draft_suite
from .schemas import SchemaShelf
from .settle import case_rules, settle_case, settle_faults, settle_suite
from .source import point, read_bytes, refusal
from .tree import SuiteTree, label_of

SUITE_FILE = "suite.yaml"
STDIN = "-"


def load_suite(path: Path, mode: Mode | None = None) -> Suite:
    """Load the suite in a directory, or of a suite file; SuiteError carries all findings.

    `mode` is the command line's: it goes over the suite's own, and checks depend on it.
    """
    from .yaml_source import MAX_BYTES, parse_yaml  # prompts pay nothing for it

    file = _find_suite(path)
    tree = SuiteTree(file.parent)
    label = tree.label_of(file.name)
    raw = read_bytes(file, label, MAX_BYTES)
    findings: list[Finding] = []
    draft = draft_suite(parse_yaml(raw, label), findings)
    if draft is None:
        raise SuiteError(findings)
    schemas = SchemaShelf(tree)
    cases = _read_and_check(draft, mode, Surroundings(schemas, _known_tools(draft)), findings)
    _raise_all(findings, schemas)
    rules = case_rules(draft.config, schemas)
    tasks = tuple(settle_case(case.config, rules, schemas) for case in cases)
    suite = settle_suite(draft.config, tasks, tree.directory)
    return replace(suite, mode=mode or suite.mode, sha256=sha256(raw).hexdigest())


def where_runs_are(path: Path) -> tuple[str, str]:
    """Give a suite's name and where its run directories are made, without looking further."""
    from .yaml_source import MAX_BYTES, parse_yaml

    file = _find_suite(path)
    label = SuiteTree(file.parent).label_of(file.name)
    findings: list[Finding] = []
    draft = draft_suite(parse_yaml(read_bytes(file, label, MAX_BYTES), label), findings)
    if draft is None or findings:
        raise SuiteError(findings)
    return draft.config.suite_name, draft.config.output_dir or OUTPUT_DIR


def load_cases(suite_dir: Path, cases_path: str, rules: CaseRules = NO_RULES) -> list[Task]:
    """Load cases in the order of their files; without rules, check what needs no suite."""
    tree = SuiteTree(suite_dir)
    problem = cases_problem(cases_path, tree)
    if problem is not None:
        raise refusal(tree.label_of(cases_path), problem)
    schemas = SchemaShelf(tree)
    findings: list[Finding] = []
    cases = read_cases(cases_path, tree, SUITE_FILE, findings)
    findings += check_cases(cases, rules, tree, Surroundings(schemas, rules.tools))
    _raise_all(findings, schemas)
    return [settle_case(case.config, rules, schemas) for case in cases]


def load_prompts(name: str, protocol: AgentProtocol | None = None) -> tuple[Task, ...]:
    """Load a file of prompts, or standard input for `-`; every line is a case without a suite."""
    file, directory = ("standard input", Path()) if name == STDIN else (name, Path(name).parent)
    findings: list[Finding] = []
    raw = sys.stdin.buffer.read() if name == STDIN else read_bytes(Path(name), file)
    sources = lines_of(raw, file, findings)
    cases = [case for source in sources if (case := draft_case(source, findings)) is not None]
    schemas = SchemaShelf(SuiteTree(directory))
    rules = CaseRules(protocol=protocol, kinds=frozenset())
    findings += check_cases(cases, rules, schemas.tree, Surroundings(schemas))
    _raise_all(findings, schemas)
    return tuple(settle_case(case.config, rules, schemas) for case in cases)


def _find_suite(path: Path) -> Path:
    name, looked = label_of(path), label_of(path / SUITE_FILE)
    try:
        file = path / SUITE_FILE if path.is_dir() else path
        if file.is_file():
            return file
    except OSError as error:
        raise refusal(name, f"cannot be read: {error.strerror}") from error
    raise refusal(name, f"no such suite: {name} (looked for {looked})")


def _read_and_check(
    draft: Draft[SuiteConfig], mode: Mode | None, around: Surroundings, findings: list[Finding]
) -> list[Draft[CaseConfig]]:
    source, config, tree = draft.source, draft.config, around.schemas.tree
    findings += check_suite(draft, tree, mode)
    findings += check_assertions(source, config.assertions, around)
    if "cases_path" in draft.broken:
        return []
    problem = cases_problem(config.cases_path, tree)
    if problem is not None:
        findings.append(point(source, ("cases_path",), problem))
        return []
    cases = read_cases(config.cases_path, tree, source.file.rpartition("/")[2], findings)
    findings += check_cases(cases, _sound_rules(draft, mode), tree, around)
    return cases


def _known_tools(draft: Draft[SuiteConfig]) -> tuple[str, ...]:
    """List the tools that can be called at all, where the runner answers every call."""
    config = draft.config
    if config.agent_protocol in OWN_TOOLS or config.proxies is not None:
        return ()  # such agents have tools of their own
    return () if "tool_registry" in draft.broken else tuple(config.tool_registry or ())


def _sound_rules(draft: Draft[SuiteConfig], mode: Mode | None) -> CaseRules:
    """Give what cases are checked by; what is broken in the suite is not held against them."""
    config, broken = draft.config, draft.broken
    return CaseRules(
        mode=mode or (None if "mode" in broken else config.mode),
        protocol=None if "agent_protocol" in broken else config.agent_protocol,
        faults=() if "inject" in broken else settle_faults(config.inject),
        kinds=None if "proxies" in broken else proxied(config),
        suite=_shown_suite(Path(draft.source.file)),
    )


def _shown_suite(file: Path) -> str:
    return str(file.parent if file.name == SUITE_FILE else file)


def _raise_all(findings: list[Finding], schemas: SchemaShelf) -> None:
    found = [*findings, *schemas.findings]
    if found:
        raise SuiteError(sorted(found, key=lambda finding: (finding.file, finding.line or 0)))
