"""The scripts of examples/unmodified/claude: what a model might do in that repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .script import Call, Move, Say, Use, read

_TESTS = Use("shell", {"command": "sh test.sh", "description": "Run the tests"})
_USAGE = "`sh greet.sh NAME` greets who is named, or else the world."


def _edit(path: str, old: str, new: str) -> Use:
    return Use("edit", {"path": path, "old_string": old, "new_string": new})


ERRANDS: Mapping[str, Sequence[Move]] = {
    "mend": [
        Call((_TESTS,)),
        Call((read("greet.sh"),)),
        Call((_edit("greet.sh", "$1", "${1:-world}"),)),
        Call((_TESTS,)),
        Say(
            "greet.sh printed an empty name when it was given none. It now falls back to `world`, "
            "and both tests pass."
        ),
    ],
    "explain_tests": [
        Call((read("README.md"),)),
        Call((_edit("README.md", _USAGE, f"{_USAGE}\n\nRun the tests with `sh test.sh`."),)),
        Say("README.md now says that `sh test.sh` runs the tests."),
    ],
    "explain_greeting": [
        Call((read("greet.sh"),)),
        Say("It prints `Hello, !`, with nothing where the name would be."),
    ],
}
