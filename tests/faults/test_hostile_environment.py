"""F49: agents that look around in their environment find nothing that is not theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hostile import SECRET_NAMES
from hostile import environment as secrets
from scene import PLANTED, Scene, holds

PEERS = Path(__file__).parents[1] / "agents" / "acp_peers"
ALLOWED = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR"}
OURS = {"RL_TEST_MARK", PLANTED, "PWD", "SHLVL", "_", "OLDPWD", "PYTHONPATH"}  # or a shell's
TOLD = """
import json, os, subprocess
mine = sorted(os.environ)
child = subprocess.run(["env"], capture_output=True, text=True).stdout
told = json.dumps({"names": mine, "child": child, "values": sorted(os.environ.values())})
"""
HEADLESS = f"{TOLD}\nprint(told)"
PYTHON = (
    f"def answer(input, tools):{TOLD.replace(chr(10), chr(10) + '    ')}\n    return {{'t': told}}"
)
ACP = f"""
import sys
sys.path.insert(0, {str(PEERS)!r})
from raw import *
{TOLD}
prompt = prompted()
say(told)
end(prompt)
"""

DRIVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "stdio": ("", {}),
    "python": (PYTHON, {"agent_command": ["agent:answer"], "mode": "replay"}),
    "headless": (HEADLESS, {"adapter": "text"}),
    "acp": (ACP, {}),
}


def heard(output: Any) -> dict[str, Any]:
    """Find what an agent told, in whichever way its protocol has."""
    text = output["t"] if isinstance(output, dict) else output
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.parametrize("protocol", DRIVERS)
def test_f49_an_agent_has_only_what_it_was_given(scene: Scene, protocol: str) -> None:
    """Of all that is in the caller's environment it sees names on a short list, and no value."""
    source, keys = DRIVERS[protocol]
    scene.around = secrets()
    if protocol == "stdio":
        scene.agent(f'{TOLD}\nsend("final_output", output={{"t": told}})')
    else:
        scene.program("", **{"agent_protocol": protocol, "mode": "live", **keys})
        (scene.suite.path / "agent.py").write_text(source)
        for id in ("a", "b"):
            text = "hello" if protocol in ("headless", "acp") else {}
            scene.case(id, input=text)

    after = scene.run("--case", "a")

    holds(after, code=0, a="passed")
    told = heard(next(event for event in after.events if event["type"] == "final_output")["output"])
    unknown = {name for name in told["names"] if not name.startswith(("LC_", "RUNLEDGER_"))}
    assert unknown <= ALLOWED | OURS, unknown
    assert not [name for name in SECRET_NAMES if name in told["names"] or name in told["child"]]
    for file in after.run.iterdir():
        text = file.read_text()
        assert not [value for value in scene.around.values() if value in text], file


RELAYED = """
import json, os, sys
offered = open(sys.argv[1]).read()
server = json.loads(offered)["mcpServers"]["spy"]
given = sorted({**os.environ, **server.get("env", {})})  # what it would have, started from here
print(json.dumps({"names": given, "child": offered, "values": []}))
"""


def test_f49_a_server_that_an_agent_starts_has_only_what_the_agent_has(scene: Scene) -> None:
    """The configuration that it is offered carries nothing of the caller's."""
    scene.around = secrets()
    scene.program(
        "",
        agent_protocol="headless",
        adapter="text",
        mode="live",
        agent_command=["{python}", "agent.py", "{mcp_config}"],
        proxies={"mcp": {"spy": {"command": ["cat"], "env": {"OF_THE_SERVER": "its-own-value"}}}},
    )
    (scene.suite.path / "agent.py").write_text(RELAYED)
    scene.case("a", input="hello").case("b", input="hello")

    after = scene.run("--case", "a")

    holds(after, code=0, a="passed")
    told = heard(next(event for event in after.events if event["type"] == "final_output")["output"])
    assert not [name for name in SECRET_NAMES if name in told["names"] or name in told["child"]]
    assert "OF_THE_SERVER" not in told["child"]  # the runner starts the server, not the agent
    assert not [value for value in scene.around.values() if value in told["child"]]
