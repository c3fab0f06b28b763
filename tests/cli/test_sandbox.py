"""`sandbox: bwrap` in a suite: what its agent needs is there, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from clock_kit import MCP_AGENT, MCP_SERVER
from kit import (
    ECHO,
    Done,
    SuiteOnDisk,
    clean_environment,
    command,
    entry,
    runledger,
    survivors,
    write_suite,
)

pytestmark = pytest.mark.bwrap

EXAMPLES = Path(__file__).parents[2] / "examples"

PROBE = """
def attempt(work):
    try:
        return work() or "done"
    except OSError as error:
        return type(error).__name__

import socket
from pathlib import Path
task = read()
asked = task["input"]
suite = Path(asked["suite"])
runner = asked["runner"]
port = asked["port"]
answer = call("search", q="x")
send("final_output", output={
    "tool": answer["result"],
    "template": attempt(lambda: Path("a.txt").read_text()),
    "workspace": attempt(lambda: Path("new.txt").write_text("x") and None),
    "home": attempt(lambda: (Path.home() / "new.txt").write_text("x") and None),
    "key": attempt(lambda: (Path(asked["home"]) / ".ssh" / "id").read_text()),
    "suite": attempt(lambda: (suite / "suite.yaml").read_text()),
    "case": attempt(lambda: (suite / "cases" / "a.yaml").read_text()),
    "cassette": attempt(lambda: (suite / "cassettes" / "a.jsonl").read_text()),
    "runs": attempt(lambda: str(os.listdir(suite.parent / ".agentci"))),
    "beside": attempt(lambda: (suite.parent / "beside.txt").write_text("x") and None),
    "itself": attempt(lambda: (suite / "agent.py").write_text("x") and None),
    "runner": attempt(lambda: Path(f"/proc/{runner}/environ").read_text()),
    "kill": attempt(lambda: os.kill(runner, 0)),
    "network": attempt(lambda: socket.create_connection(("127.0.0.1", port)).close()),
})
"""

FREE = {"tool": "found", "template": "hello", "workspace": "done", "home": "done"}
HIDDEN = ("key", "suite", "case", "cassette", "runs", "runner")


class Probed:
    """A suite whose agent tries everything, beside a home with a key and an open port."""

    def __init__(self, path: Path, **keys: Any) -> None:
        self.path = path
        self.home = path / "home"
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh" / "id").write_text("key")
        document = {"sandbox": "bwrap", "workspace": {"from": "repo"}, **keys}
        document.setdefault("suite_name", f"probe-{path.name}")
        if document["workspace"] is not None:
            document["agent_command"] = ["{python}", "{suite}/agent.py"]
        self.suite = write_suite(path / "suite", PROBE, **document)
        (self.suite.path / "repo").mkdir()
        (self.suite.path / "repo" / "a.txt").write_text("hello")

    def run(self, *flags: str) -> dict[str, str]:
        """Run it, and give what the agent found."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            told = {
                "suite": str(self.suite.path),
                "home": str(self.home),
                "runner": os.getppid(),
                "port": server.getsockname()[1],
            }
            self.suite.case("a", [entry("search", "found", q="x")], input=told)
            env = {"HOME": str(self.home)}
            self.done = runledger("run", "suite", *flags, cwd=self.path, env=env)
        assert self.done.code == 0, (self.done.out, self.done.err)
        assert not list(survivors(self.suite.mark))
        return output_of(self.done)


def output_of(done: Done) -> dict[str, str]:
    """Read the output of the only case."""
    found: dict[str, str] = json.loads((done.run / "results.jsonl").read_text())["output"]
    return found


def sandbox_of(done: Done) -> dict[str, Any]:
    """Read what the manifest says of the sandbox."""
    found: dict[str, Any] = json.loads((done.run / "manifest.json").read_text())["sandbox"]
    return found


def test_an_agent_in_a_workspace_finds_that_and_nothing_else(tmp_path: Path) -> None:
    """Tools answer it and its files are its own; there are no keys, no answers and no network."""
    probed = Probed(tmp_path)
    found = probed.run()

    assert {name: found[name] for name in FREE} == FREE
    assert {found[name] for name in HIDDEN} == {"FileNotFoundError"}
    assert found["kill"] == "ProcessLookupError"
    assert found["network"] == "ConnectionRefusedError"
    assert found["beside"] != "done" or not (tmp_path / "beside.txt").exists()
    assert found["itself"] == "OSError"  # a read-only file system
    told = sandbox_of(probed.done)
    assert (told["kind"], told["network"]) == ("bwrap", False)
    assert told["version"]


