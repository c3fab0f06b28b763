"""Load a profile: a built-in one by its name, or a file that a user wrote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from ..errors import Finding, SuiteError, UnknownName
from ..ledger.pattern import found_in, pattern_problem
from ..ledger.proxy import Profile, Rule
from .explain import sentence
from .json_source import parse_json_file
from .profile_document import ProfileConfig, RuleSpec
from .source import Source, Steps, point, read_bytes, refusal
from .tree import SuiteTree
from .yaml_source import MAX_BYTES, parse_yaml

BUILT_IN = ("claude-code", "codex", "generic", "opencode")
SUFFIXES = (".json", ".yaml", ".yml")
NUMBER = "n"

_BLANK = re.compile(r"\{(\w+)\}")


def load_profile(name: str, directory: Path = Path()) -> Profile:
    """Load a built-in profile, or a file below a directory; SuiteError carries all findings."""
    if is_profile_file(name):
        return read_profile_file(name, SuiteTree(directory))
    if name not in BUILT_IN:
        raise UnknownName("profile", name, [*BUILT_IN, "./FILE.json"])
    file = f"{name}.json"
    return read_profile((files(__package__) / "profiles" / file).read_bytes(), file)


def is_profile_file(name: str) -> bool:
    """Tell a file of the user's from the name of a built-in profile."""
    return "/" in name or name.endswith(SUFFIXES)


def read_profile_file(path: str, tree: SuiteTree) -> Profile:
    """Read a profile that a suite has beside it; SuiteError carries all findings."""
    label, spot = tree.label_of(path), tree.look(path)
    if spot.refused is not None:
        raise refusal(label, spot.refused)
    return read_profile(read_bytes(Path(tree.full(path)), label, MAX_BYTES), label)


def read_profile(raw: bytes, file: str) -> Profile:
    """Read a profile, JSON or YAML, check all of it, and settle it into a noun."""
    source = parse_json_file(raw, file) if file.endswith(".json") else parse_yaml(raw, file)
    try:
        config = ProfileConfig.model_validate(source.value)
    except ValidationError as error:
        raise SuiteError(list(_findings_of(source, error))) from None
    findings = [point(source, steps, told) for steps, told in _problems(config)]
    if findings:
        raise SuiteError(findings)
    rules = (Rule(rule.pattern, rule.replace, rule.path) for rule in config.rules)
    return Profile(config.name, config.version, tuple(rules))


def _findings_of(source: Source, error: ValidationError) -> Iterator[Finding]:
    for one in error.errors(include_url=False):
        steps = tuple(one["loc"])
        yield point(source, steps, sentence(ProfileConfig, one))


def _problems(config: ProfileConfig) -> Iterator[tuple[Steps, str]]:
    for index, rule in enumerate(config.rules):
        steps: Steps = ("rules", index)
        if (told := _pattern_problem(rule.pattern)) is not None:
            yield (*steps, "pattern"), told
        if (told := _replace_problem(rule)) is not None:
            yield (*steps, "replace"), told


def _pattern_problem(pattern: str) -> str | None:
    """Say why a pattern cannot tell what varies."""
    problem = pattern_problem(pattern)
    if problem is not None:
        return f"{problem}; found {pattern}"
    if found_in(pattern, ""):
        return f"fits an empty text, and so every place in a request; found {pattern}"
    return None


def _replace_problem(rule: RuleSpec) -> str | None:
    """Say what nobody would fill in."""
    for name in _BLANK.findall(rule.replace):
        if name != NUMBER:
            return f"unknown placeholder {{{name}}}; only {{{NUMBER}}} is known, a number"
    return None
