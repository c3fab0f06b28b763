"""Write a matching rule as a user would write it in a suite, to be pasted there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...ledger.value import Json

if TYPE_CHECKING:
    from ...ledger.suite import MatchRule

_PLAIN = re.compile(r"[A-Za-z_$][\w.$-]*", re.ASCII)
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def offered_rule(name: str, rule: MatchRule) -> str:
    """Write the rule for a name as it stands in a suite."""
    return f"cassettes: {yaml_line({'match': {name: _rule_fields(rule)}})}"


def yaml_line(value: Json) -> str:
    """Write a value as YAML in one line, as a user would."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{yaml_line(key)}: {yaml_line(value[key])}" for key in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(yaml_line(item) for item in value) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _NOT_TEXT:
        return value
    return json.dumps(value, ensure_ascii=False)


def _rule_fields(rule: MatchRule) -> dict[str, Json]:
    fields: dict[str, Json] = {"ignore": list(rule.ignore)}
    if rule.replace:
        fields["replace"] = dict(rule.replace)
    return fields if rule.match == "exact" else fields | {"match": rule.match}
