"""Read JSON of the user's, strictly: a value or a finding for each file or line."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import Finding, SuiteError
from ..ledger.strict_json import NotJson, loads
from ..ledger.value import Json
from .source import Source, decode, read_bytes, refusal


def read_json(path: Path, file: str) -> Json:
    """Read a file that is one JSON value."""
    return _parse(decode(read_bytes(path, file), file), file, None)


def parse_json_file(raw: bytes, file: str) -> Source:
    """Read JSON, strictly, and find the lines of its parts, since JSON reads as YAML, too."""
    from .yaml_source import parse_yaml  # who reads lines of JSON pays nothing for it

    value = _parse(decode(raw, file), file, None)
    try:
        lined = parse_yaml(raw, file)
    except SuiteError:  # such as one that is indented with tabs
        return Source(file, value)
    return lined if lined.value == value else Source(file, value)


def parse_json_lines(raw: bytes, file: str, findings: list[Finding]) -> list[Source]:
    """Read one value per line; blank lines are skipped, lines that cannot be used are findings."""
    sources = []
    lines = decode(raw, file).split("\n")  # splitlines() also splits at U+2028
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            continue
        try:
            sources.append(Source(file, _parse(line, file, number), number))
        except SuiteError as error:
            findings.extend(error.findings)
    return sources


def _parse(text: str, file: str, line: int | None) -> Json:
    try:
        value = loads(text)
    except NotJson as error:
        raise refusal(file, str(error), line) from error
    if _has_half_characters(text, value):
        reason = "a \\ud… escape is half a character, without its other half"
        raise refusal(file, reason, line)
    return value


def _has_half_characters(text: str, value: Json) -> bool:
    if "\\ud" not in text and "\\uD" not in text:
        return False  # nearly every text
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
