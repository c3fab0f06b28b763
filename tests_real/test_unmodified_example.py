"""examples/unmodified/claude: replayed as it was committed, and fit to be read by others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gate import Gate
from kit import Done
from record_example import EXAMPLE

MOST_BYTES = 300_000
HOSTS = {"claude.com", "github.com", "json-schema.org"}  # in what claude tells its model

_HOST = re.compile(r"\bhttps?://([^/\s\"\\]+)")
_PATH = re.compile(r"/(?:Users|home|mnt|opt|private|root|srv|tmp|usr|var|work)/[\w.-]+")


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Replay a copy of the example, without a key and on another day."""
    copy = Gate(EXAMPLE).copy(tmp_path_factory.mktemp("example") / "copy")
    return copy.run("-j", "2", CI="true", TZ="Etc/GMT+12")


def test_the_example_passes(replayed: Done) -> None:
    """No case misses an answer, and none leaves one."""
    assert replayed.code == 0, (replayed.out, replayed.err)
    cassettes = {case["id"]: case["cassette"] for case in replayed.summary["cases"]}
    assert set(cassettes) == {"mend", "rate-limited", "readme"}
    for id, cassette in cassettes.items():
        assert (cassette["used"], cassette["unused"]) == (cassette["entries"], 0), id


def test_the_rate_limit_of_the_example_is_met(replayed: Done) -> None:
    """The case that is about a refusal had one."""
    found = [event for event in replayed.events if event.get("message") == "fault injected"]

    assert [event["case_id"] for event in found] == ["rate-limited"]


def test_the_example_passes_in_a_sandbox(tmp_path: Path) -> None:
    """Claude has no network there, and finds its model, its packages and its workspace."""
    copy = Gate(EXAMPLE).copy(tmp_path / "copy")
    done = copy.write(**copy.document, sandbox="bwrap").run("-j", "2", CI="true")

    assert done.code == 0, (done.out, done.err)
    manifest = json.loads((done.run / "manifest.json").read_text())
    assert (manifest["sandbox"]["kind"], manifest["sandbox"]["network"]) == ("bwrap", False)
    assert [case["leaky"] for case in done.summary["cases"]] == [False] * 3


@pytest.mark.parametrize("id", ["mend", "rate-limited", "readme"])
def test_a_cassette_of_the_example_is_fit_for_others(id: str) -> None:
    """It is small, and names no key, no host but the agent's own, no path of a machine."""
    text = Gate(EXAMPLE).cassettes()[id]
    assert len(text.encode()) < MOST_BYTES
    assert set(_HOST.findall(text)) <= HOSTS
    assert _PATH.findall(text) == []
    assert not re.search(r"sk-ant-|x-api-key|bearer", text, re.IGNORECASE)
