"""Agents of every other kind, for faults that an agent of any kind may have.

Each kind is the source that comes as far as a question, `asked`, and that answers it well; between
the two stands the fault. All of them tell the planted secret first.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from acp_kit import PEERS
from kit import entry
from scene import ENOUGH_MS, PLANTED, Scene

ADAPTER = {
    "schema_version": 1,
    "name": "lines",
    "prompt": {"via": "stdin"},
    "events": [
        {"when": {"type": "say"}, "step": "message", "fields": {"text": "text"}},
        {"when": {"type": "call"}, "step": "tool_call", "fields": {"id": "id", "name": "name"}},
    ],
    "result": {"text": {"when": {"type": "end"}, "path": "text"}},
}

SECRET = f'secret = os.environ["{PLANTED}"]\nprint("stderr has", secret, file=sys.stderr, flush=1)'


@dataclass(frozen=True, slots=True)
class Kind:
    """How agents of a kind hear what is asked, call a tool of their own, and answer."""

    name: str
    opening: str
    calling: str
    well: str
    keys: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    within: str = ""  # the head of the function that all of it stands in

    def play(self, scene: Scene, fault: str, limit_ms: int = ENOUGH_MS) -> Scene:
        """Write a suite with an agent of this kind; `WELL` and `CALL` in a fault are its words."""
        words = textwrap.dedent(fault).replace("WELL", self.well).replace("CALL", self.calling)
        parts = [SECRET, self.opening, 'if asked == "a":', textwrap.indent(words, "    ")]
        parts += ["else:", textwrap.indent(self.well, "    ")]
        source = "\n".join(parts)
        if self.within:
            source = f"{self.within}\n{textwrap.indent(source, '    ')}"
        scene.program(source, limit_ms=limit_ms, **self.keys)
        for name, content in self.files.items():
            (scene.suite.path / name).write_text(content)
        calls = "CALL" in fault and bool(self.keys["tool_registry"])
        recorded = [entry("search")] * calls
        scene.case("a", recorded, input=self._asked("a"), budgets={"max_wall_ms": limit_ms})
        return scene.case("b", input=self._asked("b"))

    def _asked(self, id: str) -> Any:
        return {"q": id} if self.within else id


ACP = Kind(
    "acp",
    'from raw import *\nasked = (prompt := prompted())["params"]["prompt"][0]["text"]',
    'call("c1", rawInput={"token": secret})',
    'say("fine, " + secret)\nend(prompt)',
    {
        "agent_protocol": "acp",
        "tool_registry": [],
        "mode": "live",
        "set": {"PYTHONPATH": str(PEERS)},
    },
)

LINES = Kind(
    "headless",
    "def say(**fields): print(json.dumps(fields), flush=True)\nasked = sys.stdin.read().strip()",
    'say(type="call", id="c1", name=secret)',
    'say(type="end", text="fine, " + secret)',
    {
        "agent_protocol": "headless",
        "adapter": "lines.json",
        "tool_registry": [],
        "mode": "live",
    },
    {"lines.json": json.dumps(ADAPTER)},
)

TEXT = Kind(
    "text",
    "asked = sys.stdin.read().strip()",
    'print("calling ...", flush=True)',
    'print("fine, " + secret, flush=True)',
    {"agent_protocol": "headless", "adapter": "text", "tool_registry": [], "mode": "live"},
)

PYTHON = Kind(
    "python",
    'asked = input["q"]',
    'threading.Thread(target=tools, args=("search",)).start()',
    'return {"answer": secret}',
    {"agent_protocol": "python", "agent_command": ["agent:answer"], "tool_registry": ["search"]},
    within="import threading\ndef answer(input, tools):",
)

ALL = (ACP, LINES, TEXT, PYTHON)
