"""A directory with tools in it, and everything that runs there."""

from __future__ import annotations

import os
import textwrap
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kit import survivors
from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.suite import ServerSettings
from runledger.ledger.value import Json
from runledger.process import linux
from runledger.process.deadline import Deadline
from runledger.process.supervisor import Supervisor
from runledger.tools import ToolSource
from runledger.tools.live import Live
from runledger.tools.mcp import Mcp
from runledger.tools.workplace import Workplace

RAW_SERVER = """
import json, os, sys

def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def read():
    line = sys.stdin.readline()
    return json.loads(line) if line else sys.exit()

def text(*parts, **more):
    return {"content": [{"type": "text", "text": part} for part in parts], **more}

def initialized(version="2025-06-18"):
    send(id=read()["id"], result={"protocolVersion": version, "capabilities": {"tools": {}}})
    read()

def serve(**tools):
    while True:
        message = read()
        if message["method"] == "tools/list":
            send(id=message["id"], result={"tools": [{"name": name} for name in tools]})
        elif message["method"] == "tools/call" and message["params"]["name"] not in tools:
            send(id=message["id"], error={"code": -32602, "message": "unknown tool"})
        elif message["method"] == "tools/call":
            call = message["params"]
            send(id=message["id"], result=tools[call["name"]](call["arguments"]))
"""


class Bench:
    """Write tools and open them; their processes carry a mark by which they can be found."""

    def __init__(self, path: Path, supervisor: Supervisor) -> None:
        self.path = path
        self.mark = uuid.uuid4().hex
        env = {**os.environ, "RL_TEST_MARK": self.mark}
        self.place = Workplace(supervisor, str(path), env)
        self.opened: list[ToolSource] = []

    def write(self, name: str, source: str) -> str:
        """Write a file of the suite and give its name."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(source))
        return name

    def live(self, source: str, timeout_s: float = 30.0) -> Live:
        """Open a module of this source."""
        return self.live_file(self.write("tools.py", source), timeout_s)

    def live_file(self, module: str, timeout_s: float = 30.0) -> Live:
        """Open a module that is there."""
        source = Live(self.place, module, timeout_s)
        self.opened.append(source)
        return source

    def server(self, source: str, name: str = "server.py") -> ServerSettings:
        """Write an MCP server with a few words of protocol before it."""
        self.write(name, RAW_SERVER + textwrap.dedent(source))
        return ServerSettings(("{python}", name))

    def mcp(self, source: str, timeout_s: float = 30.0) -> Mcp:
        """Open an MCP server of this source."""
        opened = Mcp(self.place, "srv", self.server(source), timeout_s)
        self.opened.append(opened)
        return opened

    def survivors(self) -> list[int]:
        """Find the processes of tools that are alive."""
        return list(survivors(self.mark))


@contextmanager
def open_bench(path: Path) -> Iterator[Bench]:
    """Make a bench, and see that nothing that ran there survives it."""
    with Supervisor() as supervisor:
        bench = Bench(path, supervisor)
        yield bench
        for source in bench.opened:
            source.close()
        assert not bench.survivors()


def is_alive(pid: Json) -> bool:
    """Say whether a process of this id runs; one that died and waits for its parent does not."""
    return not linux.is_dead(int(str(pid)))


def ask(source: ToolSource, tool: str, /, limit_s: float = 60.0, **args: Json) -> ToolResult:
    """Call a tool."""
    return source.answer(ToolCall(tool, "c1", args), Deadline.after(limit_s))


def result(source: ToolSource, tool: str, /, **args: Json) -> Json:
    """Call a tool that succeeds, and give its result."""
    answer = ask(source, tool, **args)
    assert answer.ok, answer
    return answer.result


def error(source: ToolSource, tool: str, /, **args: Json) -> str:
    """Call a tool that fails, and give its error."""
    answer = ask(source, tool, **args)
    assert not answer.ok, answer
    assert isinstance(answer.error, str)
    return answer.error
