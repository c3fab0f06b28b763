"""Answering tool calls by MCP servers."""

from __future__ import annotations

import pytest

from runledger.errors import AgentError, UsageError
from runledger.ledger.event import ToolCall, ToolResult
from runledger.ledger.suite import ServerSettings
from runledger.ledger.value import Json
from runledger.tools.conformance import check_tool_source
from runledger.tools.mcp import Mcp, read_result
from tools.bench import Bench, ask, error, is_alive, result

ECHO = "initialized()\nserve(echo=lambda args: text(json.dumps(args)))"

SDK_SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("demo")
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

server.run()
"""


def test_mcp_is_a_tool_source(bench: Bench) -> None:
    """Mcp keeps every promise of the shelf."""
    settings = bench.server(ECHO)
    calls = [ToolCall("echo", f"c{number}", {"x": number}) for number in (1, 2)]

    check_tool_source(lambda: Mcp(bench.place, "srv", settings, 30.0), calls)


def test_a_server_built_with_the_official_package_works(bench: Bench) -> None:
    """Tools are listed, state lasts for the trial, errors are tool errors."""
    bench.write("sdk.py", SDK_SERVER)
    source = Mcp(bench.place, "sdk", ServerSettings(("{python}", "sdk.py")), 30.0)
    bench.opened.append(source)

    assert source.names() == ["add", "note", "fail"]
    assert result(source, "add", a=2, b=3) == {"result": 5}
    assert [result(source, "note", text=word) for word in ("a", "b")] == ["a", "a b"]
    assert error(source, "fail").startswith("Error executing tool fail")
    assert "int_parsing" in error(source, "add", a="x", b=1)


def test_tools_are_listed_page_by_page(bench: Bench) -> None:
    """Every page is asked for, with the cursor of the one before."""
    source = bench.mcp(
        """
        initialized()
        pages = {None: (["a", "b"], "2"), "2": (["c"], "3"), "3": ([], None)}
        while True:
            message = read()
            names, after = pages[message["params"].get("cursor")]
            page = {"tools": [{"name": name} for name in names]}
            send(id=message["id"], result=page | ({"nextCursor": after} if after else {}))
        """
    )

    assert source.names() == ["a", "b", "c"]


def test_pages_without_end_are_refused(bench: Bench) -> None:
    """A server that always has one more page is told so."""
    source = bench.mcp(
        """
        initialized()
        while True:
            send(id=read()["id"], result={"tools": [], "nextCursor": "again"})
        """
    )

    with pytest.raises(UsageError, match="mcp_tools: srv: tools/list has over 1000 pages"):
        source.names()


TEXT = {"type": "text", "text": "a"}
IMAGE = {"type": "image", "data": "AA==", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"content": [TEXT]}, ToolResult("c", True, "a")),
        ({"content": [TEXT, TEXT]}, ToolResult("c", True, "a\na")),
        ({"content": [TEXT, IMAGE]}, ToolResult("c", True, [TEXT, IMAGE])),
        ({"content": []}, ToolResult("c", True, "")),
        ({"content": [TEXT], "structuredContent": {"x": 1}}, ToolResult("c", True, {"x": 1})),
        ({"structuredContent": {"x": 1}}, ToolResult("c", True, {"x": 1})),
        ({"content": [TEXT], "isError": True}, ToolResult("c", False, None, "a")),
        ({"content": [IMAGE], "isError": True}, ToolResult("c", False, None, [IMAGE])),
        (
            {"content": [], "isError": True},
            ToolResult("c", False, None, "the tool failed and did not say why"),
        ),
        (
            [1],
            ToolResult("c", False, None, "the server's answer is no result of tools/call: [1]"),
        ),
    ],
)
def test_a_result_becomes_what_an_agent_can_use(found: Json, expected: ToolResult) -> None:
    """Structure if there is any, else the text, else the parts; errors are errors."""
    assert read_result("c", found) == expected


def test_a_refused_request_is_a_tool_error(bench: Bench) -> None:
    """The server's own words are passed on."""
    assert error(bench.mcp(ECHO), "other") == "srv: unknown tool"


def test_a_server_that_crashes_is_started_anew_at_the_next_call(bench: Bench) -> None:
    """The error has the exit status and the last of its standard error."""
    source = bench.mcp(
        """
        def crash(args):
            sys.stderr.write("out of luck")
            os._exit(4)

        count = []
        initialized()
        serve(crash=crash, count=lambda args: text(str(count.append(0) or len(count))))
        """
    )
    result(source, "count")

    assert error(source, "crash") == (
        "srv: its process exited with status 4; what it kept in memory is gone\n"
        "its standard error ends with:\nout of luck"
    )
    assert result(source, "count") == "1"


