"""Check what cases mean beside their suite, beside each other and on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..errors import Finding
from ..ledger.assertion import Assertion
from ..ledger.fingerprint import preview
from ..ledger.proxy import Fault, Kind
from ..ledger.suite import AgentProtocol, Mode, record_command
from ..ledger.usage import Limits
from .check_assertions import Surroundings, check_assertions
from .check_inject import check_inject
from .document import CaseConfig
from .draft import Draft
from .source import Source, line_of, point
from .tree import SuiteTree


@dataclass(frozen=True, slots=True)
class CaseRules:
    """What a suite says about all its cases; None and nothing where no suite is known."""

    mode: Mode | None = None
    protocol: AgentProtocol | None = None
    tools: tuple[str, ...] = ()
    assertions: tuple[Assertion, ...] = ()
    limits: Limits = Limits()
    faults: tuple[Fault, ...] = ()
    kinds: frozenset[Kind] | None = None  # of requests that can have a fault
    suite: str = "SUITE"  # as the user would write it in a command


NO_RULES = CaseRules()


def check_cases(
    drafts: Sequence[Draft[CaseConfig]], rules: CaseRules, tree: SuiteTree, around: Surroundings
) -> Iterator[Finding]:
    """Find everything in cases that is well formed and cannot work all the same."""
    for draft in drafts:
        yield from check_assertions(draft.source, draft.config.assertions, around)
        if "inject" not in draft.broken:
            yield from check_inject(draft.source, draft.config.inject, rules.kinds, rules.faults)
        yield from _check_input(draft, rules)
        yield from _check_cassette(draft, rules, tree)
    yield from _check_twins(drafts, "id", str)
    if rules.mode == "record":
        yield from _check_twins(drafts, "cassette", tree.real)


def _check_input(draft: Draft[CaseConfig], rules: CaseRules) -> Iterator[Finding]:
    given = draft.config.input
    if "input" in draft.broken:
        return
    if rules.protocol in ("stdio", "python") and not isinstance(given, dict):
        message = f"must be an object for the protocol {rules.protocol}; found {preview(given, 60)}"
        yield point(draft.source, ("input",), message)
    elif rules.protocol in ("acp", "headless") and "prompt" not in given and type(given) is dict:
        message = "must be a text, a list of texts or an object with a prompt"
        yield point(draft.source, ("input",), message)


def _check_cassette(
    draft: Draft[CaseConfig], rules: CaseRules, tree: SuiteTree
) -> Iterator[Finding]:
    problem = None
    if draft.config.cassette is not None:
        problem = _cassette_problem(draft.config.cassette, draft.config.id, rules, tree)
    elif rules.mode in ("replay", "record") and "cassette" not in draft.broken:
        example = f"cassettes/{draft.config.id}.jsonl"
        problem = f"is missing, and mode {rules.mode} needs it; add cassette: {example}"
    if problem is not None:
        yield point(draft.source, ("cassette",), problem)


def _cassette_problem(path: str, case_id: str, rules: CaseRules, tree: SuiteTree) -> str | None:
    spot = tree.look(path)
    if spot.refused is not None or spot.is_file:
        return spot.refused
    if spot.mode is not None:
        return f"{tree.label_of(path)} is not a file"
    if rules.mode == "replay":
        record = record_command(rules.suite, case_id)
        return f"there is no file {tree.label_of(path)}; to record it: {record}"
    return None


def _check_twins(
    drafts: Sequence[Draft[CaseConfig]], key: str, identity: Callable[[str], str]
) -> Iterator[Finding]:
    """Find cases that share an id, or a cassette that both would write."""
    first: dict[str, Source] = {}
    for draft in drafts:
        value = getattr(draft.config, key)
        if value is None or key in draft.broken:
            continue
        known = first.setdefault(identity(value), draft.source)
        if known is not draft.source:
            where = f"{known.file}:{line_of(known, (key,))}"
            yield point(draft.source, (key,), f"{value} is used in {where} already")
