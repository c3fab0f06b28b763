"""The official MCP client, before an official server, and then before a recording of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import ListRootsResult, Root
from pydantic import FileUrl

from proxies.mcp_kit import Stall, open_stall
from runledger.proxies.mcp import McpDesk
from runledger.store.cassette.entry import AgentStamp

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")

SERVER = """
import anyio
from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("demo", instructions="Be brief.")
notes = []

@server.tool()
def add(a: int, b: int) -> int:
    return a + b

@server.tool(structured_output=False)
def note(text: str) -> str:
    notes.append(text)
    return " ".join(notes)

@server.tool()
def fail() -> str:
    raise ValueError("no such thing")

@server.tool(structured_output=False)
async def slow(steps: int, context: Context) -> str:
    for step in range(steps):
        await context.report_progress(step + 1, steps, f"step {step + 1}")
        await anyio.sleep(0.01)
    return f"{steps} steps"

@server.tool(structured_output=False)
async def grow(context: Context) -> str:
    await context.info("growing")
    await context.notify_tools_changed()
    await context.session.send_tool_list_changed()
    return "grown"

@server.tool(structured_output=False)
async def where(context: Context) -> str:
    return " ".join(str(root.uri) for root in (await context.session.list_roots()).roots)

@server.resource("memo://one")
def one() -> str:
    return "the first memo"

@server.resource("memo://by/{name}")
def by(name: str) -> str:
    return f"a memo by {name}"

@server.prompt()
def greet(name: str) -> str:
    return f"Say hello to {name}."

server.run()
"""


@pytest.fixture
def stall(tmp_path: Path) -> Iterator[Stall]:
    """Give a stall of which nothing may survive the test."""
    with open_stall(tmp_path) as stall:
        yield stall


class Diary:
    """What an agent lived through, to be compared with another life."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def note(self, what: Any) -> None:
        """Note a result."""
        self.lines.append(what.model_dump(mode="json") if hasattr(what, "model_dump") else what)

    async def note_log(self, params: Any) -> None:
        """Note a log message of the server."""
        self.note(params)

    async def note_progress(self, done: float, total: float | None, message: str | None) -> None:
        """Note how far a call has come."""
        self.note([done, total, message])

    async def note_message(self, message: Any) -> None:
        """Note what the server says of itself."""
        self.note(type(message).__name__)

    async def tell_roots(self, context: Any) -> ListRootsResult:
        """Answer the server, and note that it asked."""
        self.note("asked for roots")
        return ListRootsResult(roots=[Root(uri=FileUrl("file:///a"))])


async def look_around(agent: Client, diary: Diary) -> None:
    """Ask what the server has."""
    diary.note(agent.server_capabilities)
    diary.note(agent.instructions)
    for listed in (agent.list_tools, agent.list_resources, agent.list_prompts):
        diary.note(await listed())
    diary.note(await agent.list_resource_templates())


async def work(agent: Client, diary: Diary) -> None:
    """Use what the server has."""
    diary.note(await agent.call_tool("add", {"a": 1, "b": 2}))
    for text in ("a", "b", "a"):
        diary.note(await agent.call_tool("note", {"text": text}))
    diary.note(await agent.call_tool("fail", {}))
    diary.note(await agent.call_tool("slow", {"steps": 3}, progress_callback=diary.note_progress))
    diary.note(await agent.call_tool("grow", {}))
    diary.note(await agent.read_resource("memo://one"))
    diary.note(await agent.read_resource("memo://by/me"))
    diary.note(await agent.get_prompt("greet", {"name": "Ada"}))
    with pytest.raises(MCPError) as refused:
        await agent.read_resource("memo://none/at/all")
    diary.note([refused.value.error.code, refused.value.error.message])


async def ask_where(agent: Client, diary: Diary) -> None:
    """Call the tool that asks back."""
    diary.note(await agent.call_tool("where", {}))


async def work_at_once(agent: Client, diary: Diary) -> None:
    """Have several calls open, each with progress of its own."""
    found: dict[int, list[Any]] = {}

    async def call(steps: int) -> None:
        mine = Diary()
        mine.note(
            await agent.call_tool("slow", {"steps": steps}, progress_callback=mine.note_progress)
        )
        found[steps] = mine.lines

    async with anyio.create_task_group() as group:
        for steps in (4, 1, 3):
            group.start_soon(call, steps)
    diary.note(sorted(found.items()))