def test_a_call_that_takes_too_long_is_cancelled_and_its_late_answer_ignored(
    bench: Bench,
) -> None:
    """The server lives on, and knows which request nobody waits for."""
    source = bench.mcp(
        """
        initialized()
        slow, cancelled, next = read(), read(), read()
        send(id=slow["id"], result=text("late"))
        send(id=next["id"], result=text(json.dumps([slow["id"], cancelled])))
        """,
        timeout_s=1.0,
    )

    assert error(source, "slow") == "srv: timed out after 1 s"
    told = result(source, "next")

    assert isinstance(told, str)
    assert '"method": "notifications/cancelled"' in told
    assert '"requestId": 2' in told


def test_a_call_at_the_trials_deadline_ends_the_trial(bench: Bench) -> None:
    """A hung server is ended with it."""
    source = bench.mcp("initialized()\nread()\nread()")

    with pytest.raises(AgentError, match="case timeout while the tool a ran"):
        ask(source, "a", limit_s=0.5)

    assert not bench.survivors()


def test_some_lines_that_are_no_messages_are_passed_over(bench: Bench) -> None:
    """Many a server greets its user on standard output."""
    source = bench.mcp(f"print('Welcome!\\n\\n[1]\\n{{}}', flush=True)\n{ECHO}")

    assert result(source, "echo") == "{}"


def test_a_server_that_only_chatters_is_told_to_use_standard_error(bench: Bench) -> None:
    """The first of its lines is shown."""
    source = bench.mcp("while True: print('Welcome!', flush=True)")

    with pytest.raises(UsageError, match=r'the first: "Welcome!"; print logs to stderr'):
        source.names()


def test_requests_of_the_server_are_answered(bench: Bench) -> None:
    """A ping is answered, anything else is refused, notifications are ignored."""
    source = bench.mcp(
        """
        initialized()
        call = read()
        send(method="notifications/progress", params={})
        send(id="p", method="ping")
        send(id="s", method="sampling/createMessage", params={})
        send(id=call["id"], result={"structuredContent": {"heard": [read(), read()]}})
        """
    )

    assert result(source, "any") == {
        "heard": [
            {"jsonrpc": "2.0", "id": "p", "result": {}},
            {
                "jsonrpc": "2.0",
                "id": "s",
                "error": {"code": -32601, "message": "method not found: sampling/createMessage"},
            },
        ]
    }


def test_an_older_protocol_is_accepted(bench: Bench) -> None:
    """Servers answer with the version that they know."""
    source = bench.mcp("initialized('2024-11-05')\nserve(a=lambda args: text('x'))")

    assert result(source, "a") == "x"


def test_an_unknown_protocol_is_refused(bench: Bench) -> None:
    """What was found is named, and what is known."""
    source = bench.mcp("initialized('1999-01-01')\nserve()")

    with pytest.raises(UsageError, match=r'protocol version "1999-01-01" \(known: 2024-11-05,'):
        source.names()


def test_a_server_that_cannot_be_started_is_the_users_to_fix(bench: Bench) -> None:
    """At the check it is a usage error, in a trial the world's failure."""
    source = Mcp(bench.place, "srv", ServerSettings(("no-such-server",)), 30.0)

    with pytest.raises(UsageError, match=r"mcp_tools: srv: could not start 'no-such-server'"):
        source.names()
    with pytest.raises(AgentError) as caught:
        ask(source, "a")
    assert caught.value.kind == "spawn_failed"


def test_a_server_that_dies_at_its_start_is_told_with_its_last_words(bench: Bench) -> None:
    """Most often a package is missing."""
    source = bench.mcp("import no_such_package")

    with pytest.raises(UsageError, match=r"exited with status 1(.|\n)*no_such_package"):
        source.names()


def test_an_answer_over_the_cap_is_a_tool_error(bench: Bench) -> None:
    """The server is ended, for its output cannot be followed any longer."""
    source = bench.mcp("initialized()\nserve(big=lambda args: text('x' * 2**23 * 2))")

    assert "one message is over 8 MiB" in error(source, "big")


def test_what_a_server_started_ends_with_the_trial(bench: Bench) -> None:
    """Nothing survives, in its session or in one of its own."""
    source = bench.mcp(
        """
        import subprocess
        def start(args):
            silent = {"stdout": subprocess.DEVNULL, "start_new_session": True}
            return text(str(subprocess.Popen(["sleep", "1000"], **silent).pid))
        initialized()
        serve(start=start)
        """
    )
    started = result(source, "start")

    source.close()

    assert not is_alive(started)
    assert not bench.survivors()


def test_a_server_gets_its_own_variables_over_the_callers(bench: Bench) -> None:
    """The suite may set what the server needs."""
    settings = bench.server("initialized()\nserve(env=lambda args: text(os.environ['RL_KEY']))")
    source = Mcp(bench.place, "srv", ServerSettings(settings.command, {"RL_KEY": "k"}), 30.0)
    bench.opened.append(source)

    assert result(source, "env") == "k"
