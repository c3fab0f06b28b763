"""The Python driver: a user's function in a process of ours."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kit import entry, runledger, write_suite
from runledger.agents import Asked, Assignment, Post, Said
from runledger.agents.conformance import check_driver
from runledger.agents.python import PythonDriver
from runledger.ledger.event import FinalOutput, TaskError, ToolResult
from runledger.ledger.suite import AgentSettings
from runledger.ledger.task import Task
from runledger.process.deadline import Deadline
from runledger.process.supervisor import Supervisor

TASK = Task(id="t1", input={"q": "cats"})
Ask = Callable[..., list[Asked | Said]]

SEARCH = """
    def answer(input, tools):
        print("noise on standard output")
        return {"found": tools("search", {"q": input["q"]})}
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Callable[[str], PythonDriver]]:
    """Make drivers for agents given as Python source."""
    with Supervisor() as supervisor:

        def make(source: str) -> PythonDriver:
            (tmp_path / "mine.py").write_text(textwrap.dedent(source))
            agent = AgentSettings(("mine:answer",), protocol="python")
            env = {"PATH": os.environ["PATH"]}
            return PythonDriver(Post(supervisor, agent, env, str(tmp_path)))

        yield make


@pytest.fixture
def ask(driver: Callable[[str], PythonDriver], tmp_path: Path) -> Ask:
    """Give the task to an agent and hear it out, answering its calls with `ok`."""

    def asked(source: str, *, ok: bool = True) -> list[Asked | Said]:
        session = driver(source).start(Assignment(TASK, Deadline.after(30), str(tmp_path)))
        heard: list[Asked | Said] = []
        try:
            list(session.begin())
            while not heard or not isinstance(heard[-1], (FinalOutput, TaskError)):
                heard.append(session.next())
                if isinstance(heard[-1], Asked):
                    call_id = heard[-1].call.call_id
                    session.answer(ToolResult(call_id, ok=ok, result=["cat"], error="no cats"))
        finally:
            session.close()
        return heard

    return asked


def test_the_driver_conforms(driver: Callable[[str], PythonDriver]) -> None:
    """The Python driver keeps to what every driver keeps to."""
    check_driver(driver(SEARCH), TASK)


def test_a_function_asks_for_tools_and_answers(ask: Ask) -> None:
    """What it prints is not taken for the protocol."""
    call, final = ask(SEARCH)

    assert isinstance(call, Asked)
    assert (call.call.name, call.call.args) == ("search", {"q": "cats"})
    assert final == FinalOutput({"found": ["cat"]})


def test_a_function_may_be_async(ask: Ask) -> None:
    """And call its tools from there."""
    _, final = ask("""
        async def answer(input, tools):
            return {"found": tools("search", q=input["q"])}
    """)

    assert final == FinalOutput({"found": ["cat"]})


def test_a_tool_that_fails_raises_in_the_function(ask: Ask) -> None:
    """Which may handle it."""
    _, final = ask(
        """
        def answer(input, tools):
            try:
                tools("search", {})
            except Exception as error:
                return {"sorry": str(error)}
        """,
        ok=False,
    )

    assert final == FinalOutput({"sorry": "no cats"})


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('out of cheese')", "ValueError: out of cheese"),
        ("import sys; sys.exit(0)", "SystemExit: the code called sys.exit(0)"),
        ("return 'text'", "the agent's output must be a dict; found str"),
        ("return {'a': {1, 2}}", "the agent's output is not JSON: a value of type set at $.a"),
        ("tools('x', {'a': object()})", "what the tool is given is not JSON"),
    ],
)
def test_what_a_function_does_wrong_is_a_task_error(ask: Ask, body: str, told: str) -> None:
    """With the words of the exception."""
    (error,) = ask(f"def answer(input, tools):\n    {body}\n")

    assert isinstance(error, TaskError)
    assert told in error.message


def test_a_function_that_is_not_there_is_a_task_error(ask: Ask) -> None:
    """It is named."""
    (error,) = ask("def other(input, tools):\n    return {}\n")

    assert isinstance(error, TaskError)
    assert "mine has no function answer" in error.message


def test_a_suite_of_a_python_agent_replays(tmp_path: Path) -> None:
    """As one that speaks the protocol does."""
    keys = {"agent_protocol": "python", "agent_command": ["mine:answer"]}
    suite = write_suite(tmp_path / "suite", "", **keys)
    (suite.path / "mine.py").write_text(textwrap.dedent(SEARCH))
    suite.case("cats", [entry("search", ["cat"], q="cats")])

    done = runledger("run", "suite", cwd=tmp_path)

    assert done.code == 0, done.out + done.err
    assert done.case("cats")["tool_calls"] == 1


def test_calls_from_many_threads_get_each_its_own_answer(
    driver: Callable[[str], PythonDriver], tmp_path: Path
) -> None:
    """Also where they are answered in another order than they were asked."""
    started = driver("""
        import asyncio

        async def answer(input, tools):
            calls = [asyncio.to_thread(tools, "echo", {"n": n}) for n in range(200)]
            return {"same": await asyncio.gather(*calls) == list(range(200))}
    """).start(Assignment(TASK, Deadline.after(60), str(tmp_path)))
    open_calls: list[Asked] = []
    try:
        while isinstance(heard := started.next(), Asked):
            open_calls.append(heard)
            if len(open_calls) == 2:
                while open_calls:
                    call = open_calls.pop().call
                    assert isinstance(call.args, dict)
                    started.answer(ToolResult(call.call_id, ok=True, result=call.args["n"]))
    finally:
        started.close()

    assert heard == FinalOutput({"same": True})


@pytest.mark.parametrize("address", ["mine:answer", "mine.py:answer", "./mine.py:answer"])
def test_a_function_works_in_the_directory_of_its_task(tmp_path: Path, address: str) -> None:
    """And is imported, with what is beside it, from the directory of its suite."""
    suite, work = tmp_path / "suite", tmp_path / "work"
    suite.mkdir()
    work.mkdir()
    (suite / "mine.py").write_text(
        "import os, beside\n\ndef answer(input, tools):\n"
        "    return {'here': os.getcwd(), 'beside': beside.NAME}\n"
    )
    (suite / "beside.py").write_text("NAME = 'the suite'\n")
    (work / "beside.py").write_text("NAME = 'the workspace'\n")
    with Supervisor() as supervisor:
        agent = AgentSettings((address,), protocol="python")
        post = Post(supervisor, agent, {"PATH": os.environ["PATH"]}, str(suite))
        session = PythonDriver(post).start(Assignment(TASK, Deadline.after(30), str(work)))
        try:
            heard = session.next()
        finally:
            session.close()

    assert heard == FinalOutput({"here": str(work), "beside": "the suite"})
