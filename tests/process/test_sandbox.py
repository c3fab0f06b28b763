"""A program in a sandbox lives, ends and is told of as outside, and reaches nothing else."""

from __future__ import annotations

import json
import os
import re
import socket
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from kit import survivors
from runledger.errors import SpawnFailed
from runledger.process import linux
from runledger.process.child import Child, Ended
from runledger.process.deadline import Deadline
from runledger.process.sandbox import Bridge, Sandbox, Sight
from runledger.process.sandbox.enclosing import enclose
from runledger.process.sandbox.trying import open_sandbox
from runledger.process.supervisor import MARK, Launch, Supervisor

pytestmark = pytest.mark.bwrap

SOON = 30.0


class Place:
    """A directory with a workspace and other things in it, and programs shut in there."""

    def __init__(self, path: Path, supervisor: Supervisor, sandbox: Sandbox) -> None:
        self.path = path
        self.work = path / "work"
        self.home = path / "home"
        for directory in (self.work, self.home):
            directory.mkdir()
        self.mark = uuid.uuid4().hex
        self.supervisor = supervisor
        self.sandbox = sandbox
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "RL_TEST_MARK": self.mark}

    def start(
        self,
        *argv: str,
        network: bool = False,
        named: tuple[str, ...] = (),
        bridges: tuple[Bridge, ...] = (),
    ) -> Child:
        """Start a program in the workspace, which is its own."""
        sandbox = replace(self.sandbox, network=network)
        launch = Launch(argv, str(self.work), self.env)
        sight = Sight(named, (str(self.work),), (str(self.path),), bridges)
        return self.supervisor.start(enclose(launch, sandbox, sight))

    def python(self, source: str, *words: str, network: bool = False) -> Child:
        """Start a few lines of Python there."""
        return self.start(sys.executable, "-c", source, *words, network=network)


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    """Try whether there is a sandbox, once."""
    with Supervisor() as supervisor:
        return open_sandbox(supervisor, network=False)


@pytest.fixture
def place(tmp_path: Path, sandbox: Sandbox) -> Iterator[Place]:
    """Give a place for sandboxes, of which nothing is left afterwards."""
    with Supervisor() as supervisor:
        place = Place(tmp_path, supervisor, sandbox)
        yield place
    assert not list(survivors(place.mark))


def said_by(child: Child) -> str:
    """Hear a program out."""
    said = child.read_all(Deadline.after(SOON)).decode()
    assert child.wait_exit(Deadline.after(SOON))
    assert child.stderr == "", child.stderr
    return said.strip()


def first_line(child: Child) -> bytes | None:
    """Wait for a program's first line."""
    return child.read_line(Deadline.after(SOON))


# --- how it ends ---


@pytest.mark.parametrize("code", [0, 3, 127, 200, 255])
def test_an_exit_code_is_told(place: Place, code: int) -> None:
    """Whoever stands before a program passes its code on."""
    child = place.python(f"raise SystemExit({code})")
    child.wait_exit(Deadline.after(SOON))

    assert child.peek_exit() == (code, None)
    assert child.end(1) == Ended(code, None, leaky=False)


@pytest.mark.parametrize("name", ["SIGSEGV", "SIGKILL", "SIGABRT"])
def test_a_signal_is_told_by_its_name(place: Place, name: str) -> None:
    """Though bwrap tells it as a code."""
    child = place.python(f"import os, signal; os.kill(os.getpid(), signal.{name})")
    child.wait_exit(Deadline.after(SOON))

    assert child.end(1) == Ended(None, name, leaky=False)


def test_who_is_asked_to_end_may_say_goodbye(place: Place) -> None:
    """The request reaches the program, and not those who stand before it."""
    child = place.python(
        "import signal, sys\n"
        "def leave(*_): sys.exit(7)\n"
        "signal.signal(signal.SIGTERM, leave); print('ready', flush=True); signal.pause()"
    )
    first_line(child)

    assert child.end(SOON) == Ended(7, None, leaky=False)