def test_without_a_workspace_an_agent_may_read_its_suite_and_change_nothing(tmp_path: Path) -> None:
    """Its home is empty, and its own."""
    found = Probed(tmp_path, workspace=None).run()

    assert (found["tool"], found["home"], found["case"][:1]) == ("found", "done", "{")
    assert (found["workspace"], found["itself"]) == ("OSError", "OSError")
    assert (found["key"], found["runner"]) == ("FileNotFoundError", "FileNotFoundError")
    assert list((tmp_path / "home").iterdir()) == [tmp_path / "home" / ".ssh"]


def test_without_a_sandbox_all_that_is_there(tmp_path: Path) -> None:
    """So the test above can fail; and the manifest says so."""
    probed = Probed(tmp_path, sandbox="none")
    found = probed.run()

    assert (found["key"], found["network"], found["case"][:1]) == ("key", "done", "{")
    assert sandbox_of(probed.done) == {"kind": "none"}


def test_outside_replay_an_agent_keeps_the_network(tmp_path: Path) -> None:
    """It needs it to reach its model; the walls around its files stay."""
    probed = Probed(tmp_path, tool_module="tools.py")
    (probed.suite.path / "tools.py").write_text("TOOLS = {'search': lambda args: 'found'}")
    found = probed.run("--mode", "live")

    assert {name: found[name] for name in FREE} == FREE
    assert {found[name] for name in HIDDEN} == {"FileNotFoundError"}
    assert found["network"] == "done"
    assert sandbox_of(probed.done)["network"] is True


def test_a_recorded_model_answers_across_the_wall(tmp_path: Path) -> None:
    """The agent's requests reach our server, though it has no network."""
    suite = tmp_path / "plain"
    shutil.copytree(EXAMPLES / "unmodified" / "plain", suite)
    document = yaml.safe_load((suite / "suite.yaml").read_text())
    document |= {"sandbox": "bwrap", "suite_name": f"plain-{tmp_path.name}"}
    (suite / "suite.yaml").write_text(yaml.safe_dump(document))
    done = runledger("run", "plain", cwd=tmp_path)

    assert done.code == 0, (done.out, done.err)
    (case,) = done.summary["cases"]
    assert (case["cassette"]["unused"], case["leaky"]) == (0, False)


def test_an_mcp_server_is_recorded_and_replayed_across_the_wall(tmp_path: Path) -> None:
    """The relay runs inside; the server is trusted, and outside."""
    suite = tmp_path / "suite"
    (suite / "repo").mkdir(parents=True)
    (suite / "cases").mkdir()
    (suite / "agent.py").write_text(MCP_AGENT)
    (suite / "server.py").write_text(MCP_SERVER)
    server = ["{python}", "{suite}/server.py", str(tmp_path)]
    document = {
        "suite_name": f"mcp-{tmp_path.name}",
        "agent_command": ["{python}", "{suite}/agent.py", "{mcp_config}"],
        "agent_protocol": "headless",
        "adapter": "text",
        "cases_path": "cases",
        "proxies": {"mcp": {"clock": {"command": server}}},
        "workspace": {"from": "repo"},
        "assertions": [{"type": "contains", "text": "noon in UTC"}],
        "sandbox": "bwrap",
    }
    case = {"id": "a", "input": "UTC", "cassette": "cassettes/a.jsonl"}
    (suite / "suite.yaml").write_text(yaml.safe_dump(document))
    (suite / "cases" / "a.yaml").write_text(yaml.safe_dump(case))

    for mode in ("record", "replay"):
        done = runledger("run", "suite", "--mode", mode, cwd=tmp_path)
        assert done.code == 0, (mode, done.out, done.err)
        shutil.rmtree(tmp_path / ".agentci")
        assert (tmp_path / "started").exists() == (mode == "record")
        (tmp_path / "started").unlink(missing_ok=True)


