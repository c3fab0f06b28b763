"""How sessions with MCP servers end, and that nothing is left of them."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proxies.mcp_kit import ECHO, Kept, RawAgent, Stall, open_stall
from runledger.errors import OutsideError, TrialFault
from runledger.ledger.proxy import McpProxy
from runledger.process import linux
from runledger.process.deadline import Deadline
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.store.cassette.entry import McpEntry

HANGING = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
greet()
reply(read(), [os.getpid(), child.pid])
while True:
    signal.pause()
"""

DYING = """
greet()
read()
sys.stderr.write('out of luck')
sys.exit(4)
"""


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    """Give a stall of which nothing may survive the test."""
    with open_stall(tmp_path) as stall:
        yield stall


def started(agent: RawAgent) -> list[int]:
    """Begin a session with a server that then hangs, and give its process ids."""
    agent.begin()
    pids: list[int] = agent.ask(1, "tools/call")["result"]
    return pids


def test_closing_the_desk_ends_servers_relays_and_open_calls(stall: Stall) -> None:
    """The agent sees the end of its connection, and of the server's own children none is left."""
    desk = stall.record(stall.raw(HANGING))
    agents = [stall.agent(desk) for _ in range(2)]
    pids = [pid for agent in agents for pid in started(agent)]
    for agent in agents:
        agent.send(id=2, method="tools/call")

    desk.close()

    assert [agent.read() for agent in agents] == [None, None]
    assert [agent.process.wait() for agent in agents] == [0, 0]
    assert all(linux.is_dead(pid) for pid in pids)
    assert not stall.survivors()


def test_a_desk_may_be_closed_twice_and_leaves_no_file(stall: Stall) -> None:
    """Only its owner could enter the directory of its socket."""
    desk = stall.replay([])
    directory = Path(desk.server.args[-1]).parent
    mode = stat.S_IMODE(directory.stat().st_mode)

    desk.close()
    desk.close()

    assert mode == 0o700
    assert not directory.exists()


def test_a_relay_that_is_killed_takes_its_server_along(stall: Stall) -> None:
    """The desk stays open for the next one."""
    desk = stall.record(stall.raw(HANGING))
    agent = stall.agent(desk)
    pids = started(agent)
    agent.send(id=2, method="tools/call")

    agent.process.send_signal(signal.SIGKILL)
    agent.process.wait()
    for pid in pids:
        await_end(pid)

    assert started(stall.agent(desk)) != pids


def await_end(pid: int) -> None:
    """Wait until a process that may not be our child has ended."""
    deadline = Deadline.after(60)
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    assert poll.poll(deadline.left_ms())
    os.close(watched)


def test_the_relay_does_not_wait_for_a_server_that_will_not_go(stall: Stall) -> None:
    """An agent that closes its end is free at once, though the server must be killed."""
    desk = stall.live(stall.raw(HANGING))
    agent = stall.agent(desk)
    started(agent)

    assert agent.finish() == []


def test_an_open_call_is_answered_after_the_agent_has_said_all(stall: Stall) -> None:
    """The server sees the end of its input, and may still reply."""
    desk = stall.record(
        stall.raw(
            """
            greet()
            call = read()
            rest = sys.stdin.read()
            reply(call, [rest])
            """
        )
    )
    agent = stall.agent(desk)
    agent.begin()
    agent.send(id=1, method="tools/call")

    lines = agent.finish()
    desk.close()

    assert lines == [b'{"jsonrpc": "2.0", "id": 1, "result": [""]}\n']
    assert stall.kept.of("tools/call").reply == {"result": [""]}


def test_a_large_reply_is_not_torn_by_an_agent_that_has_said_all(stall: Stall) -> None:
    """It is still taken when the session has nothing more to wait for."""
    agent = stall.agent(stall.live(stall.raw("greet()\nreply(read(), 'x' * 5_000_000)\nread()")))
    agent.begin()
    agent.send(id=1, method="tools/call")

    (line,) = agent.finish()

    assert len(line) > 5_000_000


def test_a_server_that_dies_answers_what_is_open_with_its_last_words(stall: Stall) -> None:
    """The case goes on: agents must bear this."""
    desk = stall.record(stall.raw(DYING))
    agent = stall.agent(desk)
    agent.begin()

    error = agent.ask(1, "tools/call")["error"]
    desk.close()

    told = (
        "MCP server srv: its process exited with status 4\n"
        "its standard error ends with:\nout of luck"
    )
    assert error == {"code": -32603, "message": told}
    assert stall.fault.empty()
    assert [log.message for log in stall.logs()] == [told]
    assert stall.kept.of("tools/call").reply == {"error": error}


