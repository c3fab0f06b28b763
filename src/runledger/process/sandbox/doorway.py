"""Be the first program in a sandbox: set things right for the one that is to run, and become it.

It is run by its path, with `python -I -S`, and needs nothing but Python. Its words are variables
to take away (`-NAME`), bridges (`PORT:SOCKET`), then `--` and the command. With a bridge it stays,
and carries what is said to a port of the loopback in here to a socket that leads outside.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import sys
import threading
from typing import NoReturn

CHUNK = 64 * 1024
NOT_STARTED = 127
HOST = "127.0.0.1"
KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "ppc64le": 271, "s390x": 280}
JOIN_SESSION_KEYRING = 1
PASSED = {3: 0, 4: 1}  # where input and output were put while bwrap was at work


def main(words: list[str]) -> None:
    """Become the program, or stay beside it as long as it runs."""
    for passed, fd in PASSED.items():
        os.dup2(passed, fd)
        os.close(passed)
    end = words.index("--")
    before, argv = words[:end], words[end + 1 :]
    unwanted = {word[1:].encode() for word in before if word.startswith("-")}
    bridges = [word for word in before if not word.startswith("-")]
    if bridges:
        _stay_beside(argv, unwanted, bridges)
    _become(argv, unwanted)


def _become(argv: list[str], unwanted: set[bytes]) -> NoReturn:
    """Run the program with signals and variables as if nobody had been here before."""
    _leave_the_callers_keys()
    for one in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(one, signal.SIG_DFL)
    try:
        os.execvpe(argv[0], argv, _variables(unwanted))
    except OSError as error:
        told = f"runledger: could not start {argv[0]!r} in the sandbox: {error.strerror}\n"
        os.write(2, told.encode("utf-8", "backslashreplace"))
        os._exit(NOT_STARTED)


def _leave_the_callers_keys() -> None:
    """Join a new session keyring: bwrap leaves the caller's, and the keys in it, within reach."""
    number = KEYCTL.get(os.uname().machine)
    if number is not None:
        ctypes.CDLL(None).syscall(number, JOIN_SESSION_KEYRING, None)


def _variables(unwanted: set[bytes]) -> dict[bytes, bytes]:
    """Read the variables as they came: Python adds one of its own in some languages."""
    with open("/proc/self/environ", "rb") as file:  # noqa: PTH123
        pairs = [pair.partition(b"=") for pair in file.read().split(b"\0") if pair]
    return {name: value for name, _, value in pairs if name not in unwanted}


def _stay_beside(argv: list[str], unwanted: set[bytes], bridges: list[str]) -> NoReturn:
    """Start the program, serve its bridges, and end as it ends."""
    pairs = [bridge.split(":", 1) for bridge in bridges]
    doors = [(socket.create_server((HOST, int(port))), path) for port, path in pairs]
    pid = os.fork()
    if pid == 0:
        _become(argv, unwanted)
    _let_go()
    for door, path in doors:
        threading.Thread(target=_take_in, args=(door, path), daemon=True).start()
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)  # a signal as bwrap tells it


def _let_go() -> None:
    """Leave the program's input and output to it alone, so that their ends are seen."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(nothing, fd)


def _take_in(door: socket.socket, path: str) -> None:
    while True:
        near, _ = door.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(path)
        except OSError:  # the trial is over
            near.close()
            far.close()
            continue
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=_carry, args=(source, target), daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    """Carry one way to the end, and tell it; the system closes both when neither is used."""
    with contextlib.suppress(OSError):
        while said := source.recv(CHUNK):
            target.sendall(said)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main(sys.argv[1:])