def test_who_does_not_care_for_sigterm_dies_of_it(place: Place) -> None:
    """Those before it ignore the signal, and it does not inherit that."""
    child = place.python("print(1, flush=True); import signal; signal.pause()")
    first_line(child)

    assert child.end(SOON).signal == "SIGTERM"


def test_who_ignores_sigterm_is_killed(place: Place) -> None:
    """After the grace there is no asking."""
    child = place.python(
        "import signal; signal.signal(15, signal.SIG_IGN); print(1, flush=True); signal.pause()"
    )
    first_line(child)

    assert child.end(0.05).signal == "SIGKILL"


def test_who_stopped_itself_is_killed(place: Place) -> None:
    """A stopped program handles no signal but one."""
    child = place.python("import os; print(1, flush=True); os.kill(os.getpid(), 19)")
    first_line(child)
    while not any(linux._stat(pid)[0] == b"T" for pid in linux.offspring(child.pid)):
        time.sleep(0.01)

    assert child.end(0.05).signal == "SIGKILL"


@pytest.mark.parametrize("apart", [False, True])
def test_who_leaves_others_behind_is_told_of(place: Place, apart: bool) -> None:
    """They end with the sandbox, in whatever session they are."""
    child = place.python(
        f"import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session={apart})"
    )
    child.wait_exit(Deadline.after(SOON))

    assert child.end(1) == Ended(0, None, leaky=True)
    assert not list(survivors(place.mark))


def test_a_daemon_is_found_also_when_its_parent_was_asked_to_end(place: Place) -> None:
    """It was not in the group that was asked."""
    child = place.python(
        "import signal, subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        "print(1, flush=True); signal.pause()"
    )
    first_line(child)

    assert child.end(SOON) == Ended(None, "SIGTERM", leaky=True)


def test_who_closes_its_output_is_heard_to(place: Place) -> None:
    """Nobody before it holds the pipe."""
    child = place.python("import os, signal; os.closerange(0, 2); signal.pause()")

    assert first_line(child) is None
    assert not child.has_exited()
    assert child.end(SOON).signal == "SIGTERM"


# --- what cannot be started ---


def test_a_missing_program_is_no_program_that_failed(place: Place) -> None:
    """It is told as outside, in the system's words."""
    with pytest.raises(SpawnFailed, match=r"'no-such-program'.*No such file"):
        place.start("no-such-program")


def test_a_program_that_may_not_be_run_is_told(place: Place) -> None:
    """As outside."""
    (place.work / "agent").write_text("#!/bin/sh\n")

    with pytest.raises(SpawnFailed, match="Permission denied"):
        place.start("./agent")


def test_a_bad_interpreter_is_told(place: Place) -> None:
    """With the hint, since the system's words mislead."""
    script = place.work / "agent"
    script.write_text("#!/nowhere/python\n")
    script.chmod(0o755)

    with pytest.raises(SpawnFailed, match="interpreter in its first line"):
        place.start("./agent")


# --- what it sees and reaches ---


def test_its_environment_is_what_it_was_given(place: Place) -> None:
    """Nobody before it adds a variable."""
    lines = said_by(place.start("/usr/bin/env")).splitlines()

    assert {line.partition("=")[0] for line in lines} == {*place.env, MARK}


def test_it_works_in_its_directory_and_keeps_what_it_writes(place: Place) -> None:
    """At the path that it has outside."""
    said = said_by(place.python("import os; open('new', 'w').write('x'); print(os.getcwd())"))

    assert said == str(place.work)
    assert (place.work / "new").read_text() == "x"