async def listen(agent: Client, diary: Diary) -> None:
    """Subscribe to changes, and wait for one."""
    async with agent.listen(tools_list_changed=True) as changes:
        diary.note(changes.honored)
        await agent.call_tool("grow", {})
        diary.note(type(await anext(aiter(changes))).__name__)


class Life:
    """Let official clients live at a desk, one after the other, and read their diary."""

    def __init__(self, stall: Stall, mode: Literal["legacy", "auto"], *deeds: Any) -> None:
        self._stall = stall
        self._mode = mode
        self._deeds = deeds

    def at(self, desk: McpDesk) -> list[Any]:
        """Give the diary of a life at a desk, which is closed afterwards."""
        diary = Diary()
        for deed in self._deeds:
            anyio.run(self._do, desk, deed, diary)
        desk.close()
        return diary.lines

    async def _do(self, desk: McpDesk, deed: Any, diary: Diary) -> None:
        agent = self._stall.client(
            desk,
            self._mode,
            list_roots_callback=diary.tell_roots,
            logging_callback=diary.note_log,
            message_handler=diary.note_message,
        )
        async with agent:
            await deed(agent, diary)


async def everything(agent: Client, diary: Diary) -> None:
    """Use every part of the server."""
    await look_around(agent, diary)
    await work(agent, diary)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_replayed_session_is_like_the_recorded_one(
    stall: Stall, mode: Literal["legacy", "auto"]
) -> None:
    """Results, errors, progress, logs and changes are the same, and no server is started."""
    life = Life(stall, mode, everything)

    recorded = life.at(stall.record(stall.server(SERVER)))

    assert life.at(stall.replay()) == recorded
    assert stall.fault.empty()
    assert stall.kept.stamps == [AgentStamp("mcp", stall.kept.stamps[0].version)]


def test_a_server_that_asks_back_asks_again_in_replay(stall: Stall) -> None:
    """The agent is asked for its roots before it gets the result, both times."""
    life = Life(stall, "legacy", ask_where)

    recorded = life.at(stall.record(stall.server(SERVER)))

    assert recorded[0] == "asked for roots"
    assert life.at(stall.replay()) == recorded


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_calls_that_are_open_at_once_get_each_its_own(
    stall: Stall, mode: Literal["legacy", "auto"]
) -> None:
    """Results and progress find their calls, recorded and replayed."""
    life = Life(stall, mode, work_at_once)

    *_, recorded = life.at(stall.record(stall.server(SERVER)))

    assert [len(lines) for _, lines in recorded] == [2, 4, 5]
    assert life.at(stall.replay())[-1] == recorded


def test_changes_that_an_agent_subscribed_to_are_replayed(stall: Stall) -> None:
    """They come under the id of the new subscription."""
    life = Life(stall, "auto", listen)

    recorded = life.at(stall.record(stall.server(SERVER)))

    assert recorded[-1] == "ToolsListChanged"
    assert life.at(stall.replay()) == recorded
    assert stall.fault.empty()


def test_an_agent_may_come_again_and_look_around_more_often_than_recorded(stall: Stall) -> None:
    """Only what it does is used up, not what it looks at first."""
    recorded = Life(stall, "legacy", everything).at(stall.record(stall.server(SERVER)))

    replayed = Life(stall, "legacy", look_around, everything, look_around).at(stall.replay())

    looks = 6
    assert replayed == recorded[:looks] + recorded + recorded[:looks]
    assert stall.fault.empty()


def test_each_session_has_a_server_of_its_own(stall: Stall) -> None:
    """What one session kept in memory, the next does not see."""
    life = Life(stall, "legacy", note_once, note_once)

    recorded = life.at(stall.record(stall.server(SERVER)))

    assert recorded == ["x", "x"]
    assert life.at(stall.replay()) == recorded


async def note_once(agent: Client, diary: Diary) -> None:
    """Leave a note, and read all that are there."""
    found: Any = await agent.call_tool("note", {"text": "x"})
    diary.note(found.content[0].text)