def test_what_is_asked_of_a_dead_server_is_answered_alike_in_replay(stall: Stall) -> None:
    """A recording that passed would else miss what was asked after the end."""

    def session(agent: RawAgent) -> list[Any]:
        agent.begin()
        heard = [agent.ask(id, "tools/call", name="t") for id in (1, 2, 3)]
        return [*heard, agent.ask(4, "resources/list"), agent.finish()]

    desk = stall.record(stall.raw(DYING))
    recorded = session(stall.agent(desk))
    desk.close()
    replayed = session(stall.agent(stall.replay()))

    assert ["out of luck" in one["error"]["message"] for one in recorded[:4]] == [True] * 4
    assert replayed == recorded
    assert stall.fault.empty()
    assert len(stall.logs()) == 1


def test_a_new_session_after_a_death_starts_a_new_server(stall: Stall) -> None:
    """An agent that helps itself is not held back by the session that died."""
    desk = stall.record(stall.raw(DYING))
    first = stall.agent(desk)
    first.begin()
    first.ask(1, "tools/call")

    assert "result" in stall.agent(desk).begin()


def test_a_server_that_never_answers_at_all_ends_the_trial(stall: Stall) -> None:
    """Most often a package is missing, and every case would fail of it."""
    agent = stall.agent(stall.record(stall.raw("import no_such_package")))

    error = agent.begin()["error"]

    fault = stall.fault.get_nowait()  # before the agent, who may end at once
    assert fault.kind == "spawn_failed"
    assert "exited with status 1" in str(fault)
    assert "no_such_package" in str(fault)
    assert error["message"] == str(fault)


def test_a_server_that_cannot_be_started_ends_the_trial(stall: Stall) -> None:
    """Whoever asks it is told why."""
    agent = stall.agent(stall.live(McpProxy("srv", ("no-such-server",))))

    error = agent.begin()["error"]

    fault = stall.fault.get()
    assert fault.kind == "spawn_failed"
    assert str(fault).startswith("MCP server srv: could not start 'no-such-server' in ")
    assert error == {"code": -32603, "message": str(fault)}


def test_a_message_over_the_cap_ends_the_trial(stall: Stall) -> None:
    """From the server or from the agent."""
    desk = stall.record(stall.raw("greet()\nreply(read(), 'x' * 9_000_000)\nread()"))
    heard, said = stall.agent(desk), stall.agent(desk)
    heard.begin()
    heard.send(id=1, method="tools/call")
    first = stall.fault.get()
    said.begin()
    with contextlib.suppress(BrokenPipeError):  # it may be cut off before it has said all
        said.write(b"x" * 9_000_000)
    second = stall.fault.get()

    assert [str(one) for one in (first, second)] == [
        "MCP server srv: one message is over 8 MiB"
    ] * 2
    assert first.kind == "message_too_large"


def test_the_trial_hears_of_a_fault_before_the_agent_sees_the_end(stall: Stall) -> None:
    """The agent may go on without its server, and be done before the server is."""
    source = "greet()\nreply(read(), 'x' * 9_000_000)\nimport time\ntime.sleep(1000)"
    agent = stall.agent(stall.record(stall.raw(source)))
    agent.begin()

    assert agent.ask(1, "tools/call") is None
    assert stall.fault.get_nowait().kind == "message_too_large"


def test_a_server_that_reads_nothing_ends_the_trial(stall: Stall) -> None:
    """What waits for it does not fill the memory."""
    agent = stall.agent(stall.live(stall.server("import time\ntime.sleep(1000)")))
    with contextlib.suppress(BrokenPipeError):  # it is cut off before it has said all
        for _ in range(12):
            agent.send(method="notifications/x", params={"data": "x" * 7_000_000})

    fault = stall.fault.get()
    assert fault.kind == "message_too_large"
    assert str(fault) == "MCP server srv: it leaves over 32 MiB of the agent's words unread"


def test_what_cannot_be_kept_is_told(stall: Stall) -> None:
    """It is found out when all sessions have ended, and the desk is closed all the same."""

    class Full(Kept):
        def keep_mcp(self, entry: McpEntry, turn: int) -> None:
            raise TrialFault("message_too_large", "no more room")

    station = Station(stall.told.append, stall.fault.put, Faults(), recorder=Full())  # type: ignore[arg-type]
    desk = stall.open(stall.raw(ECHO), station)
    stall.agent(desk).begin()

    desk.close()

    assert str(stall.fault.get_nowait()) == "no more room"
    assert not Path(desk.server.args[-1]).parent.exists()


