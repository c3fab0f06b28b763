"""An agent that speaks of the address it was given: it is another one each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kit import Done, runledger, survivors
from proxies.model_kit import NOWHERE, Reply, Upstream, document

AGENT = """
import json, os, sys, urllib.request

def say(variable, text):
    body = json.dumps({"messages": [text]}).encode()
    with urllib.request.urlopen(os.environ[variable] + "/v1/messages", body) as answer:
        return json.load(answer)["text"]

sys.stdin.read()
known = [os.environ[name] for name in sys.argv[1:]]
for name in sys.argv[1:]:
    heard = say(name, "I am at " + " and ".join(known))
    print(say(name, "so I am told: " + heard) == "so I am told: " + heard)
"""


class Echo(Upstream):
    """A model that says what it was told, addresses and all."""

    def __init__(self) -> None:
        super().__init__(self._answers())

    def _answers(self) -> Iterator[Reply]:
        while True:
            yield document({"text": json.loads(self.requests[-1].body)["messages"][0]})


class Talker:
    """A suite whose agent tells its models where it finds them."""

    def __init__(self, path: Path, *variables: str) -> None:
        self.path = path
        self._variables = variables
        self._mark = f"mark-{path}"
        (path / "agent.py").write_text(AGENT)
        case = {"id": "a", "input": "x", "cassette": "a.jsonl"}
        (path / "cases.jsonl").write_text(json.dumps(case) + "\n")

    def run(self, upstream: str, mode: str) -> Done:
        """Run it once; no process is left."""
        models = [{"env": name, "upstream": upstream} for name in self._variables]
        suite = {
            "suite_name": "talker",
            "agent_command": ["{python}", "agent.py", *self._variables],
            "agent_protocol": "headless",
            "adapter": "text",
            "cases_path": "cases.jsonl",
            "proxies": {"model": models},
            "env": {"set": {"RL_TEST_MARK": self._mark}},
        }
        (self.path / "suite.yaml").write_text(yaml.safe_dump(suite))
        place = self.path / mode
        place.mkdir()
        done = runledger("run", self.path, "--mode", mode, cwd=place)
        assert not list(survivors(self._mark))
        return done

    @property
    def header(self) -> dict[str, Any]:
        """Read the first line of what was recorded."""
        lines = (self.path / "a.jsonl").read_text().splitlines()
        found: dict[str, Any] = json.loads(lines[0])
        return found


@pytest.mark.parametrize("variables", [("A_URL",), ("A_URL", "B_URL")])
@pytest.mark.parametrize("base", ["", "/v1"])
def test_an_agent_that_speaks_of_its_address_replays(
    tmp_path: Path, variables: tuple[str, ...], base: str
) -> None:
    """Requests match as if it were the same, and answers name the one of now."""
    suite = Talker(tmp_path, *variables)
    with Echo() as upstream:
        recorded = suite.run(upstream.url + base, "record")
    replayed = suite.run(NOWHERE + base, "replay")

    assert (recorded.code, replayed.code) == (0, 0), recorded.out + replayed.out
    for done in (recorded, replayed):
        (said,) = [event for event in done.events if event["type"] == "final_output"]
        assert said["output"].split() == ["True"] * len(variables), said
    assert set(suite.header["places"]) == {f"${name}" for name in variables}