def test_what_is_around_its_directory_is_not_there(place: Place) -> None:
    """Neither a neighbour nor what is in HOME, which is empty; nothing of it can be written."""
    (place.path / "neighbour").write_text("secret")
    (place.home / ".ssh").mkdir()
    source = (
        "import json, os, sys\n"
        "around, home = sys.argv[1:]\n"
        "def may_write(path):\n"
        "    try: open(path, 'w').close()\n"
        "    except OSError: return False\n"
        "    return True\n"
        "print(json.dumps([sorted(os.listdir(around)), os.listdir(home),\n"
        "    [may_write(p) for p in ('/x', '/usr/x', '/etc/x', home + '/x')]]))\n"
    )
    around, home, writes = json.loads(
        said_by(place.python(source, str(place.path), str(place.home)))
    )

    assert (around, home) == (["home", "work"], [])
    assert writes == [False, False, False, True]
    assert list(place.home.iterdir()) == [place.home / ".ssh"]


def test_it_sees_no_process_but_its_own(place: Place) -> None:
    """So that it can neither look into the runner nor end it."""
    source = (
        "import os, sys\n"
        "try: os.kill(int(sys.argv[1]), 0)\n"
        "except ProcessLookupError: print('nobody')\n"
        "print(len([p for p in os.listdir('/proc') if p.isdigit()]))"
    )
    nobody, processes = said_by(place.python(source, "999999999")).split()
    assert nobody == "nobody"
    child = place.python(source.replace("sys.argv[1]", f"'{os.getppid()}'"))

    assert int(said_by(child).split()[-1]) == int(processes) <= 3


def test_it_can_set_nothing_of_the_machine(place: Place) -> None:
    """Not even if we are root, whose files all settings are; nothing is written to find out."""
    source = (
        "import json, os\n"
        "def files(top):\n"
        "    for entry in os.scandir(top):\n"
        "        if entry.name.isdigit() or entry.is_symlink(): continue\n"
        "        if entry.is_dir() and os.access(entry, os.R_OK): yield from files(entry.path)\n"
        "        elif os.access(entry, os.W_OK): yield entry.path\n"
        "try: os.open('/proc/sys/vm/swappiness', os.O_WRONLY); found = 'opened'\n"
        "except OSError as error: found = type(error).__name__\n"
        "print(json.dumps([found, *files('/proc')]))"
    )
    found, *writable = json.loads(said_by(place.python(source, network=True)))

    assert found in ("OSError", "PermissionError")
    assert not writable or os.geteuid() != 0  # others have the settings of their own namespaces


def test_root_finds_no_control_groups(place: Place) -> None:
    """Whoever makes a user namespace may mount them; only to root would they obey."""
    source = (
        "import ctypes, errno\n"
        "refused = ctypes.CDLL(None, use_errno=True).unshare(0x10000000)\n"  # CLONE_NEWUSER
        "print(errno.errorcode[ctypes.get_errno()] if refused else 'made')"
    )
    said = said_by(place.python(source))

    assert said == "ENOSPC" or os.geteuid() != 0


