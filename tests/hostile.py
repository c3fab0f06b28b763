"""What a stranger may write: texts that want to be more than text, and files changed on purpose."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from runledger.cli import _command

TEXTS = (
    "]]> <!-- --> <?x ?> &amp; &lt;",
    "</script></style></textarea><script>window.__pwned=1</script>",
    "<img src=x onerror=window.__pwned=1><svg onload=window.__pwned=1>",
    "\"'><a href='javascript:window.__pwned=1'>x</a>",
    "[x](javascript:window.__pwned=1) ![x](http://127.0.0.1:9/x.png) <http://127.0.0.1:9/>",
    "</details><details><summary>| a | b |\n|---|---|\n```\n# heading\n* list",
    "[/] [bold red]x[/bold red] {{7*7}} {% raw %} ${x} %s",
    "NUL \x00 ANSI \x1b[8mx\x1b[0m OSC \x1b]0;title\x07 \x1b]8;;http://127.0.0.1:9/\x07 CSI \x9b2J",
    "\n::stop-commands::x\n::error::y\n  ::set-env name=X::1\n##[command]x\n##vso[x]y",
    "CR \rover LS \u2028 PS \u2029 NEL \x85 DEL \x7f",
    "\u202eright to left\u2066 \u200f \ufeff",
    "=cmd|' /C calc'!A0",
    "@everyone #1 http://127.0.0.1:9/ www.example.invalid",
)
BAD = "\n".join(TEXTS)

# What a terminal obeys, or a reader does not see: all controls but newline and tab, bidi.
UNCLEAN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
OBEYED = re.compile(r"^\s*::|##(?:vso)?\[", re.MULTILINE)
OURS = re.compile(r"\x1b\[(?:0|1|2|31|32|33)m|\r(?=\n)")  # our colours; a terminal's own line end

DEEP = "<deep>"
HUGE = "<huge>"
VALUES: tuple[Any, ...] = (None, {"a": 1}, [1], BAD, -1, True, 10**400)
_WRITTEN = {json.dumps(DEEP): "[" * 100_000 + "]" * 100_000, json.dumps(HUGE): "9" * 5000}


def changed(document: Any, values: tuple[Any, ...] = VALUES) -> Iterator[tuple[str, Any]]:
    """Yield a document with every one of its parts put another way, or left out."""
    for path in _paths(document):
        for value in values:
            yield f"{path} is {value!r:.30}", _with(document, path, value)
        if path:
            yield f"{path} is gone", _with(document, path)


def written(document: Any) -> str:
    """Write a document as the record does, what JSON can say and readers cannot hold included."""
    text = json.dumps(document, separators=(",", ":"))
    for mark, what in _WRITTEN.items():
        text = text.replace(mark, what)
    return text


def check_clean(text: str) -> None:
    """Make sure that a text drives no terminal and commands no CI runner."""
    assert not UNCLEAN.findall(text), UNCLEAN.findall(text)
    assert not OBEYED.findall(text), text


def listing(*places: Path) -> dict[str, str]:
    """Tell all that is in some directories: names, what links say, and hashes of files."""
    found = {}
    for place in places:
        for path in sorted(place.rglob("*")):
            if path.is_symlink():
                found[str(path)] = f"link to {path.readlink()}"
            elif path.is_file():
                found[str(path)] = sha256(path.read_bytes()).hexdigest()
            else:
                found[str(path)] = "there"
    return found


class Console:
    """The command in this very process, for tests that use it hundreds of times."""

    def __init__(self, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capture = capture
        self._patch = patch

    def run(self, *words: str | Path) -> tuple[int, str, str]:
        """Run the command, and give its exit code and what it wrote."""
        self._patch.setattr(sys, "argv", ["runledger", *map(str, words)])
        self._capture.readouterr()
        code = _command()
        out, err = self._capture.readouterr()
        return code, out, err

    def refuses(self, *words: str | Path, naming: Path | str = "", may_work: bool = False) -> str:
        """Make sure that a command says what it cannot use, and where, and drives no terminal.

        What is only odd, and no reason to stop, may work.
        """
        code, out, err = self.run(*words)
        assert "Traceback" not in err, (words, err)
        assert code in ((0, 1, 2, 3) if may_work else (2,)), (words, code, out, err)
        if code == 2:
            assert str(naming) in err, (words, naming, err)
        check_clean(out + err)
        return err


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, Mapping):
        for key in value:
            yield from _paths(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _paths(item, (*path, index))


_GONE = object()


def _with(document: Any, path: tuple[str | int, ...], value: Any = _GONE) -> Any:
    if not path:
        return value
    step, *rest = path
    copy: Any = dict(document) if isinstance(document, dict) else list(document)
    if rest or value is not _GONE:
        copy[step] = _with(document[step], tuple(rest), value)
    else:
        del copy[step]
    return copy


def environment() -> dict[str, str]:
    """Give an environment full of secrets that no agent is to have."""
    return {name: f"{name.lower()}-{os.urandom(8).hex()}" for name in SECRET_NAMES}


SECRET_NAMES = (
    "AWS_SECRET_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "GITHUB_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "DATABASE_URL",
    "SSH_AUTH_SOCK",
    "MY_OWN_SETTING",
)