def test_an_interrupt_ends_sessions(stall: Stall) -> None:
    """Whoever stops the run need not wait for the agent."""
    agent = stall.agent(stall.record(stall.raw(HANGING)))
    started(agent)

    stall.supervisor.stop.request(signal.SIGINT)

    assert agent.read() is None


def test_more_sessions_than_anybody_needs_are_turned_away(stall: Stall) -> None:
    """An agent that starts servers in a loop does not fill the machine."""
    desk = stall.replay([])
    address = desk.server.args[-1]
    lines = [socket.socket(socket.AF_UNIX) for _ in range(65)]
    for line in lines:
        line.connect(address)

    assert lines[-1].recv(1) == b""
    for line in lines:
        line.close()


def test_a_relay_after_the_run_says_that_it_is_over(stall: Stall) -> None:
    """It is not left waiting for ever."""
    desk = stall.replay([])
    desk.close()

    late = subprocess.run([desk.server.command, *desk.server.args], capture_output=True, text=True)

    assert late.returncode == 1
    assert late.stderr.startswith("runledger: the run that this MCP server belongs to is over")


RUNNER = """
import json
import sys
from runledger.ledger.proxy import McpProxy
from runledger.process.supervisor import Supervisor
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.proxies.mcp import Backroom, open_mcp

with Supervisor() as supervisor:
    station = Station(lambda what: None, lambda fault: None, Faults())
    server = McpProxy("srv", (sys.executable, sys.argv[1]))
    desk = open_mcp(server, station, Backroom(supervisor, ".", {}))
    print(json.dumps(desk.server.args), flush=True)
    sys.stdin.read()
"""


def test_a_relay_does_not_outlive_the_runner(stall: Stall) -> None:
    """Not even one that is killed without warning."""
    stall.raw(ECHO)
    command = [sys.executable, "-c", RUNNER, str(stall.path / "server.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as runner:
        assert runner.stdout
        args = json.loads(runner.stdout.readline())
        agent = stall.agent_of(sys.executable, args)
        agent.begin()

        runner.kill()

        assert agent.read() is None
        assert agent.process.wait() == 0
    Path(args[-1]).unlink()
    Path(args[-1]).parent.rmdir()


OUT_OF_DESCRIPTORS = """
import os, queue, resource, socket, sys, tempfile
from runledger.errors import OutsideError
from runledger.ledger.proxy import McpProxy
from runledger.process.supervisor import Supervisor
from runledger.proxies import Station
from runledger.proxies.faults import Faults
from runledger.proxies.mcp import Backroom, open_mcp

def use_up():
    try:
        while True:
            os.dup(0)
    except OSError:
        pass

def desks_in(directory):
    return os.stat(directory).st_nlink - 2  # to list them takes a descriptor

tempfile.tempdir = sys.argv[1]
faults = queue.Queue()
with Supervisor() as supervisor:
    station = Station(print, faults.put, Faults())
    opened = station, Backroom(supervisor, ".", {})
    desk = open_mcp(McpProxy("srv", ("no-such-server",)), *opened)
    agent = socket.socket(socket.AF_UNIX)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    use_up()
    try:
        open_mcp(McpProxy("other", ("no-such-server",)), *opened)
    except OutsideError as error:
        print(error, desks_in(sys.argv[1]))
    agent.connect(desk.server.args[-1])
    print(faults.get())
    desk.close()
    print(faults.qsize(), desks_in(sys.argv[1]))
"""


def test_a_lack_of_descriptors_is_told_once_and_leaves_nothing() -> None:
    """Neither a desk that cannot be opened nor one that can take nobody in fails silently."""
    with tempfile.TemporaryDirectory(prefix="rl-") as short:
        done = subprocess.run(
            [sys.executable, "-c", OUT_OF_DESCRIPTORS, short],
            capture_output=True,
            text=True,
            timeout=60,
        )

    assert done.stdout.splitlines() == [
        "no socket for MCP server other: Too many open files 1",
        "MCP server srv: OSError: [Errno 24] Too many open files",
        "0 0",
    ], done.stderr


def test_no_place_for_temporary_files_is_said_as_such(
    stall: Stall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the world's fault, not ours."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))

    with pytest.raises(OutsideError, match=r"could not make a directory in .*: No such file"):
        stall.replay([])


def test_a_long_path_for_temporary_files_is_gone_around(
    stall: Stall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sockets have short names only."""
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))

    agent = stall.agent(stall.replay([]))

    assert agent.ask(1, "ping")["result"] == {}
    assert not list(long.iterdir())
