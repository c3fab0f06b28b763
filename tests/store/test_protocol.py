"""protocol.yaml: an experiment as it was run, written to be read by people and read back whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from runledger.errors import UsageError
from runledger.ledger.experiment import Protocol
from runledger.ledger.value import Json, map_texts
from runledger.store.protocol import PROTOCOL, protocol_hash, protocol_text, read_protocol

NASTY = st.text(
    alphabet="\n\t -:#'\"a|>\x85\u2028\ufeff\x00\x7f\r{}[]&*!%@`0e.~\U0001f600ß", max_size=14
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["no", "0o17", "2024-01-01", "1e3", "=", "<<", "null"])
    | NASTY,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NASTY, inner, max_size=3),
    max_leaves=10,
)


def protocol(**fields: Any) -> Protocol:
    """Make a protocol, but for these fields an ordinary one."""
    usual: dict[str, Any] = {
        "directory": "/home/me/lens",
        "experiment": {"experiment_name": "lens", "trials": 2},
        "suffixes": {"with": "Report:\n\nTotal tool calls made: <number>\n", "without": ""},
        "tasks": [{"id": "t1", "input": "hello"}],
        "adapter": {"schema_version": 1, "name": "mine"},
    }
    known = {**usual, **fields}
    parts = (known[name] for name in ("experiment", "suffixes", "tasks", "adapter"))
    return Protocol(**{**known, "sha256": protocol_hash(*parts)})


def as_it_is(value: Json) -> Json:
    """Take nothing out."""
    return value


def test_the_file_is_one_that_people_can_read() -> None:
    """Keys in order, texts of several lines as blocks, and a word on top."""
    written = protocol()

    assert protocol_text(written, 7, as_it_is) == (
        "# The experiment as it was run; RunLedger reads it again, so leave it as it is.\n"
        "schema_version: 1\n"
        f"sha256: {written.sha256}\n"
        "directory: /home/me/lens\n"
        "seed: 7\n"
        "experiment:\n"
        "  experiment_name: lens\n"
        "  trials: 2\n"
        "suffixes:\n"
        "  with: |\n"
        "    Report:\n"
        "\n"
        "    Total tool calls made: <number>\n"
        "  without: ''\n"
        "adapter:\n"
        "  schema_version: 1\n"
        "  name: mine\n"
        "tasks:\n"
        "- id: t1\n"
        "  input: hello\n"
    )


@pytest.mark.parametrize("adapter", [None, {"schema_version": 1, "name": "mine"}])
def test_what_is_written_reads_back(tmp_path: Path, adapter: Any) -> None:
    """With the seed of the plan, whether or not the author wrote one."""
    written = protocol(adapter=adapter)
    (tmp_path / PROTOCOL).write_text(protocol_text(written, 7, as_it_is), "utf-8")

    assert read_protocol(tmp_path) == (written, 7)


@given(VALUES)
def test_every_value_reads_back(value: Json) -> None:
    """Whatever a task holds, YAML's own surprises included."""
    text = protocol_text(protocol(tasks=[{"input": value}]), 7, as_it_is)

    assert yaml.safe_load(text)["tasks"] == [{"input": value}]


def test_nothing_is_an_alias() -> None:
    """A value that is used twice is written twice."""
    shared = {"a": ["b"]}
    text = protocol_text(protocol(tasks=[shared, shared], experiment={"x": shared}), 7, as_it_is)

    assert "&id" not in text
    assert "*id" not in text


def test_secrets_are_taken_out_of_all_that_the_author_wrote() -> None:
    """The hash and the directory are ours, and stay."""

    def clean(value: Json) -> Json:
        return map_texts(value, lambda text: text.replace("s3cret", "[REDACTED]"))

    secret = protocol(
        experiment={"agent": {"env": {"set": {"KEY": "s3cret"}}}},
        suffixes={"with": "s3cret"},
        tasks=[{"input": "use s3cret"}],
        adapter={"env": {"set": {"KEY": "s3cret"}}},
    )
    text = protocol_text(secret, 7, clean)

    assert "s3cret" not in text
    assert text.count("[REDACTED]") == 4
    assert f"sha256: {secret.sha256}" in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is not the run of an experiment: it has no protocol.yaml"),
        ("", "is damaged, or of another version"),
        ("schema_version: 2\n", "is damaged, or of another version"),
        ("schema_version: 1\n", "protocol.yaml is damaged"),
        ("a: [", "is damaged"),
        ("schema_version: 1\nsha256: x\ndirectory: y\nseed: x\n", "is damaged"),
        (b"\xff", "is damaged"),
    ],
)
def test_what_is_no_protocol_is_told(
    tmp_path: Path, content: str | bytes | None, words: str
) -> None:
    """A file that was damaged is named, with what is wrong with it."""
    if content is not None:
        raw = content if isinstance(content, bytes) else content.encode()
        (tmp_path / PROTOCOL).write_bytes(raw)

    with pytest.raises(UsageError, match=words):
        read_protocol(tmp_path)