@pytest.mark.parametrize("workspace", [None, {"from": "repo"}])
def test_a_python_function_is_found_with_what_is_beside_it(
    tmp_path: Path, workspace: dict[str, str] | None
) -> None:
    """Its module is in the suite, which is therefore shown."""
    keys = {"agent_protocol": "python", "agent_command": ["my_agent:answer"], "sandbox": "bwrap"}
    name = f"function-{tmp_path.name}"
    suite = write_suite(tmp_path / "suite", "", workspace=workspace, suite_name=name, **keys)
    (suite.path / "repo").mkdir()
    (suite.path / "words.py").write_text("FOUND = 'search'")
    (suite.path / "my_agent.py").write_text(
        "from words import FOUND\ndef answer(input, tools): return {'a': tools(FOUND, {})}"
    )
    suite.case(
        "a",
        [entry("search", "found")],
        assertions=[{"type": "equals", "path": "a", "value": "found"}],
    )
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 0, (done.out, done.err)


ACP_AGENT = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    met = {"protocolVersion": 1, "sessionId": "s", "stopReason": "end_turn"}
    if asked["method"] == "session/prompt":
        said = {"type": "text", "text": " ".join(os.listdir("."))}
        update = {"sessionUpdate": "agent_message_chunk", "content": said}
        told = {"method": "session/update", "params": {"sessionId": "s", "update": update}}
        print(json.dumps({"jsonrpc": "2.0", **told}), flush=True)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": met}), flush=True)
"""


def test_an_acp_agent_works_inside(tmp_path: Path) -> None:
    """However it is spoken to, it is started the same way."""
    suite = write_suite(
        tmp_path / "suite",
        "",
        suite_name=f"acp-{tmp_path.name}",
        agent_protocol="acp",
        agent_command=["{python}", "{suite}/acp.py"],
        tool_registry=None,
        mode="live",
        workspace={"from": "repo"},
        sandbox="bwrap",
        assertions=[{"type": "contains", "text": "a.txt"}],
    ).case("a", input="What is there?")
    (suite.path / "acp.py").write_text(ACP_AGENT)
    (suite.path / "repo").mkdir()
    (suite.path / "repo" / "a.txt").touch()
    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 0, (done.out, done.err)


def test_one_process_serves_many_cases_inside(tmp_path: Path) -> None:
    """A sandbox lasts as long as its agent."""
    looping = "while task := read(): send('final_output', output={'pid': os.getpid()})"
    suite = write_suite(tmp_path / "suite", looping, agent_reuse=True, sandbox="bwrap")
    for id in ("a", "b", "c"):
        suite.case(id)
    done = runledger("run", "suite", "-j", "1", cwd=tmp_path)

    assert done.code == 0, (done.out, done.err)
    assert not list(survivors(suite.mark))


MISHAPS = """
kind = read()["input"]["q"]
if kind == "segv":
    os.kill(os.getpid(), signal.SIGSEGV)
if kind == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pause()
if kind == "daemon":
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
if kind == "early":
    sys.exit("no more")
send("final_output", output={})
"""


def test_mishaps_inside_are_told_as_outside(tmp_path: Path) -> None:
    """Each ends its own case with the same words, and nothing is left of any."""
    suite = write_suite(tmp_path / "suite", MISHAPS, sandbox="bwrap", grace_ms=100)
    for id in ("segv", "daemon", "early", "fine"):
        suite.case(id)
    suite.case("deaf", budgets={"max_wall_ms": 1500})
    done = runledger("run", "suite", "-j", "2", cwd=tmp_path)

    assert done.code == 1
    assert "SIGSEGV" in done.message("segv")
    assert "timeout" in done.failure_types("deaf")
    assert "status 1" in done.message("early")
    assert "no more" in json.dumps(done.case("early"))
    assert {id: done.case(id)["leaky"] for id in ("daemon", "fine")} == {
        "daemon": True,
        "fine": False,
    }
    assert not list(survivors(suite.mark))


def test_a_program_that_is_not_there_makes_the_run_invalid(tmp_path: Path) -> None:
    """It is not the agent's failure, in a sandbox or not."""
    suite = write_suite(
        tmp_path / "suite", "", agent_command=["no-such-agent"], sandbox="bwrap"
    ).case("a")
    done = runledger("run", "suite", cwd=tmp_path)

    assert (done.code, done.failure_types("a")) == (3, ["spawn_failed"])
    assert "no-such-agent" in done.message("a")
    assert not list(survivors(suite.mark))


