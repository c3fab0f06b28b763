"""Our hands for an agent that asks us to run commands and to show what they print."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Mapping

from ...errors import Interrupted, SpawnFailed
from ...ledger.value import Json
from ...process.child import Child
from ...process.deadline import Deadline
from ...process.pipes import LineBuffer
from ...process.supervisor import Launch, Supervisor
from ...wire.jsonrpc import INTERNAL_ERROR, RpcError
from .files import INVALID_PARAMS, Files
from .shapes import as_list, text_at

MOST = 32  # at once
KEPT = 1024 * 1024  # bytes of output, where the agent does not say
MOST_KEPT = 2 * 1024 * 1024
A_DAY_S = 24 * 3600.0  # a command may take as long as its session does
JOIN_S = 5.0

# Both streams in one, in the order of writing, as a terminal shows them.
_DIRECTLY = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh")
_AS_A_LINE = ("/bin/sh", "-c", 'exec 2>&1; eval "$1"', "sh")


class Scroll(LineBuffer):
    """The last bytes that a command printed."""

    def __init__(self, kept: int) -> None:
        super().__init__()
        self.truncated = False
        self._kept = kept
        self._bytes = bytearray()
        self._lock = threading.Lock()

    def add(self, data: bytes) -> None:
        """Take in what was read, and let go of what came first."""
        with self._lock:
            self._bytes += data
            over = len(self._bytes) - self._kept
            if over > 0:
                del self._bytes[:over]
                self.truncated = True

    def rest(self) -> bytes | None:
        """Keep everything: it is shown as often as the agent likes."""
        return None

    def text(self) -> str:
        """Show what is kept, from a whole character on."""
        with self._lock:
            kept = bytes(self._bytes)
        if self.truncated:
            kept = kept.lstrip(_INNER_BYTES)
        return kept.decode("utf-8", "replace")


_INNER_BYTES = bytes(range(0x80, 0xC0))  # of a character whose first byte is gone


class Terminal:
    """One command; a thread waits for its end, and whoever started it closes it."""

    def __init__(self, child: Child, scroll: Scroll, ended: Callable[[], None]) -> None:
        self.over = threading.Event()
        self.status: Mapping[str, Json] = {"exitCode": None, "signal": None}
        self._child = child
        self._scroll = scroll
        self._ended = ended
        child.close_input()
        self._thread = threading.Thread(target=self._wait, daemon=True)
        self._thread.start()

    def output(self) -> Json:
        """Show what the command printed so far, and its status once it has one."""
        over = self.over.is_set()  # before the text is read, so that nothing is missing at the end
        shown: dict[str, Json] = {"output": self._scroll.text()}
        shown["truncated"] = self._scroll.truncated
        return shown | {"exitStatus": self.status} if over else shown

    def kill(self) -> Json:
        """Kill the command; what it printed can still be asked for."""
        self._child.kill()
        return {}

    def close(self) -> None:
        """End the command and all it started."""
        self._child.kill()
        self._thread.join(JOIN_S)
        self._child.end(0)

    def _wait(self) -> None:
        with contextlib.suppress(Interrupted):  # who closes the session ends the command, too
            self._child.wait_exit(Deadline.after(A_DAY_S))
        code, signal = self._child.peek_exit()
        self.status = {"exitCode": code, "signal": signal}
        self.over.set()
        self._ended()


class Terminals:
    """The commands of one session; `on_end` is a descriptor to read from when one has ended."""

    def __init__(self, supervisor: Supervisor, env: Mapping[str, str], files: Files) -> None:
        self.on_end, self._write_fd = os.pipe()
        os.set_blocking(self.on_end, False)
        os.set_blocking(self._write_fd, False)
        self._supervisor = supervisor
        self._env = env
        self._files = files
        self._open: dict[str, Terminal] = {}
        self._count = 0
        self._closed = False

    def create(self, params: Mapping[str, Json]) -> Json:
        """Answer terminal/create."""
        if len(self._open) >= MOST:
            raise RpcError(INTERNAL_ERROR, f"there are {MOST} terminals open: release some first")
        scroll = Scroll(_kept(params.get("outputByteLimit")))
        launch = self._launch(params)
        try:
            child = self._supervisor.start(launch, scroll)
        except SpawnFailed as error:
            raise RpcError(INTERNAL_ERROR, str(error)) from None
        self._count += 1
        id = f"terminal-{self._count}"
        self._open[id] = Terminal(child, scroll, self._tell)
        return {"terminalId": id}

    def find(self, params: Mapping[str, Json]) -> Terminal:
        """Find the terminal that a request is about."""
        id = params.get("terminalId")
        if not isinstance(id, str) or id not in self._open:
            raise RpcError(INVALID_PARAMS, "there is no such terminal")
        return self._open[id]

    def release(self, params: Mapping[str, Json]) -> Json:
        """Answer terminal/release: the command ends, and its terminal is gone."""
        self.find(params).close()
        del self._open[str(params["terminalId"])]
        return {}

    def hush(self) -> None:
        """Take note that some command has ended."""
        with contextlib.suppress(BlockingIOError):
            os.read(self.on_end, MOST)

    def close(self) -> None:
        """End every command."""
        self._closed = True
        for terminal in self._open.values():
            terminal.kill()
        for terminal in self._open.values():
            terminal.close()
        self._open.clear()
        os.close(self.on_end)
        os.close(self._write_fd)

    def _tell(self) -> None:
        if not self._closed:
            with contextlib.suppress(BlockingIOError):  # there are news enough already
                os.write(self._write_fd, b"!")

    def _launch(self, params: Mapping[str, Json]) -> Launch:
        command, given = text_at(params, "command"), as_list(params.get("args"))
        words = [word for word in given if isinstance(word, str)]
        if not command or len(words) != len(given):
            raise RpcError(INVALID_PARAMS, "command must be a text, and args a list of texts")
        env = {**self._env, **_variables(params.get("env"))}
        cwd = self._files.inside(params.get("cwd") or ".")
        # Agents send whole shell lines as a command without arguments, too.
        direct = words or shutil.which(command, path=env.get("PATH"))
        how = _DIRECTLY if direct else _AS_A_LINE
        return Launch([*how, command, *words], str(cwd), env)


def _kept(limit: Json) -> int:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        return KEPT
    return min(limit, MOST_KEPT)


def _variables(given: Json) -> dict[str, str]:
    named = [(text_at(one, "name"), text_at(one, "value")) for one in as_list(given)]
    return {name: value for name, value in named if name and "=" not in name}
