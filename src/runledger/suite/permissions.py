"""A file of permissions: which tools an agent may use when it asks."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from ..errors import SuiteError
from ..ledger.permission import ALLOW_ALL, REJECT_ALL, PermissionRule, Permissions
from .document import Document, Text
from .explain import sentence
from .source import point


class RuleSpec(Document):
    """`rules[]`: a decision for the tools, or kinds of tools, that fit a pattern."""

    decision: Literal["allow", "reject"]
    tool: Text = "*"
    kind: Text = "*"


class PermissionsConfig(Document):
    """A permissions file, as its author wrote it."""

    schema_version: Literal[1] = 1
    default: Literal["allow", "reject"] = "reject"
    rules: list[RuleSpec] = Field(default_factory=list)


def permissions_named(word: str | None, directory: str = ".") -> Permissions:
    """Find what `allow`, `reject` or the name of a file stands for; without any, all is allowed."""
    if word in (None, "allow"):
        return ALLOW_ALL
    return REJECT_ALL if word == "reject" else load_permissions(Path(directory, word))


def load_permissions(path: Path) -> Permissions:
    """Load a file of permissions, YAML or JSON; SuiteError carries all findings."""
    from .yaml_source import read_yaml  # most agents pay nothing for it

    source = read_yaml(path, str(path))
    try:
        config = PermissionsConfig.model_validate(source.value)
    except ValidationError as error:
        raise SuiteError(
            [
                point(source, tuple(one["loc"]), sentence(PermissionsConfig, one))
                for one in error.errors(include_url=False)
            ]
        ) from None
    rules = tuple(PermissionRule(one.decision, one.tool, one.kind) for one in config.rules)
    return Permissions(config.default, rules)
