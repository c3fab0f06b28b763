"""Settling who has the tools of a suite."""

from __future__ import annotations

import pytest

from runledger.errors import UsageError
from runledger.ledger.suite import ServerSettings, ToolSettings
from runledger.tools import ToolSource
from runledger.tools.toolbox import check_tools
from tools.bench import Bench, error, result

HELLO = "TOOLS = {'greet': lambda args: 'hello', 'part': lambda args: 'bye'}"


def opened(
    bench: Bench, *names: str, module: str | None = "tools.py", **servers: ServerSettings
) -> ToolSource:
    """Check the tools of a suite that names these, and open them for a trial."""
    source = check_tools(ToolSettings(names, module, 30.0, servers), bench.place).open()
    bench.opened.append(source)
    return source


def refusal(
    bench: Bench, *names: str, module: str | None = "tools.py", **servers: ServerSettings
) -> str:
    """Say why the tools of a suite are refused."""
    with pytest.raises(UsageError) as caught:
        opened(bench, *names, module=module, **servers)
    return str(caught.value)


def serving(bench: Bench, tool: str, file: str = "server.py") -> ServerSettings:
    """Write an MCP server with one tool, which says where it is."""
    return bench.server(f"initialized()\nserve({tool}=lambda args: text('{file}'))", file)


def test_tools_are_checked_once_and_opened_for_each_trial(bench: Bench) -> None:
    """What is opened answers as the module does, and the check leaves nothing running."""
    bench.write("tools.py", HELLO)

    source = opened(bench, "greet", "part")

    assert not bench.survivors()
    assert [result(source, "greet"), result(source, "part")] == ["hello", "bye"]


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("x = 1\ndef f(:\n", 'could not be loaded: SyntaxError(.|\n)*tools.py", line 2'),
        ("import no_such_thing", "ModuleNotFoundError: No module named 'no_such_thing'"),
        ("x = 1", r"tools.py has no TOOLS; add TOOLS = \{'name': function\}"),
        ("TOOLS = 7", "TOOLS must be a mapping or a list, found int"),
        ("TOOLS = {'a': 7}", "'a' must be a function, or an object with call.args.; found int"),
        ("TOOLS = [7]", "a tool's name must be a text, found None for 7"),
        ("TOOLS = {7: print}", "a tool's name must be a text, found 7"),
        ("TOOLS = [print, print]", "TOOLS has two tools named 'print'"),
        ("class A:\n  name = 'a'\nTOOLS = [A]", r"is a class; put an object there: A\(\)"),
        (
            "class A:\n  name = 'a'\n  schema = {'type': 7}\n  def call(self, args): 0\n"
            "TOOLS = [A()]",
            "the schema of 'a' is not a JSON Schema: 7 is not valid",
        ),
        (
            "class A:\n  name = 'a'\n  def schema(self): 0\n  def call(self, args): 0\n"
            "TOOLS = [A()]",
            "the schema of 'a' must be a dict, found method",
        ),
        ("import sys; sys.exit(2)", r"SystemExit: the code called sys.exit\(2\)"),
        ("import os; os._exit(2)", "its process exited with status 2"),
    ],
)
def test_a_module_that_cannot_be_used_is_refused_before_any_case(
    bench: Bench, module: str, told: str
) -> None:
    """The message names the module and what is wrong with it."""
    bench.write("tools.py", module)

    with pytest.raises(UsageError, match=f"tool_module: tools.py: (.|\n)*{told}"):
        opened(bench, "a")


def test_a_module_that_hangs_while_it_loads_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has a minute to load; a call's own limit is not spent on it."""
    monkeypatch.setattr("runledger.wire.servant.START_S", 0.2)
    bench.write("tools.py", "import time; time.sleep(1000)")

    assert refusal(bench, "a") == "tool_module: tools.py: did not start within 0.2 s"


@pytest.mark.parametrize("module", ["absent.py", "absent.module"])
def test_a_module_that_is_not_there_is_refused(bench: Bench, module: str) -> None:
    """As a file and as a dotted name."""
    assert f"tool_module: {module}: could not be loaded: " in refusal(bench, "a", module=module)


def test_a_traceback_begins_in_the_users_own_code(bench: Bench) -> None:
    """Where our own code called it is of no interest."""
    bench.write("tools.py", "def f():\n    return 1 / 0\nTOOLS = {'a': f()}")

    message = refusal(bench, "a")

    assert 'tools.py", line 2, in f' in message
    assert "python_host" not in message


def test_names_that_nobody_has_are_told_all_at_once(bench: Bench) -> None:
    """With the nearest name that somebody has, and a list of all."""
    bench.write("tools.py", HELLO)

    assert refusal(bench, "gret", "greet", "xyz") == (
        "tool_registry: nobody has a tool named gret; did you mean greet? (known: greet, part)\n"
        "tool_registry: nobody has a tool named xyz (known: greet, part)"
    )


def test_calls_go_to_the_one_who_has_the_tool(bench: Bench) -> None:
    """Python functions and MCP servers may stand side by side."""
    bench.write("tools.py", HELLO)

    source = opened(bench, "greet", "look", one=serving(bench, "look"))

    assert [result(source, "greet"), result(source, "look")] == ["hello", "server.py"]


def test_a_name_that_two_have_is_refused_with_the_names_to_choose_from(bench: Bench) -> None:
    """Nobody guesses whose tool is meant."""
    one, two = serving(bench, "look", "one.py"), serving(bench, "look", "two.py")

    assert refusal(bench, "look", module=None, one=one, two=two) == (
        "tool_registry: look is a tool of the MCP server one and the MCP server two; "
        "write one.look or two.look"
    )


def test_a_tool_may_be_named_with_its_owner(bench: Bench) -> None:
    """Each keeps its name in the calls of the agent, and has its own where it is called."""
    bench.write("tools.py", "TOOLS = {'look': lambda args: 'tools.py'}")
    server = serving(bench, "look")

    source = opened(bench, "tools.look", "one.look", one=server)

    assert [result(source, "tools.look"), result(source, "one.look")] == ["tools.py", "server.py"]
    assert "nobody has the tool look" in error(source, "look")


def test_the_mock_is_there_for_those_who_name_it(bench: Bench) -> None:
    """It needs no module and finds the same each time."""
    source = opened(bench, "mock_search_docs", module=None)

    found = result(source, "mock_search_docs", q="Refunds?")

    assert found == {
        "hits": [
            {
                "title": "Refunds",
                "text": "An order is refunded within 14 days of delivery, "
                "to the card that paid for it.",
            }
        ]
    }
    assert error(source, "mock_search_docs") == 'ValueError: "q" must be a text, found null'


def test_the_mock_never_takes_the_place_of_a_users_tool(bench: Bench) -> None:
    """A user's own tool of that name is the one that is called."""
    bench.write("tools.py", "TOOLS = {'mock_search_docs': lambda args: 'mine'}")

    assert result(opened(bench, "mock_search_docs"), "mock_search_docs") == "mine"