def test_agents_inside_die_with_a_runner_that_is_killed(tmp_path: Path) -> None:
    """Nobody is left to end them but the guard."""
    ready = tmp_path / "suite" / "ready"
    hang = "read(); open('ready', 'w').write('x'); signal.pause()"
    suite = write_suite(tmp_path / "suite", hang, sandbox="bwrap").case("a")
    os.mkfifo(ready)
    process = subprocess.Popen(
        command("run", "suite"),
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        ready.read_text()
        assert list(survivors(suite.mark))
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        os.kill(int(children), signal.SIGKILL)

        assert process.wait(30) == 128 + signal.SIGKILL
        assert not list(survivors(suite.mark))
    finally:
        process.kill()
        process.wait()


# --- where it cannot work ---


def echo_suite(path: Path) -> SuiteOnDisk:
    """Write a suite that passes wherever there is a sandbox."""
    suite = write_suite(path / "suite", ECHO, sandbox="bwrap")
    return suite.case("a", [entry("search", "found", q="a")])


def test_a_missing_bwrap_is_told_before_anything_runs(tmp_path: Path) -> None:
    """Never without the sandbox that was asked for; how to get it is said."""
    echo_suite(tmp_path)
    (tmp_path / "bin").mkdir()
    done = runledger("run", "suite", cwd=tmp_path, env={"PATH": str(tmp_path / "bin")})

    assert (done.code, done.runs) == (2, [])
    assert "apt-get install bubblewrap" in done.err
    assert "sandbox: none" in done.err


def fake_bwrap(path: Path, said: str) -> dict[str, str]:
    """Put a program of that name on the PATH which only ever says no."""
    fake = path / "bin" / "bwrap"
    fake.parent.mkdir()
    fake.write_text(
        "#!/bin/sh\n"
        'case "$1" in --version) echo bubblewrap 0.6.1; exit;; esac\n'
        f"echo 'bwrap: {said}' >&2; exit 1\n"
    )
    fake.chmod(0o755)
    return {"PATH": f"{fake.parent}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("No permissions to create new namespace", "systempaths=unconfined"),
        ("Unknown option --disable-userns", "root needs bubblewrap 0.8 or newer"),
    ],
)
def test_a_bwrap_that_is_refused_is_told_in_its_words(
    tmp_path: Path, said: str, remedy: str
) -> None:
    """As in most containers, or where it is old; what helps is said."""
    echo_suite(tmp_path)
    done = runledger("run", "suite", cwd=tmp_path, env=fake_bwrap(tmp_path, said))

    assert (done.code, done.runs) == (3, [])
    assert f"bwrap: {said}" in done.err
    assert remedy in done.err
    assert "sandbox: none" in done.err


def test_a_suite_with_a_sandbox_is_valid_where_there_is_none(tmp_path: Path) -> None:
    """What a suite says is not a matter of the machine that it is read on."""
    echo_suite(tmp_path)
    (tmp_path / "bin").mkdir()

    assert (
        runledger("validate", "suite", cwd=tmp_path, env={"PATH": str(tmp_path / "bin")}).code == 0
    )


def test_the_record_is_hidden_where_it_lies_in_the_suites_directory(tmp_path: Path) -> None:
    """An agent that is started beside its suite does not find what others answered."""
    look = """
    task = read()
    found = [str(path) for path in __import__("pathlib").Path(".agentci").rglob("*.jsonl")]
    send("final_output", output={"found": found})
    """
    unseen = [{"type": "equals", "path": "found", "value": []}]
    write_suite(tmp_path, look, sandbox="bwrap", assertions=unseen).case("a").case("b")
    done = runledger("run", ".", "-j", "1", cwd=tmp_path)

    assert done.code == 0, (done.out, done.err)


KEYRING = """
import ctypes, os
number = {"x86_64": 250}.get(os.uname().machine, 219)
keyring = ctypes.CDLL(None).syscall(number, 0, -3, 0)  # the id of one's own session's
"""


def test_the_callers_keys_are_out_of_reach(tmp_path: Path) -> None:
    """Who is shut in has a session keyring of its own."""
    ours: dict[str, Any] = {}
    exec(KEYRING, ours)
    look = f"{KEYRING}\nread()\nsend('final_output', output={{'keyring': keyring}})"
    write_suite(tmp_path / "suite", look, sandbox="bwrap").case("a")
    done = runledger("run", "suite", cwd=tmp_path)

    (answer,) = [event["output"] for event in done.events if event["type"] == "final_output"]
    assert answer["keyring"] != ours["keyring"]
    assert answer["keyring"] > 0
