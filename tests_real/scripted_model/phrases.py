"""How a prompt chooses its script: by a line that names it, or by a phrase in natural words."""

from __future__ import annotations

import re
from collections.abc import Mapping

PHRASES: Mapping[str, str] = {
    "mend greet.sh": "mend",
    "in README.md how to run the tests": "explain_tests",
    "when nobody is named": "explain_greeting",
}

_NAMED = re.compile(r"^SCRIPT: (\w+)", re.MULTILINE)


def chosen(prompt: str) -> str | None:
    """Name the script that a prompt asks for, if it asks for one."""
    if named := _NAMED.search(prompt):
        return named[1]
    return next((script for phrase, script in PHRASES.items() if phrase in prompt), None)