@pytest.mark.parametrize("network", [True, False])
def test_a_port_of_the_caller_is_reached_only_with_its_network(place: Place, network: bool) -> None:
    """Without one there is a loopback, with nobody on it."""
    source = (
        "import socket, sys\n"
        "try: socket.create_connection(('127.0.0.1', int(sys.argv[1]))); print('reached')\n"
        "except ConnectionRefusedError: print('refused')"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        child = place.python(source, str(server.getsockname()[1]), network=network)

        assert said_by(child) == ("reached" if network else "refused")


def test_a_bridge_leads_to_a_socket_outside(place: Place) -> None:
    """Whoever connects to its port is answered there, to the end of both sides."""
    address = str(place.path / "s")
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(address)
        server.listen()
        thread = threading.Thread(target=_echo, args=(server, 2))
        thread.start()
        source = (
            "import socket\n"
            "for size in (5, 3_000_000):\n"
            "    s = socket.create_connection(('127.0.0.1', 4711)); s.sendall(b'x' * size)\n"
            "    s.shutdown(socket.SHUT_WR); n = 0\n"
            "    while part := s.recv(65536): n += len(part)\n"
            "    print(n)\n"
            "raise SystemExit(9)"
        )
        child = place.start(sys.executable, "-c", source, bridges=(Bridge(4711, address),))

        assert said_by(child) == "5\n3000000"
        thread.join()
    assert child.end(1) == Ended(9, None, leaky=False)


def _echo(server: socket.socket, times: int) -> None:
    for _ in range(times):
        connection, _ = server.accept()
        with connection:
            heard = b"".join(iter(lambda: connection.recv(65536), b""))  # noqa: B023
            connection.sendall(heard)


def test_with_a_bridge_its_end_is_told_all_the_same(place: Place) -> None:
    """It has a parent then, who goes as it goes."""
    bridges = (Bridge(4711, str(place.path / "s")),)
    source = "import signal; print(1, flush=True); signal.pause()"
    child = place.start(sys.executable, "-c", source, bridges=bridges)
    first_line(child)

    assert child.end(SOON) == Ended(None, "SIGTERM", leaky=False)


# --- what a program needs ---


def test_a_package_on_the_path_is_seen_whole_and_alone(place: Place) -> None:
    """Through the links that lead to it, with what is beside it, and the link's own place."""
    package = place.path / "lib" / "node_modules" / "tool"
    package.mkdir(parents=True)
    (package / "cli").write_text(
        '#!/bin/sh\nread word < "$(dirname "$(readlink -f "$0")")/word"\necho "$word"\nls "$1"\n'
    )
    (package / "cli").chmod(0o755)
    (package / "word").write_text("hello\n")
    (place.path / "lib" / "other").mkdir()
    (place.path / "bin").mkdir()
    (place.path / "bin" / "tool").symlink_to("../lib/node_modules/tool/cli")
    place.env["PATH"] = f"{place.path / 'bin'}:{place.env['PATH']}"

    assert said_by(place.start("tool", str(place.path / "lib"))) == "hello\nnode_modules"


def test_what_a_word_names_can_be_read_and_not_written(place: Place) -> None:
    """A file alone, a directory whole; also after an equals sign."""
    (place.path / "file").write_text("f")
    (place.path / "tree" / "deep").mkdir(parents=True)
    file, tree = str(place.path / "file"), str(place.path / "tree")
    source = (
        "import os, sys\n"
        "file, tree = sys.argv[1:]\n"
        "print(*sorted(os.listdir(os.path.dirname(file))), *os.listdir(tree))\n"
        "try: open(file, 'a')\n"
        "except OSError as error: print(error.strerror)"
    )
    child = place.start(sys.executable, "-c", source, file, tree, named=(file, f"--with={tree}"))

    assert said_by(child) == "file home tree work deep\nRead-only file system"


@pytest.mark.parametrize("word", ["/", "..", "/proc/self/environ"])
def test_a_word_opens_no_wall(place: Place, word: str) -> None:
    """What holds the workspace is not shown for it, nor the processes of the caller."""
    (place.path / "neighbour").write_text("secret")
    source = f"import os; print(*os.listdir({str(place.path)!r}))"
    child = place.start(sys.executable, "-c", source, named=(word,))

    assert sorted(said_by(child).split()) == ["home", "work"]


def test_a_link_that_it_could_have_made_leads_nowhere(place: Place) -> None:
    """Else a program could choose what it sees when it is started again."""
    (place.path / "neighbour").write_text("secret")
    (place.work / "word").symlink_to(place.path / "neighbour")
    source = f"import os; print(os.path.exists('word'), *os.listdir({str(place.path)!r}))"
    child = place.start(sys.executable, "-c", source, named=("./word", "word"))

    assert sorted(said_by(child).split()) == ["False", "home", "work"]


def test_a_sandbox_tells_its_version(sandbox: Sandbox) -> None:
    """For the record of a run."""
    assert re.fullmatch(r"\d+\.\d+\.\d+", sandbox.version)
