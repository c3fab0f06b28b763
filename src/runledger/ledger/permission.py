"""What an agent may do when it asks for permission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

Decision: TypeAlias = Literal["allow", "reject"]


@dataclass(frozen=True, slots=True)
class PermissionRule:
    """A decision for the tools whose names, and kinds, fit these patterns."""

    decision: Decision
    tool: str = "*"
    kind: str = "*"  # ACP's: read, edit, delete, move, search, execute, think, fetch, other


@dataclass(frozen=True, slots=True)
class Permissions:
    """Rules in order, the first that fits decides, and what holds where none fits."""

    default: Decision = "allow"
    rules: Sequence[PermissionRule] = ()


ALLOW_ALL = Permissions("allow")
REJECT_ALL = Permissions("reject")


def decide(permissions: Permissions, tool: str, kind: str) -> Decision:
    """Decide about one request."""
    for rule in permissions.rules:
        if fnmatchcase(tool, rule.tool) and fnmatchcase(kind, rule.kind):
            return rule.decision
    return permissions.default
