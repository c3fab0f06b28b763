"""The command, run in copies of a process that has imported it already.

Most of the time of a short command goes into imports, and tests run hundreds of them. A server of
this kind imports everything once; each command is a fork of it, with a directory, an environment
and streams of its own, and ends as a process of its own. Tests of signals, of imports and of the
console start the real thing.
"""

from __future__ import annotations

import array
import atexit
import importlib
import json
import os
import pkgutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any

from plant import plant

WITHIN_S = 100


def run_warm(
    words: Sequence[str], cwd: Path, env: Mapping[str, str], plan: Mapping[str, Any] | None = None
) -> tuple[int, str, str]:
    """Run the command and give its exit code and what it wrote; a plan says what goes wrong."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        request = {"words": list(words), "cwd": str(cwd), "env": dict(env), "plan": plan}
        code = _ask(_server(), json.dumps(request).encode(), [out.fileno(), err.fileno()])
        return code, _text(out), _text(err)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


@cache
def _server() -> socket.socket:
    """Start the server of this process, which ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(WITHIN_S)
    os.set_inheritable(theirs.fileno(), True)
    words = [sys.executable, __file__, str(theirs.fileno())]
    process = subprocess.Popen(words, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    atexit.register(_dismiss, ours, process)
    return ours


def _dismiss(server: socket.socket, process: subprocess.Popen[bytes]) -> None:
    server.close()
    process.wait(WITHIN_S)


def _ask(server: socket.socket, request: bytes, fds: list[int]) -> int:
    size = len(request).to_bytes(8, "big")
    server.sendmsg([size], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))])
    for start in range(0, len(request), 60_000):
        server.send(request[start : start + 60_000])
    return int.from_bytes(server.recv(8), "big", signed=True)


# ------------------------------------------------------------------ the server


def serve(connection: socket.socket) -> None:
    """Fork for every request until there are no more."""
    import runledger

    for module in pkgutil.walk_packages(runledger.__path__, "runledger."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    while request := _receive(connection):
        fields, fds = request
        pid = os.fork()
        if pid == 0:
            connection.close()
            os._exit(_become(fields, fds))
        for fd in fds:
            os.close(fd)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        connection.send(code.to_bytes(8, "big", signed=True))


def _receive(connection: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    size, fds, _, _ = socket.recv_fds(connection, 8, 2)
    if not size:
        return None
    left, parts = int.from_bytes(size, "big"), []
    while left:
        parts.append(connection.recv(60_000))
        left -= len(parts[-1])
    return json.loads(b"".join(parts)), fds


def _become(fields: dict[str, Any], fds: list[int]) -> int:
    """Be a process that was started with these words, and give its exit code."""
    for number, fd in enumerate(fds, start=1):
        os.dup2(fd, number)
        os.close(fd)
    os.chdir(fields["cwd"])
    os.environ.clear()
    os.environ.update(fields["env"])
    sys.argv = ["runledger", *fields["words"]]
    sys.path[0] = fields["cwd"]
    if fields["plan"]:
        plant(fields["plan"])
    from runledger.cli import main

    try:
        return main()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
